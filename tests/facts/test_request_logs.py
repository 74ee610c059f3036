"""Requests in logs, and the table of guidellm."""

import pytest

from tests.facts.reading import values

GUIDELLM = """\
Benchmarks Stats:
===========================================================================================================
Metadata     | Request Stats         || Out Tok/sec| Tot Tok/sec| Req Latency (ms)||| TTFT (ms)          ||| ITL (ms)        ||| TPOT (ms)       ||
    Benchmark| Per Second| Concurrency|        mean|        mean| mean| median|  p99|  mean| median|    p99| mean| median|  p99| mean| median|  p99
-------------|-----------|------------|------------|------------|-----|-------|-----|------|-------|-------|-----|-------|-----|-----|-------|-----
  synchronous|       0.20|        1.00|        40.0|       200.0| 5.00|   5.02| 5.10|  60.0|   58.0|   63.0| 20.1|   20.0| 21.0| 20.0|   19.9| 21.0
   throughput|       2.00|       23.60|       500.0|      2500.0| 9.00|   8.80| 9.90| 700.0|  640.0| 1400.0| 33.0|   32.0| 41.0| 33.0|   31.5| 40.0
"""


def test_the_busiest_row_states_the_load_and_the_synchronous_one_a_stream():
    facts = values(GUIDELLM)
    assert facts["load.concurrency"] == 24
    assert facts["decode.total_tokens_per_s"] == 500
    assert facts["latency.e2e_s"] == 8.8
    assert facts["latency.ttft_s"] == pytest.approx(0.64)
    assert facts["decode.tpot_ms"] == 31.5
    assert facts["decode.chunk_gap_p99_ms"] == 41
    assert facts["decode.tokens_per_s"] == 50


def test_a_row_that_is_cut_off_is_left_out():
    facts = values(GUIDELLM[: GUIDELLM.rindex("1400.0")])
    assert facts["load.concurrency"] == 1


def test_a_gateway_timeout_is_an_error():
    line = '10.0.0.9 - - [02/Dec/2025:10:00:00 +0800] "POST /v1/chat/completions HTTP/1.1" {} 167 "-" "python-requests/2.31"\n'
    assert values(line.format(504), "log")["symptom.kind"] == "error"
    assert "symptom.kind" not in values(line.format(200), "log")


def test_uvicorn_says_that_a_request_failed():
    text = 'INFO:     10.0.0.4:51022 - "POST /v1/completions HTTP/1.1" 500 Internal Server Error\n'
    assert values(text, "log")["symptom.kind"] == "error"


def test_a_failed_look_at_a_page_is_none_of_ours():
    text = 'INFO:     10.0.0.4:51022 - "GET /favicon.ico HTTP/1.1" 500 Internal Server Error\n'
    assert "symptom.kind" not in values(text, "log")


def test_the_proxy_gives_up_on_the_engine():
    text = (
        "2025/12/02 10:00:09 [error] 31#31: *7 upstream timed out (110: Connection timed out) while reading response header from "
        'upstream, client: 10.0.0.9, request: "POST /v1/chat/completions HTTP/1.1"\n'
    )
    assert values(text, "log")["symptom.kind"] == "error"


def test_the_time_of_requests_to_ollama_is_their_median():
    line = '[GIN] 2025/12/02 - 10:00:0{} | 200 | {:>12} |       127.0.0.1 | POST     "/api/chat"\n'
    text = "".join(line.format(number, took) for number, took in enumerate(("850.2ms", "1m12.5s", "2m0.1s")))
    facts = values(text, "log")
    assert facts["latency.e2e_s"] == 72.5
    assert facts["engine.name"] == "ollama"


def test_another_program_with_the_same_log_is_not_taken_for_ollama():
    line = '[GIN] 2025/12/02 - 10:00:00 | 200 |         2.5s |       127.0.0.1 | POST     "/v1/chat/completions"\n'
    assert "engine.name" not in values(line, "log")
    assert values(line, "log")["latency.e2e_s"] == 2.5
