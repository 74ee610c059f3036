"""What CONTRIBUTING.md promises: one file adds one thing, and rooms do not leak into each other."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROBE = """
from probes.spec import Parameters, Probe, Reading

PROBE = Probe("fan.speed", "风扇", "Fan", "", "", "passive", 1, 5, (), Parameters, lambda p, c: Reading([]), lambda raw: [])
"""
READER = """
KIND = "fan"
def recognise(text): return 0
def claimed(text): return []
def extract(text, source): return []
"""
FACT = """
from probes.vocabulary.declare import FactType
FACTS = (FactType("fan.speed_rpm", "int", "风扇转速", "fan speed"),)
"""
PAGE = """
from django.http import HttpResponse
from django.urls import path
urlpatterns = [path("fan/", lambda request: HttpResponse("whirr"))]
"""
COPIED = ("infermary", "kb", "probes", "templates", "static", "manage.py")


@pytest.fixture
def copy(tmp_path):
    """The packages in a folder of their own, to which a test may add files."""
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    return tmp_path


def python(code: str, folder: Path) -> str:
    """What `code` prints in a fresh interpreter that sees `folder` and no setting of the suite."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"],
        capture_output=True, text=True, cwd=folder, timeout=120, env=environment,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_one_file_adds_a_probe(copy):
    (copy / "probes/catalog/fan_speed.py").write_text(PROBE)
    assert "fan.speed" in python("from probes.catalog import probes; print(*probes())", copy)


def test_one_file_adds_facts(copy):
    (copy / "probes/vocabulary/fan.py").write_text(FACT)
    assert "fan.speed_rpm" in python("from probes.vocabulary import fact_types; print(*fact_types())", copy)


def test_one_file_adds_a_paste_format(copy):
    (copy / "kb/facts/fan.py").write_text(READER)
    assert "fan" in python("from kb.facts import readers; print(*[r.KIND for r in readers()])", copy)


def test_one_file_adds_an_entry(copy):
    text = (ROOT / "kb/entries/eager-mode.yaml").read_text("utf-8").replace("slug: eager-mode", "slug: fan-off", 1)
    (copy / "kb/entries/fan-off.yaml").write_text(text, "utf-8")
    assert "fan-off" in python("from kb.knowledge import shipped; print(*shipped().by_slug)", copy)


def test_one_file_adds_a_page(copy):
    (copy / "kb/pages/fan.py").write_text(PAGE)
    code = """
import os; os.environ["DJANGO_SETTINGS_MODULE"] = "infermary.settings"
os.environ["INFERMARY_VAR"] = os.getcwd() + "/var"
import django; django.setup()
from django.urls import resolve
print(resolve("/fan/").func)
"""
    assert "lambda" in python(code, copy)


@pytest.mark.parametrize(
    "module", ["probes.worker", "probes.catalog", "probes.engines", "infermary.cli", "kb.assessment"]
)
def test_what_runs_on_a_gpu_host_or_in_a_terminal_works_where_django_is_not_installed(module):
    without_django = 'sys.modules["django"] = None'
    assert "loaded" in python(f"{without_django}\nimport {module}\nprint('loaded')", ROOT)


def test_every_setting_is_documented():
    code = (ROOT / "infermary/settings.py").read_text()
    names = set(re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", code))
    documented = (ROOT / "docs/settings.md").read_text()
    assert names and not [name for name in names if f"`{name}`" not in documented]


def test_no_file_of_code_is_too_long_to_read():
    files = [path for folder in ("infermary", "kb", "probes") for path in (ROOT / folder).rglob("*.py")]
    long = {str(path.relative_to(ROOT)): n for path in files if (n := len(path.read_text("utf-8").splitlines())) > 400}
    assert not {name: n for name, n in long.items() if "/migrations/" not in name}
