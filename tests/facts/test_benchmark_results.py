"""Summaries of benchmarks, as each tool prints them."""

import pytest

from tests.facts.reading import one, read, values

SERVING = """\
Traffic request rate: inf
Burstiness factor: 1.0 (Poisson process)
============ Serving Benchmark Result ============
Successful requests:                     40
Failed requests:                         10
Maximum request concurrency:             12
Benchmark duration (s):                  64.02
Total input tokens:                      20480
Total generated tokens:                  5120
Request throughput (req/s):              0.62
Output token throughput (tok/s):         79.98
Peak output token throughput (tok/s):    144.00
Total Token throughput (tok/s):          399.88
---------------Time to First Token----------------
Mean TTFT (ms):                          911.40
Median TTFT (ms):                        640.00
P99 TTFT (ms):                           3120.77
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          88.10
Median TPOT (ms):                        85.50
P99 TPOT (ms):                           131.08
---------------Inter-token Latency----------------
Median ITL (ms):                         61.25
P99 ITL (ms):                            702.10
==================================================
"""
SGLANG = """\
============ Serving Benchmark Result ============
Backend:                                 sglang
Traffic request rate:                    inf
Max request concurrency:                 4
Successful requests:                     20
Total input tokens:                      6000
Total generated tokens:                  2400
Total generated tokens (retokenized):    2391
Input token throughput (tok/s):          801.20
Output token throughput (tok/s):         320.40
Concurrency:                             3.90
----------------End-to-End Latency----------------
Mean E2E Latency (ms):                   1490.00
Median E2E Latency (ms):                 1502.50
"""
EVALSCOPE = """\
Benchmarking summary:
+-----------------------------------+-----------+
| Key                               |     Value |
+===================================+===========+
| Number of concurrency             |    8      |
+-----------------------------------+-----------+
| Output token throughput (tok/s)   |  210.3    |
| Average latency (s)               |    9.75   |
| Average time to first token (s)   |    0.52   |
| Average time per output token (s) |    0.036  |
| Average input tokens per request  |  611.5    |
| Average output tokens per request |  256      |
+-----------------------------------+-----------+
"""
GENAI_PERF = """\
                              NVIDIA GenAI-Perf | LLM Metrics
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━━━┓
┃                         Statistic ┃      avg ┃    min ┃      p99 ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━━━┩
│          Time to first token (ms) │   310.40 │ 120.11 │ 1,402.88 │
│          Inter token latency (ms) │    24.30 │  20.01 │    40.22 │
│              Request latency (ms) │ 3,402.50 │ 900.00 │ 6,001.10 │
│            Output sequence length │   128.00 │ 100.00 │   150.00 │
│             Input sequence length │   700.00 │ 700.00 │   700.00 │
│ Output token throughput (per sec) │   640.20 │    N/A │      N/A │
└───────────────────────────────────┴──────────┴────────┴──────────┘
"""
APACHE = """\
This is ApacheBench, Version 2.3 <$Revision: 1903618 $>
Concurrency Level:      20
Complete requests:      200
Failed requests:        30
Requests per second:    1.25 [#/sec] (mean)
Time per request:       16000.000 [ms] (mean)
Time per request:       800.000 [ms] (mean, across all concurrent requests)
"""


def test_a_summary_of_the_serving_benchmark_states_load_and_latencies():
    facts = values(SERVING)
    assert facts["load.concurrency"] == 12
    assert facts["load.prompt_tokens"] == 512
    assert facts["load.output_tokens"] == 128
    assert facts["latency.ttft_s"] == 0.64
    assert facts["decode.tpot_ms"] == 85.5
    assert facts["decode.chunk_gap_p50_ms"] == 61.25
    assert facts["decode.chunk_gap_p99_ms"] == 702.1
    assert facts["decode.total_tokens_per_s"] == 79.98
    assert facts["metrics.error_ratio"] == pytest.approx(0.2)


def test_its_throughput_of_all_streams_is_not_the_speed_of_one():
    assert "decode.tokens_per_s" not in values(SERVING)


def test_a_summary_is_no_complaint_about_speed():
    assert "symptom.kind" not in values(SERVING)


def test_of_a_sweep_the_last_summary_counts():
    second = SERVING.replace("concurrency:             12", "concurrency:             32").replace("640.00", "990.00")
    facts = values(SERVING + second)
    assert (facts["load.concurrency"], facts["latency.ttft_s"]) == (32, 0.99)
    assert one(SERVING + second, "load.concurrency").provenance.start > len(SERVING)


def test_a_summary_that_is_cut_off_at_both_ends_states_what_is_left():
    facts = values(SERVING[SERVING.index("Mean TTFT") : SERVING.index("Median TPOT")])
    assert facts["latency.ttft_s"] == 0.64
    assert facts["decode.tpot_ms"] == 88.1
    assert "load.concurrency" not in facts


def test_a_quoted_summary_with_windows_newlines_is_read():
    text = "".join(f"> {line}\r\n" for line in SERVING.splitlines())
    assert values(text)["decode.tpot_ms"] == 85.5


def test_the_words_of_sglang():
    facts = values(SGLANG)
    assert facts["load.concurrency"] == 4
    assert facts["latency.e2e_s"] == 1.5025
    assert facts["decode.total_tokens_per_s"] == 320.4
    assert (facts["load.prompt_tokens"], facts["load.output_tokens"]) == (300, 120)


def test_the_table_of_evalscope_gives_seconds():
    facts = values("用 evalscope 压测：\n" + EVALSCOPE)
    assert facts["load.concurrency"] == 8
    assert facts["latency.ttft_s"] == 0.52
    assert facts["decode.tpot_ms"] == 36
    assert facts["latency.e2e_s"] == 9.75
    assert facts["load.prompt_tokens"] == 611


def test_the_table_of_genai_perf_gives_its_means():
    facts = values(GENAI_PERF)
    assert facts["latency.ttft_s"] == pytest.approx(0.3104)
    assert facts["decode.tpot_ms"] == 24.3
    assert facts["latency.e2e_s"] == 3.4025
    assert facts["decode.total_tokens_per_s"] == 640.2


def test_apache_bench_gives_time_per_request_and_failures():
    facts = values(APACHE)
    assert facts["load.concurrency"] == 20
    assert facts["latency.e2e_s"] == 16
    assert facts["metrics.error_ratio"] == pytest.approx(0.15)


def test_the_offline_benchmark_gives_output_tokens_where_it_tells_them_apart():
    new = "Throughput: 3.10 requests/s, 1587.00 total tokens/s, 396.80 output tokens/s"
    assert values(new)["decode.total_tokens_per_s"] == 396.8
    assert "decode.total_tokens_per_s" not in values("Throughput: 3.10 requests/s, 1587.00 tokens/s")


def test_wrk_and_hey_give_their_mean():
    wrk = """\
Running 30s test @ http://127.0.0.1:8000/v1/completions
  4 threads and 48 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.50s   210.30ms   1.99s    70.00%
    Req/Sec     8.10      2.00    12.00     81.00%
"""
    facts = values(wrk)
    assert (facts["load.concurrency"], facts["latency.e2e_s"]) == (48, 1.5)
    hey = (
        "Summary:\n  Total:\t20.1000 secs\n  Slowest:\t4.0000 secs\n  Fastest:\t0.9000 secs\n  Average:\t2.2500 secs\n"
    )
    assert values(hey)["latency.e2e_s"] == 2.25


MARKDOWN = """\
| model                          |       size |     params | backend    | ngl |          test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | ------------: | -------------------: |
| llama 13B Q5_K - Small         |   8.36 GiB |    13.02 B | CUDA       |  20 |         pp512 |        410.20 ± 3.10 |
| llama 13B Q5_K - Small         |   8.36 GiB |    13.02 B | CUDA       |  20 |         tg128 |          7.90 ± 0.05 |
| llama 13B Q5_K - Small         |   8.36 GiB |    13.02 B | CUDA       |  20 | tg128 @ d4096 |          5.10 ± 0.02 |

build: 0a1b2c3d (4990)
"""
OLD = """\
| model         |     size |  params | backend | threads | test   |         t/s |
| ------------- | -------: | ------: | ------- | ------: | ------ | ----------: |
| phi2 3B Q8_0  | 2.75 GiB |  2.78 B | CPU     |       8 | tg 64  | 9.80 ± 0.10 |
"""
BATCHED = """\
|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |
|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|
|   256 |     64 |    1 |    320 |    0.200 |  1280.00 |    1.600 |    40.00 |    1.800 |   177.78 |
|   256 |     64 |    8 |   2560 |    1.500 |  1365.33 |    2.560 |   200.00 |    4.060 |   630.54 |
"""


def test_the_table_of_llama_bench():
    facts = values(MARKDOWN)
    assert facts["prefill.tokens_per_s"] == 410.2
    assert facts["decode.tokens_per_s"] == 7.9
    assert facts["model.quant"] == "gguf-q5"
    assert facts["model.file_gib"] == 8.36
    assert facts["model.params_b"] == 13.02
    assert facts["engine.gpu_layers"] == 20
    assert (facts["engine.name"], facts["engine.version"]) == ("llama.cpp", "b4990")


def test_an_older_table_of_the_processor():
    facts = values(OLD)
    assert facts["decode.tokens_per_s"] == 9.8
    assert facts["engine.device"] == "cpu"
    assert facts["engine.threads"] == 8


def test_the_batched_table_tells_one_stream_from_many():
    facts = values(BATCHED)
    assert facts["decode.tokens_per_s"] == 40
    assert facts["load.concurrency"] == 8
    assert facts["decode.total_tokens_per_s"] == 200


def test_the_machine_readable_forms_of_llama_bench():
    record = (
        '[{"build_commit": "0a1b2c3d", "build_number": 4990, "model_type": "qwen2 1.5B Q4_0", "model_size": 1073741824, '
        '"n_gpu_layers": 99, "n_prompt": 0, "n_gen": 32, "avg_ts": 88.5, "samples_ts": [88.4, 88.6]}]'
    )
    facts = values(record)
    assert (facts["decode.tokens_per_s"], facts["model.file_gib"], facts["engine.version"]) == (88.5, 1, "b4990")
    table = (
        "build_commit,build_number,model_type,n_gpu_layers,n_prompt,n_gen,test_time,avg_ns,stddev_ns,avg_ts,stddev_ts\n"
    )
    rows = '"0a1b2c3d","4990","qwen2 1.5B Q4_0","0","512","0","2026-01-01T00:00:00Z","1","1","700.5","0.1"\n'
    facts = values(table + rows)
    assert (facts["prefill.tokens_per_s"], facts["engine.gpu_layers"]) == (700.5, 0)


def test_a_table_of_something_else_states_nothing():
    text = "| tool | t/s |\n| --- | --- |\n| mine | 12 |\n"
    assert not any(fact.name.startswith(("decode.", "engine.")) for fact in read(text))
