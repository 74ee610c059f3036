"""Facts that the probes measured on ten real vLLM servers (H200), judged without a word from anybody."""

import json
from pathlib import Path

import pytest

from kb.assessment import Submission, assess
from kb.knowledge import shipped
from probes.facts import Fact, Provenance

SERVERS = json.loads((Path(__file__).parents[1] / "captures" / "h200_engines.json").read_text("utf-8"))
CAUSES = {
    "eager": "eager-mode", "fp32": "wrong-dtype", "lora": "lora-overhead", "offload": "cpu-offload",
    "smallkv": "kv-preemption", "maxseqs1": "max-num-seqs-low",
}  # fmt: skip
HEALTHY = ("base", "q05b", "gptq", "loaded")
CANNOT_SERVE = (
    "oom-weights",
    "oom-kv-max-model-len",
    "driver-cuda-mismatch",
    "port-or-endpoint",
    "model-arch-unsupported",
)


def measured(server: str) -> list[Fact]:
    return [
        Fact(name, value, Provenance("metrics" if probe == "engine.metrics" else "probe", probe), subject)
        for probe, facts in SERVERS[server].items()
        for name, value, subject in facts
    ]


def judged(server: str):
    return assess(Submission(), shipped(), facts=measured(server))


@pytest.mark.parametrize(("server", "slug"), CAUSES.items())
def test_the_measured_cause_comes_out_clearly_first(server, slug):
    answer = judged(server)
    assert answer.causes[0].slug == slug
    assert answer.causes[0].probability > 0.5
    assert answer.causes[0].probability > 4 * answer.causes[1].probability
    assert answer.verdict == "problem"


@pytest.mark.parametrize("server", HEALTHY)
def test_a_healthy_server_is_healthy_and_no_cause_is_named(server):
    answer = judged(server)
    assert answer.verdict == "healthy"
    assert answer.suspects == []


def test_who_asks_whether_a_normal_speed_is_normal_is_told_what_bounds_it():
    answer = assess(Submission("4090 单卡 vLLM 跑 Qwen2.5-7B fp16 是 52 tok/s，正常吗"), shipped())
    assert answer.verdict == "no_data"  # the figures are normal, and nobody measured them
    assert answer.normal.state == "normal"
    assert answer.suspects[0].slug == "expected-bandwidth-bound"


@pytest.mark.parametrize("server", SERVERS)
def test_what_keeps_an_engine_from_starting_is_ruled_out_where_it_serves(server):
    shares = {cause.slug: cause.probability for cause in judged(server).causes}
    assert all(shares[slug] < 0.005 for slug in CANNOT_SERVE)


def test_a_reported_start_failure_is_not_ruled_out_by_a_server_that_runs():
    facts = [*measured("base"), Fact("symptom.kind", "oom", Provenance("text", "symptom"))]
    answer = assess(Submission("FP16 runs out of memory"), shipped(), facts=facts)
    cause = next(cause for cause in answer.causes if cause.slug == "oom-weights")
    assert not [term for term in cause.contributions if term.group == "serving"]


@pytest.mark.parametrize("server", SERVERS)
def test_the_shape_that_a_probe_read_is_enough_for_a_ceiling(server):
    normal = judged(server).normal
    assert normal.ceiling is not None
    assert normal.state in ("normal", "look-closer", "far-too-slow")


@pytest.mark.parametrize("server", SERVERS)
def test_cores_counted_while_the_engine_was_idle_are_no_starvation(server):
    assert not any("gets" in finding.en for finding in judged(server).findings)


def test_likelihood_without_a_report_in_words_is_not_called_calibrated():
    assert judged("eager").confidence == "uncalibrated"
    assert assess(Submission("vllm 很慢"), shipped()).confidence == "calibrated"
