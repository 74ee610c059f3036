"""The catalogue: found by looking, honest about what it yields, documented by samples that run."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from probes import catalog
from probes.adapter import COUNTERS, GAUGES, HISTOGRAMS, adapters
from probes.vocabulary import fact_types
from tests.probes.asking import every

NAMES = sorted(catalog.probes())
NEW_PROBE = '''
"""A probe of a test."""
from probes.spec import Parameters, Probe, Reading

PROBE = Probe("{name}", "新", "new", "什么都不做。", "Does nothing.", "passive", 1, 2, ("host.os",), Parameters,
              lambda params, context: Reading([]), lambda raw: [])
'''


@pytest.fixture
def another_folder(tmp_path, monkeypatch):
    """A second folder of the catalogue, with the cache emptied before and after."""
    monkeypatch.setattr(catalog, "__path__", [*catalog.__path__, str(tmp_path)])
    catalog.probes.cache_clear()
    known = set(sys.modules)
    yield tmp_path
    catalog.probes.cache_clear()
    for name in set(sys.modules) - known:
        sys.modules.pop(name)


def test_a_new_file_is_a_new_probe(another_folder):
    (another_folder / "host_new.py").write_text(NEW_PROBE.format(name="host.new"))
    assert "host.new" in catalog.probes()


def test_two_files_with_one_name_are_an_error(another_folder):
    (another_folder / "zz_other.py").write_text(NEW_PROBE.format(name="host.inventory"))
    with pytest.raises(ValueError, match="twice"):
        catalog.probes()


@pytest.mark.parametrize("name", NAMES)
def test_a_probe_yields_declared_facts_only(name):
    assert set(catalog.probes()[name].yields) <= set(fact_types())


def means(written: str, value: object) -> bool:
    """Whether a value is what the docstring writes."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return written == str(value).lower() or written == value
    return float(written) == pytest.approx(value, rel=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_in_the_docstring_gives_the_facts_it_names(name):
    probe = catalog.probes()[name]
    text = sys.modules[probe.judge.__module__].__doc__
    raw, gives = re.search(r"\n\n(    \{.*?)\n\n(gives .*)", text, re.DOTALL).groups()
    facts = probe.judge(json.loads(raw))
    named = re.findall(r"([a-z_]+\.[a-z_0-9]+) = ([^,\s]+?)(?=[,.]?(?:\s|$))", gives)
    assert len(named) >= 3
    for fact, value in named:
        assert any(means(value, found) for found in every(facts, fact)), fact
    assert {fact.name for fact in facts} <= set(probe.yields)


def test_the_document_is_plain_json_with_parameters_in_both_languages():
    document = catalog.catalog_document()
    assert json.loads(json.dumps(document)) == document
    for described in document:
        assert all(described[key] for key in ("zh", "en", "zh_about", "en_about", "yields"))
        assert described["parameters"]["type"] == "object"


@pytest.mark.parametrize("name", sorted(adapters()))
def test_an_engine_uses_known_roles_under_its_own_prefix(name):
    adapter = adapters()[name]
    assert set(adapter.metrics) <= {*GAUGES, *COUNTERS, *HISTOGRAMS}
    assert all(each.startswith(adapter.metrics_prefix) for names in adapter.metrics.values() for each in names)
    assert Path(sys.modules[adapter.recognise.__module__].__file__).parent.name == "engines"


@pytest.mark.parametrize(
    ("engine", "command"),
    [
        ("vllm", "/opt/venv/bin/python3 /opt/venv/bin/vllm serve Qwen/Qwen2.5-7B-Instruct --port 8001"),
        ("vllm", "python3 -m vllm.entrypoints.openai.api_server --model m"),
        ("sglang", "python -m sglang.launch_server --model-path m"),
        ("llama.cpp", "/usr/local/bin/llama-server -m m.gguf -ngl 99"),
        ("llama.cpp", "python3 -m llama_cpp.server --model m.gguf"),
        ("ollama", "/usr/local/bin/ollama serve"),
        ("tgi", "text-generation-launcher --model-id m"),
        ("lmdeploy", "/usr/bin/python3 /usr/local/bin/lmdeploy serve api_server m"),
        (None, "grep vllm serve.log"),
        (None, "vim vllm.py"),
        (None, "vllm bench serve --model m"),
    ],
)
def test_command_lines_of_engines_are_recognised(engine, command):
    found = [adapter.name for adapter in adapters().values() if adapter.recognise(command.split())]
    assert found == ([engine] if engine else [])
