"""Whatever goes wrong in a probe becomes an outcome with its reason."""

from __future__ import annotations

import os
import threading
import time

import pytest

from probes import envelope, runner
from probes.child import run_in_child
from probes.context import LocalContext
from probes.desk import small_enough
from probes.facts import Fact, Provenance
from probes.spec import Cancelled, NoData, Parameters, Probe, Reading, Refused, Result
from tests.probes.asking import measured, values
from tests.probes.mock_engine import Shape, mock_engine


@pytest.fixture
def only(monkeypatch):
    """A catalogue of one probe with this `measure`."""

    def install(measure, yields=("host.os",)):
        probe = Probe("a.b", "探", "probe", "。", ".", "passive", 1, 5, yields, Parameters, measure, lambda raw: [])
        monkeypatch.setattr(runner, "probes", lambda: {"a.b": probe})
        return runner.run("a.b", {}, LocalContext())

    return install


def raising(error):
    def measure(params, context):
        raise error

    return measure


@pytest.mark.parametrize(
    ("error", "outcome", "said"),
    [
        (NoData("没有。", "There is none."), "no_data", "There is none."),
        (Refused("不行。", "Not allowed."), "refused", "Not allowed."),
        (Cancelled(), "cancelled", "Cancelled"),
        (ZeroDivisionError("oops"), "failed", "ZeroDivisionError: oops"),
    ],
)
def test_an_exception_is_an_outcome_with_a_reason_in_both_languages(only, error, outcome, said):
    result = only(raising(error))
    assert result.outcome == outcome
    assert said in result.reason_en
    assert result.reason_zh


def test_looked_and_found_nothing_wrong_differs_from_could_not_look(only):
    assert only(lambda params, context: Reading([])).outcome == "fine"
    looked_in_vain = only(lambda params, context: Reading([], missing=[("读不到。", "Cannot be read.")]))
    assert (looked_in_vain.outcome, looked_in_vain.reason_en) == ("no_data", "Cannot be read.")


def test_an_undeclared_fact_fails_the_probe(only):
    fact = Fact("host.kernel", "6", Provenance("probe", "a.b"))
    result = only(lambda params, context: Reading([fact]))
    assert (result.outcome, result.facts) == ("failed", [])
    assert "host.kernel" in result.reason_en


def test_a_raw_reading_that_is_too_large_fails_the_probe(only):
    assert only(lambda params, context: Reading([], {"text": "x" * 70_000})).outcome == "failed"


def test_unknown_probes_and_wrong_parameters_are_refused():
    assert measured("no.such").outcome == "refused"
    for params in ({"seconds": 9999}, {"seconds": "much"}, {"shell": "ls"}):
        result = measured("host.inventory", **params)
        assert result.outcome == "refused"
        assert next(iter(params)) in result.reason_en


def test_only_engines_found_here_or_listed_may_be_asked():
    with mock_engine() as engine:
        refused = runner.run("engine.metrics", {"engine": "169.254.169.254:80"}, LocalContext([engine.address]))
        several = runner.run("engine.metrics", {}, LocalContext([engine.address, "127.0.0.1:1"]))
    assert (refused.outcome, several.outcome) == ("refused", "refused")
    assert engine.address in refused.reason_en
    assert "name one" in several.reason_en


def test_a_listed_engine_is_described_by_what_it_says_of_itself():
    with mock_engine() as engine:
        gone = "127.0.0.1:9"
        result = runner.run("engine.discover", {"seconds": 0.5}, LocalContext([engine.address, gone]))
    facts = values(result.facts, f"engine:{engine.address}")
    assert facts["engine.name"] == "vllm"
    assert (facts["engine.served_model"], facts["engine.max_model_len"]) == ("m", 8192)
    assert "engine.cpu_cores_used" not in facts
    assert gone in result.missing[0][1]


def test_the_host_is_described_without_a_gap_in_the_basics():
    facts = values(measured("host.inventory", seconds=0.5).facts)
    assert 0 < facts["host.cpu_cores"] <= facts["host.cpu_cores_total"]
    assert facts["host.memory_total_gib"] >= facts["host.memory_available_gib"] > 0
    assert facts["host.virtualisation"] in ("none", "vm", "wsl2", "container")
    assert 0 <= facts["host.cpu_utilization_pct"] <= 100


def test_a_child_process_measures_and_reports_progress():
    seen = []
    result = run_in_child("host.inventory", {"seconds": 0.5}, on_progress=lambda share, zh, en: seen.append(en))
    assert result.outcome == "ok"
    assert seen == ["watching the CPU"]


def test_a_child_is_stopped_at_its_limit():
    result = run_in_child("host.inventory", {"seconds": 30}, limit_s=3)
    assert (result.outcome, result.facts) == ("timed_out", [])
    assert "3 s" in result.reason_en
    assert result.seconds < 10


def test_a_child_is_cancelled_in_the_middle_of_an_answer():
    cancelled = threading.Event()
    with mock_engine(scenario="idle", shape=Shape(gap=0.2)) as engine:
        threading.Timer(3, cancelled.set).start()
        params = {"engine": engine.address, "tokens": 512}
        result = run_in_child("decode.single_stream", params, [engine.address], cancelled=cancelled)
    assert (result.outcome, result.facts) == ("cancelled", [])
    assert result.seconds < 20


def test_a_child_that_dies_is_a_failed_run():
    def kill_it() -> None:
        import multiprocessing

        while not multiprocessing.active_children():
            time.sleep(0.05)
        os.kill(multiprocessing.active_children()[0].pid, 9)

    threading.Thread(target=kill_it).start()
    result = run_in_child("host.inventory", {"seconds": 30})
    assert result.outcome == "failed"
    assert "unexpectedly" in result.reason_en


def test_a_result_too_large_to_send_loses_its_curves_and_says_so():
    points = [(float(index), 1.0) for index in range(20_000)]
    result = Result("a.b", "ok", raw={"kept": True}, series={"curve": points}).to_json()
    reduced = small_enough(result)
    key = envelope.new_key()
    token = envelope.sign_report(key, "host", "result", "run1", reduced)
    assert envelope.verify_report(token, envelope.public_key(key), "host").body["raw"] == {"kept": True}
    assert reduced["series"] == {}
    assert "series was left out" in reduced["missing"][0][1]
