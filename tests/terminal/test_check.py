import json

import pytest

from infermary import cli, machine
from probes.facts import Fact, Provenance
from probes.spec import Result


def fact(name, value, subject=""):
    return Fact(name, value, Provenance("probe", "engine.discover"), subject)


@pytest.fixture
def measured(monkeypatch):
    """Replaces the machine by what the test says was measured."""

    def set_results(*results):
        monkeypatch.setattr(machine, "measure", lambda *args, **kwargs: list(results))

    return set_results


def test_what_was_measured_is_judged_without_a_site(measured, capsys):
    measured(Result("gpu.state", "ok", facts=[fact("gpu.throttle_reason", "hw_thermal", "gpu:0")]))
    assert cli.main(["check", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["causes"][0]["slug"] == "thermal-throttle"
    assert answer["runs"][0]["outcome"] == "ok"


def test_a_machine_where_nothing_can_be_measured_is_never_called_healthy(measured, capsys):
    measured(Result("gpu.state", "no_data", "没有驱动。", "No driver."))
    assert cli.main(["check", "--lang", "en"]) == 2
    out = capsys.readouterr().out
    assert "gpu.state: no_data (0) No driver." in out
    assert "fine" not in out
    assert "Most likely" not in out


def test_a_check_that_judges_nothing_ends_with_two_though_a_probe_ran(measured, capsys):
    measured(Result("host.inventory", "ok"), Result("gpu.state", "no_data", "没有驱动。", "No driver."))
    assert cli.main(["check", "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "no_data"
    assert answer["normal"] == {}


@pytest.mark.parametrize("url", ["notaurl", "ftp://a:1", "http://", "http://a b:80", "a:99999", "127.0.0.1:x"])
@pytest.mark.parametrize(("lang", "words"), [("zh", "不是引擎地址"), ("en", "is no engine address")])
def test_what_is_no_engine_address_is_refused(measured, capsys, url, lang, words):
    measured(Result("gpu.throttle", "ok"))
    assert cli.main(["check", "--url", url, "--lang", lang]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "https://gpu-1.lan:443/v1", "localhost:8000", "[::1]:8000"])
def test_an_engine_address_is_accepted(url):
    assert machine.checked_url(url) == url


def test_facts_of_another_engine_do_not_mix_in():
    results = [
        Result("engine.discover", "ok", facts=[
            fact("engine.enforce_eager", True, "engine:127.0.0.1:1"),
            fact("engine.enforce_eager", False, "engine:127.0.0.1:2"),
            fact("gpu.count", 1),
        ])
    ]  # fmt: skip
    kept = machine.facts_of(results, "http://127.0.0.1:2")
    assert [(f.name, f.value) for f in kept] == [("engine.enforce_eager", False), ("gpu.count", 1)]


def test_what_was_saved_is_judged_alike_when_replayed(measured, capsys, tmp_path):
    measured(Result("gpu.state", "ok", facts=[fact("gpu.throttle_reason", "hw_thermal", "gpu:0")]))
    bundle = tmp_path / "bundle.json"
    cli.main(["check", "--json", "--save", str(bundle)])
    checked = json.loads(capsys.readouterr().out)
    cli.main(["replay", str(bundle), "--json"])
    assert json.loads(capsys.readouterr().out)["causes"] == checked["causes"]


def test_a_bundle_that_cannot_be_written_is_named(measured, capsys, tmp_path):
    measured(Result("gpu.state", "no_data", "无", "none"))
    assert cli.main(["check", "--save", str(tmp_path / "no" / "bundle.json"), "--lang", "zh"]) == 2
    assert "写不了" in capsys.readouterr().err


def test_the_probes_of_this_very_machine_end_with_an_outcome_each(capsys):
    cli.main(["check", "--json"])
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["probe"] for run in runs] == list(machine.PASSIVE)
    assert all(run["outcome"] != "failed" for run in runs)
