"""What engine.metrics says of servers in every state, healthy or not."""

from __future__ import annotations

import pytest

from tests.probes.asking import every, measured, values
from tests.probes.mock_engine import mock_engine


def facts_of(scenario: str) -> dict:
    with mock_engine(scenario=scenario) as engine:
        return values(measured("engine.metrics", engine.address, seconds=1).facts)


def test_a_healthy_server():
    facts = facts_of("healthy")
    assert facts["metrics.state"] == "ok"
    assert facts["metrics.requests_running"] == 4
    assert facts["metrics.requests_waiting"] == 0
    assert facts["metrics.preemptions"] == 0
    assert facts["metrics.error_ratio"] == 0
    assert facts["metrics.prefix_hit_rate"] == pytest.approx(0.6)
    assert facts["metrics.output_tokens_per_s"] / facts["metrics.prompt_tokens_per_s"] == pytest.approx(
        128 / 512, rel=1e-3
    )


def test_means_are_those_of_the_window_not_of_the_servers_life():
    facts = facts_of("healthy")  # its past was ten times slower
    assert facts["metrics.ttft_mean_s"] == pytest.approx(0.12)
    assert facts["metrics.tpot_mean_ms"] == pytest.approx(12)
    assert facts["metrics.prompt_tokens_mean"] == pytest.approx(512)


def test_a_full_cache():
    facts = facts_of("kvfull")
    assert facts["metrics.kv_usage"] == pytest.approx(0.985)
    assert facts["metrics.requests_waiting"] == 22
    assert facts["metrics.queue_mean_s"] == pytest.approx(2.8)
    assert facts["metrics.preemptions_per_request"] == pytest.approx(0.6)


def test_a_queue_in_front_of_a_cache_that_has_room():
    facts = facts_of("queue")
    assert (facts["metrics.requests_waiting"], facts["metrics.kv_usage"]) == (40, pytest.approx(0.35))
    assert facts["metrics.queue_mean_s"] == pytest.approx(5.5)


def test_preemptions_are_counted_in_the_window():
    assert facts_of("preempt")["metrics.preemptions_per_request"] == pytest.approx(1.5)


def test_errors_are_a_share_of_the_finished_requests():
    assert facts_of("errors")["metrics.error_ratio"] == pytest.approx(0.3)


def test_slow_decoding():
    assert facts_of("decode_slow")["metrics.tpot_mean_ms"] == pytest.approx(180)


def test_a_prefix_cache_that_misses():
    facts = facts_of("prefix_low")
    assert facts["metrics.prefix_hit_rate"] == pytest.approx(0.01)
    assert facts["metrics.prefix_queries"] > 0


def test_an_idle_server_says_nothing_about_errors_or_preemptions():
    facts = facts_of("idle")
    assert facts["metrics.state"] == "idle"
    assert not {"metrics.preemptions", "metrics.error_ratio", "metrics.ttft_mean_s"} & set(facts)


def test_names_of_older_versions_mean_the_same():
    old, new = facts_of("v0names"), facts_of("healthy")
    for name in ("metrics.state", "metrics.kv_usage", "metrics.tpot_mean_ms", "metrics.prefix_hit_rate"):
        assert old[name] == pytest.approx(new[name]) if isinstance(new[name], float) else old[name] == new[name]


def test_names_that_nobody_knows_are_reported_not_read_as_zero():
    with mock_engine(scenario="renamed") as engine:
        result = measured("engine.metrics", engine.address, seconds=1)
    facts = values(result.facts)
    assert facts["metrics.state"] == "renamed"
    assert "metrics.requests_running" not in facts
    assert "vllm:v9_num_requests_running" in every(result.facts, "metrics.unknown_series")
    assert "other names" in result.missing[0][1]


def test_sglang_has_its_own_names():
    facts = facts_of("sglang")
    assert facts["metrics.engine"] == "sglang"
    assert (facts["metrics.requests_running"], facts["metrics.requests_waiting"]) == (12, 30)
    assert facts["metrics.kv_usage"] == pytest.approx(0.97)
    assert facts["metrics.output_tokens_per_s"] == 420
    assert facts["metrics.prefix_hit_rate"] == pytest.approx(0.02)


def test_replicas_that_carry_unequal_load():
    facts = facts_of("imbalance")
    assert facts["metrics.engine_imbalance"] == 30
    assert facts["metrics.requests_running"] == 31
    assert facts["metrics.kv_usage"] == pytest.approx(0.95)


def test_a_counter_that_falls_voids_rates_and_means():
    with mock_engine(scenario="resets") as engine:
        result = measured("engine.metrics", engine.address, seconds=3)
    facts = values(result.facts)
    assert facts["metrics.counter_reset"] is True
    assert facts["metrics.requests_running"] == 4
    assert not {"metrics.output_tokens_per_s", "metrics.ttft_mean_s", "metrics.preemptions"} & set(facts)
    assert "restarted" in result.missing[0][1]


@pytest.mark.parametrize(
    ("scenario", "state", "said"),
    [
        ("empty", "empty", "publishes no metrics"),
        ("http500", "failing", "HTTP 500"),
        ("html", "foreign", "no series"),
        ("foreign", "foreign", "no series"),
    ],
)
def test_a_page_that_cannot_be_used_is_named_and_gives_no_number(scenario, state, said):
    with mock_engine(scenario=scenario) as engine:
        result = measured("engine.metrics", engine.address, seconds=1)
    assert values(result.facts) == {"metrics.state": state}
    assert said in result.missing[0][1]


def test_a_server_that_is_gone_is_unreachable():
    with mock_engine() as engine:
        address = engine.address
    result = measured("engine.metrics", address, seconds=1)
    assert values(result.facts) == {"metrics.state": "unreachable"}
