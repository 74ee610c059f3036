"""TTFT, TPOT and token counts of one stream, whatever shape the server gives its chunks."""

from __future__ import annotations

import pytest

from probes.catalog import decode_single_stream
from probes.load.latency import Stream, figures, is_trusted
from tests.probes.asking import measured, values
from tests.probes.mock_engine import Shape, mock_engine

TTFT, GAP = 0.08, 0.01
SLACK = 0.3
"""The mock and the probe share two cores with everything else: a sleep may take that much longer, never less."""


def single(**settings):
    shape = Shape(ttft=TTFT, gap=GAP, **{key: settings.pop(key) for key in list(settings) if key != "only_chat"})
    with mock_engine(scenario="idle", shape=shape, **settings) as engine:
        return measured("decode.single_stream", engine.address, tokens=24, runs=2)


def check_speed(facts, tpot_ms=1000 * GAP):
    assert TTFT <= facts["latency.ttft_s"] < TTFT + SLACK
    assert 0.9 * tpot_ms < facts["decode.tpot_ms"] < 2 * tpot_ms


def test_one_token_a_chunk():
    result = single()
    facts = values(result.facts)
    check_speed(facts)
    assert facts["decode.tokens_per_chunk"] == 1
    assert result.raw["runs"][0]["tokens"] == 24
    assert result.missing == []


def test_a_role_sent_early_is_no_text():
    result = single(early_role=True, only_chat=True)
    check_speed(values(result.facts))
    run = result.raw["runs"][0]
    assert run["ttft_s"] - run["first_event_s"] >= 0.9 * TTFT


def test_empty_chunks_are_no_text():
    result = single(empty=2)
    facts = values(result.facts)
    assert facts["latency.ttft_s"] >= TTFT + 0.1
    assert result.raw["runs"][0]["first_event_s"] < facts["latency.ttft_s"]


def test_several_tokens_a_chunk():
    facts = values(single(per_chunk=4).facts)
    check_speed(facts)
    assert facts["decode.tokens_per_chunk"] == 4
    assert facts["decode.chunk_gap_p50_ms"] >= 4 * 1000 * GAP * 0.9


def test_several_chunks_a_read_are_one_gap():
    facts = values(single(coalesce=3).facts)
    assert facts["decode.chunk_gap_p50_ms"] >= 3 * 1000 * GAP * 0.9


@pytest.mark.parametrize("usage", ["end", "cont", "inline"])
def test_the_servers_count_wins_however_it_comes(usage):
    result = single(per_chunk=4, usage=usage)
    assert result.raw["runs"][0]["tokens"] == 24
    assert result.raw["runs"][0]["tokens_by"] == "usage"
    check_speed(values(result.facts))


def test_without_the_servers_count_chunks_are_counted_and_it_is_said():
    result = single(usage="none")
    assert result.raw["runs"][0]["tokens_by"] == "chunks"
    assert "did not count" in result.missing[0][1]
    assert "decode.tokens_per_chunk" not in values(result.facts)


def test_a_server_busy_with_others_gives_no_speed_of_one_stream_alone():
    with mock_engine(scenario="healthy") as engine:
        result = measured("decode.single_stream", engine.address, tokens=8, runs=1)
    assert "decode.tokens_per_s" not in values(result.facts)
    assert "4 other requests" in result.missing[0][1]


def test_a_stall_is_seen_though_the_mean_hides_it():
    facts = values(single(stall=0.4).facts)
    assert facts["decode.longest_stall_ms"] >= 400
    assert facts["decode.chunk_gap_p50_ms"] < 100


def test_reasoning_counts_as_text():
    facts = values(single(reasoning=True, only_chat=True).facts)
    assert facts["latency.ttft_s"] < TTFT + SLACK


def test_a_server_with_chat_only_is_asked_there():
    with mock_engine(scenario="idle", only_chat=True) as engine:
        result = measured("decode.single_stream", engine.address, tokens=8, runs=1)
    assert result.raw["endpoint"] == "/v1/chat/completions"
    assert engine.asked == ["/v1/completions", "/v1/chat/completions", "/v1/chat/completions"]


@pytest.mark.parametrize(("status", "said"), [(503, "mock failure"), (401, "API key")])
def test_a_server_that_refuses_is_no_data_with_its_words(status, said):
    result = single(status=status)
    assert result.outcome == "no_data"
    assert said in result.reason_en
    assert result.facts == []


def test_a_server_too_slow_for_the_limit_is_measured_by_what_arrived():
    with mock_engine(scenario="idle", shape=Shape(ttft=0.1, gap=1.0)) as engine:
        result = measured("decode.single_stream", engine.address, limit_s=5)
    facts = values(result.facts)
    assert facts["decode.tokens_per_s"] == pytest.approx(1.0, rel=0.2)
    assert "did not end in time" in result.missing[0][1]


def test_tpot_leaves_out_the_tokens_of_the_first_chunk():
    stream = Stream(0.5, [(0.5, 32), (0.7, 4), (0.9, 4)], [(0.5, 8), (0.7, 9), (0.9, 10)], finished=0.9)
    assert figures(stream)["first_chunk_tokens"] == 8
    assert figures(stream)["tpot_ms"] == pytest.approx(200)


def test_a_run_in_which_the_reader_could_not_keep_up_does_not_count():
    arrivals = [(0.1 + 0.01 * index, 4) for index in range(101)]
    kept_up = figures(Stream(0.1, arrivals, [(1.1, 101)], finished=1.1, busy=0.2))
    too_late = figures(Stream(0.1, arrivals, [(1.1, 101)], finished=1.1, busy=0.9))
    assert is_trusted(kept_up)
    assert not is_trusted(too_late)
    raw = {"subject": "engine:x", "running_before": 0, "runs": [too_late], "failed": [], "cut": False, "warm_up": {}}
    assert values(decode_single_stream.judge(raw)) == {}


def test_a_stream_without_text_has_no_figures():
    found = figures(Stream(0.1, finished=0.2))
    assert (found["ttft_s"], found["tpot_ms"], found["stall_ms"], found["tokens_per_chunk"]) == (None,) * 4
