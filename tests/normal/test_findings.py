import pytest

from kb.findings import findings, verdict
from kb.judgement import RankedCause
from probes.facts import Fact, Provenance
from tests.normal.case import assessed, case

# What the metrics probe states about a server in 6 s; each scenario says only what differs.
HEALTHY = {
    "state": "ok", "engine": "vllm", "window_s": 6.0, "counter_reset": False, "engine_asleep": False, "requests_running": 4.0,
    "requests_waiting": 0.0, "kv_usage": 0.35, "requests_finished": 12.0, "preemptions": 0.0, "preemptions_per_request": 0.0,
    "error_ratio": 0.0, "prefix_hit_rate": 0.6, "ttft_mean_s": 0.12, "tpot_mean_ms": 12.0, "queue_mean_s": 0.01,
    "prompt_tokens_mean": 512.0, "output_tokens_mean": 128.0,
}  # fmt: skip
NOTHING_FINISHED = {
    "requests_finished",
    "preemptions_per_request",
    "error_ratio",
    "prefix_hit_rate",
    "ttft_mean_s",
    "tpot_mean_ms",
    "queue_mean_s",
    "prompt_tokens_mean",
    "output_tokens_mean",
}
SCENARIOS = {
    "healthy": ({}, "healthy", "requests finished"),
    "kvfull": ({"requests_running": 48.0, "requests_waiting": 22.0, "kv_usage": 0.985, "preemptions": 12.0, "preemptions_per_request": 1.0, "ttft_mean_s": 3.5, "queue_mean_s": 2.8}, "problem", "wait for room"),
    "queue": ({"requests_running": 8.0, "requests_waiting": 40.0, "kv_usage": 0.4, "ttft_mean_s": 6.0, "queue_mean_s": 5.5}, "problem", "max-num-seqs"),
    "preempt": ({"requests_running": 64.0, "requests_waiting": 0.0, "kv_usage": 0.97, "preemptions": 23.0, "preemptions_per_request": 2.1}, "problem", "preempted"),
    "errors": ({"error_ratio": 0.3}, "problem", "30% of the requests ended in an error"),
    "decode_slow": ({"tpot_mean_ms": 180.0}, "problem", "180 ms a token is beyond"),
    "prefix_low": ({"prompt_tokens_mean": 4096.0, "prefix_hit_rate": 0.01}, "suspected", "whether they do was not measured"),
    "imbalance": ({"requests_running": 31.0, "requests_waiting": 20.0, "kv_usage": 0.95, "engine_imbalance": 30.0}, "problem", "30.0 times the load"),
}  # fmt: skip


def served(**changes):
    return {f"metrics__{name}": value for name, value in (HEALTHY | changes).items()}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("model", [{}, {"engine__served_model": "mock/Llama-3.1-8B"}], ids=["unknown model", "8B"])
def test_what_a_server_shows_leads_to_its_finding_and_verdict(scenario, model):
    changes, expected, said = SCENARIOS[scenario]
    _, found, word = assessed(case("metrics", **served(**changes), **model))
    assert word == expected
    assert any(said in finding.en for finding in found)
    assert all(finding.zh and finding.facts for finding in found)


@pytest.mark.parametrize("state", ["idle", "empty", "failing", "foreign", "renamed", "unreachable"])
def test_metrics_that_say_nothing_are_no_data(state):
    _, found, word = assessed(case("metrics", metrics__state=state))
    assert word == "no_data"
    assert [finding.kind for finding in found] == ["not_measured"]


def test_a_restart_in_the_window_is_no_data():
    facts = {name: value for name, value in HEALTHY.items() if name not in NOTHING_FINISHED} | {"counter_reset": True}
    _, found, word = assessed(case("metrics", **{f"metrics__{name}": value for name, value in facts.items()}))
    assert word == "no_data"
    assert any("restarted" in finding.en for finding in found)


def test_an_engine_that_only_has_gauges_shows_its_full_cache():
    gauges = {
        "metrics__state": "ok",
        "metrics__requests_running": 12.0,
        "metrics__requests_waiting": 30.0,
        "metrics__kv_usage": 0.97,
    }
    assert assessed(case("metrics", **gauges))[2] == "problem"


def test_a_full_cache_that_nobody_waits_for_is_good_packing():
    assert assessed(case("metrics", **served(kv_usage=0.98)))[2] == "healthy"


def test_low_prefix_hits_of_short_prompts_are_a_note():
    assert assessed(case("metrics", **served(prefix_hit_rate=0.0)))[2] == "healthy"


def test_nothing_said_is_no_data_and_silence_of_a_ranking_changes_nothing():
    assert assessed(case()) == (None, [], "no_data")


FAST = {"gpu__name": "H200", "model__name": "Qwen2.5-7B", "model__quant": "bf16", "decode__tokens_per_s": 210.0}


def test_a_measured_speed_within_expectation_is_healthy_even_if_someone_finds_it_slow():
    assert assessed(case("probe", **FAST))[2] == "healthy"
    assert assessed(case("probe", **FAST, symptom__kind="slow"))[2] == "healthy"


def test_a_normal_speed_in_prose_is_never_called_healthy():
    assert assessed(case(**FAST, symptom__kind="slow"))[2] == "no_data"
    assert assessed(case(**FAST, symptom__kind="slow", observed__expectation_unclear=True))[2] == "no_data"


@pytest.mark.parametrize(
    "complaint", [{"symptom__kind": "hang"}, {"observed__degrades_over_time": True}, {"observed__garbled": True}]
)
def test_a_normal_speed_does_not_answer_another_complaint(complaint):
    assert assessed(case("probe", **FAST, **complaint))[2] == "suspected"


def test_a_far_too_slow_speed_is_a_problem():
    assert (
        assessed(case(gpu__name="RTX 3090", model__params_b=7.0, model__quant="gptq-int4", decode__tokens_per_s=2.5))[2]
        == "problem"
    )


def test_a_speed_somewhat_below_normal_is_never_healthy():
    facts = {"gpu__name": "H200", "model__name": "Qwen2.5-7B", "model__quant": "bf16", "decode__tpot_ms": 12.51}
    assert assessed(case("probe", **facts))[2] != "healthy"


def test_a_likely_cause_forbids_healthy():
    facts = case("metrics", **served())
    cause = RankedCause("tracing", 0.8, 1.0, ())
    assert verdict(facts, None, findings(facts), [cause], 0.2) == "suspected"


def test_a_complaint_without_measurement_is_at_most_suspected():
    facts = case(symptom__kind="slow")
    assert verdict(facts, None, findings(facts), [RankedCause("tracing", 0.3, 1.0, ())], 0.2) == "suspected"
    assert verdict(facts, None, findings(facts), [RankedCause("tracing", 0.1, 1.0, ())], 0.9) == "no_data"


HARDWARE = [
    ({"gpu__throttle_reason": "hw_thermal"}, "throttled"),
    ({"gpu__sm_clock_ratio": 0.5, "gpu__utilization_pct": 95.0}, "SM clock is 50%"),
    ({"gpu__pcie_width": 4, "gpu__pcie_width_max": 16}, "x4 instead of x16"),
    ({"gpu__pcie_gen": 1, "gpu__pcie_gen_max": 4, "gpu__utilization_pct": 95.0}, "generation 1"),
    ({"gpu__xid": 79}, "Xid 79"),
    ({"gpu__ecc_uncorrected": 2}, "ECC"),
    ({"gpu__reset_required": True}, "reset"),
    ({"engine__run_delay_pct": 30.0}, "wait for a CPU 30%"),
    ({"engine__name": "vllm", "engine__cpu_cores_used": 0.34, "engine__busiest_thread_pct": 34.0}, "gets 0.3 cores"),
]


@pytest.mark.parametrize(("facts", "said"), HARDWARE)
def test_a_faulty_card_or_starved_host_is_abnormal_beside_a_server_that_looks_fine(facts, said):
    _, found, word = assessed(case("probe", **served(), **facts))
    assert word == "problem"
    assert any(said in finding.en for finding in found if finding.kind == "abnormal")


@pytest.mark.parametrize("facts", [
    {"gpu__throttle_reason": "sw_power_cap", "gpu__sm_clock_ratio": 0.7, "gpu__utilization_pct": 98.0},
    {"gpu__pcie_gen": 1, "gpu__pcie_gen_max": 4, "gpu__utilization_pct": 0.0}, {"gpu__xid": 43}, {"gpu__foreign_processes": 2},
    {"engine__name": "llama.cpp", "engine__cpu_cores_used": 0.3, "engine__busiest_thread_pct": 30.0},
    {"engine__name": "vllm", "engine__cpu_cores_used": 0.02, "engine__busiest_thread_pct": 0.2},
])  # fmt: skip
def test_what_is_normal_for_a_card_is_not_called_abnormal(facts):
    assert assessed(case("probe", **served(), **facts))[2] == "healthy"


def test_a_process_beside_a_slow_engine_is_abnormal():
    facts = {
        "gpu__name": "H200",
        "model__name": "Qwen2.5-7B",
        "model__quant": "bf16",
        "decode__tpot_ms": 12.0,
        "gpu__foreign_processes": 1,
    }
    assert any(
        "Other processes" in finding.en and finding.kind == "abnormal"
        for finding in assessed(case("probe", **facts))[1]
    )


CONTRADICTIONS = [
    ({"engine__tensor_parallel": 2, "observed__one_gpu_busy": True}, "only one card is busy"),
    ({"engine__tensor_parallel": 4, "gpu__count": 2}, "with 2 cards"),
    ({"model__name": "Qwen2.5-7B", "model__quant": "int8", "engine__weights_gib": 14.2}, "not in effect"),
    (
        {"model__params_b": 7.0, "model__quant": "gptq-int4", "gpu__name": "RTX 3090", "gpu__memory_used_gib": 13.0},
        "may not be in effect",
    ),
    (
        {
            "model__name": "Llama-2-7B",
            "model__quant": "gptq-int4",
            "engine__tensor_parallel": 2,
            "gpu__name": "RTX 3090",
            "gpu__memory_used_gib": 13.0,
        },
        "may not be in effect",
    ),
    ({"engine__unknown_flag": "--swap-space"}, "--swap-space"),
    (
        {"symptom__kind": "oom", "gpu__name": "RTX 4090", "model__name": "Qwen2.5-7B", "model__quant": "fp16"},
        "yet memory runs out",
    ),
    (
        {"gpu__name": "RTX 4090", "model__name": "Llama-3.1-8B", "model__quant": "fp8", "decode__tokens_per_s": 195.0},
        "beyond what memory bandwidth allows",
    ),
]


@pytest.mark.parametrize(("facts", "said"), CONTRADICTIONS)
def test_facts_that_cannot_all_be_true_are_shown_and_forbid_healthy(facts, said):
    _, found, word = assessed(case(**facts))
    assert found[0].kind == "contradiction"
    assert said in found[0].en
    assert word in ("suspected", "problem")


@pytest.mark.parametrize("facts", [
    {"engine__tensor_parallel": 4, "gpu__count": 2, "host__nodes": 2}, {"engine__tensor_parallel": 2},
    {"model__name": "Qwen2.5-7B", "model__quant": "int8", "engine__weights_gib": 8.2},
    {"model__params_b": 7.0, "model__quant": "gptq-int4", "gpu__name": "RTX 3090", "gpu__memory_used_gib": 21.6},
    {"model__quant": "fp16", "model__params_b": 7.0, "gpu__name": "RTX 3090", "gpu__memory_used_gib": 13.0},
])  # fmt: skip
def test_facts_that_agree_are_no_contradiction(facts):
    assert not [finding for finding in assessed(case(**facts))[1] if finding.kind == "contradiction"]


def test_one_busy_and_one_idle_card_contradict_tensor_parallel():
    facts = case(engine__tensor_parallel=2)
    facts.add(
        Fact("gpu.utilization_pct", load, Provenance("nvidia_smi"), f"gpu:{index}")
        for index, load in enumerate((98.0, 0.0))
    )
    assert findings(facts)[0].kind == "contradiction"


@pytest.mark.parametrize(
    ("name", "told", "shown"),
    [("gpu.name", "RTX 4090", "H200 SXM"), ("model.quant", "gptq-int4", "fp16"), ("engine.tensor_parallel", 2, 1)],
)
def test_words_that_say_otherwise_than_the_machine_are_a_contradiction(name, told, shown):
    facts = case()
    facts.add([Fact(name, told, Provenance("text")), Fact(name, shown, Provenance("log"))])
    assert "which counts" in next(f.en for f in findings(facts) if f.kind == "contradiction")


@pytest.mark.parametrize(
    ("name", "told", "shown"), [("gpu.name", ["H100"], "H100 SXM"), ("engine.tensor_parallel", [1, 4], 4)]
)
def test_words_that_agree_or_compare_are_none(name, told, shown):
    facts = case()
    facts.add([*(Fact(name, value, Provenance("text")) for value in told), Fact(name, shown, Provenance("log"))])
    assert not [f for f in findings(facts) if f.kind == "contradiction"]
