"""Summaries that benchmarks of servers print: one label and one figure a line. Pure.

    Maximum request concurrency:             16          -> load.concurrency 16
    Mean TTFT (ms):                          41.20       -> latency.ttft_s 0.0412
    | Average time per output token (s) |     0.0120 |   -> decode.tpot_ms 12

`vllm bench serve` and the older benchmark_serving.py, sglang.bench_serving, `vllm bench latency` and `throughput`,
genai-perf and aiperf (the column of means), evalscope perf, ApacheBench, hey and wrk. Medians count before means where both stand.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, go_seconds, number
from probes.facts import Fact

KIND = "benchmark_results"
MOST_LINES = 2_000
# From here on a summary is a new one: the facts of the last summary of a sweep would mix with those of the first.
_START = re2.compile(r"Serving Benchmark Result|Benchmarking summary|LLM Metrics|This is ApacheBench|^Summary:")

# (label as printed, lower case; fact; factor to the unit of the fact). The first label that is present states the fact.
LABELS: tuple[tuple[str, str, float], ...] = (
    ("maximum request concurrency", "load.concurrency", 1), ("max request concurrency", "load.concurrency", 1),
    ("number of concurrency", "load.concurrency", 1), ("concurrency level", "load.concurrency", 1),
    ("median ttft (ms)", "latency.ttft_s", 1e-3), ("mean ttft (ms)", "latency.ttft_s", 1e-3),
    ("time to first token (ms)", "latency.ttft_s", 1e-3), ("average time to first token (s)", "latency.ttft_s", 1),
    ("median tpot (ms)", "decode.tpot_ms", 1), ("mean tpot (ms)", "decode.tpot_ms", 1),
    ("inter token latency (ms)", "decode.tpot_ms", 1), ("average time per output token (s)", "decode.tpot_ms", 1e3),
    ("median itl (ms)", "decode.chunk_gap_p50_ms", 1), ("p99 itl (ms)", "decode.chunk_gap_p99_ms", 1),
    ("output token throughput (tok/s)", "decode.total_tokens_per_s", 1),
    ("output token throughput (per sec)", "decode.total_tokens_per_s", 1),
    ("output token throughput (tokens/sec)", "decode.total_tokens_per_s", 1),
    ("median e2el (ms)", "latency.e2e_s", 1e-3), ("mean e2el (ms)", "latency.e2e_s", 1e-3),
    ("median e2e latency (ms)", "latency.e2e_s", 1e-3), ("mean e2e latency (ms)", "latency.e2e_s", 1e-3),
    ("request latency (ms)", "latency.e2e_s", 1e-3), ("average latency (s)", "latency.e2e_s", 1),
    ("avg latency", "latency.e2e_s", 1),
    ("input sequence length", "load.prompt_tokens", 1), ("input sequence length (tokens)", "load.prompt_tokens", 1),
    ("average input tokens per request", "load.prompt_tokens", 1),
    ("output sequence length", "load.output_tokens", 1), ("output sequence length (tokens)", "load.output_tokens", 1),
    ("average output tokens per request", "load.output_tokens", 1),
)  # fmt: skip
_SUCCESSFUL = ("successful requests", "succeed requests", "complete requests")
_TOTALS = (("total input tokens", "load.prompt_tokens"), ("total generated tokens", "load.output_tokens"))
_KNOWN = {label for label, _, _ in LABELS} | {*_SUCCESSFUL, *(label for label, _ in _TOTALS), "failed requests"}

_LINE = re2.compile(
    r"(?m)^[ \t>]{0,12}[|│┃]?[ \t]{0,40}([A-Za-z][A-Za-z0-9 \-]{2,48}(?: \([A-Za-z0-9/ .#]{1,24}\))?)[ \t]{0,40}[:|│┃][ \t]{0,60}"
    r"([\d,]{1,18}(?:\.\d{1,12})?)(?:[ \t|│┃].*)?\r?$"
)
_BORDER = re2.compile(r"(?m)^(?:=|-){3,40} ?[A-Z][\w .()/-]{3,60}?(?:=|-){3,40}\r?$|^[=]{30,80}\r?$")
# Lines of a summary that state no fact, and are no prose either.
_OTHER = re2.compile(
    r"(?m)^[ \t>]{0,12}[|│┃]?[ \t]{0,40}(?:Peak|Total|Request|Input|Output|Mean|Median|Std|P\d{2}|Max|Traffic|Burstiness|Benchmark|Backend|Average|"
    r"Percentiles?|Concurrency|Time taken|Requests/sec)\b[^\n:|│┃]{0,60}[:|│┃][ \t]{0,60}(?:[\d.,]{1,20}|inf|None|[a-z-]{2,20})(?:[ \t|│┃%\[][^\n]*)?\r?$"
)
_THROUGHPUT = re2.compile(
    r"Throughput: [\d.]{1,16} requests/s, ([\d.]{1,16}) (?:total )?tokens/s(?:, ([\d.]{1,16}) output tokens/s)?"
)
_PER_REQUEST = re2.compile(r"Time per request:[ \t]{1,20}([\d.]{1,16}) \[ms\] \(mean\)")
# wrk prints its connections, and its mean latency in the first column of a table; hey has a summary of its own.
_CONNECTIONS = re2.compile(r"(?m)^ {0,4}\d{1,4} threads and (\d{1,6}) connections\r?$")
_WRK_LATENCY = re2.compile(r"(?m)^ {1,8}Latency {1,12}([\d.]{1,12}(?:us|ms|s|m)) {1,12}[\d.]{1,12}(?:us|ms|s|m) ")
_HEY = re2.compile(
    r"(?m)^Summary:\r?\n(?:[ \t]+(?:Total|Slowest|Fastest):[^\n]{1,60}\n){1,3}[ \t]+Average:[ \t]+([\d.]{1,16}) secs"
)


def recognise(text: str) -> float:
    tools = (_THROUGHPUT, _CONNECTIONS, _HEY)
    return 0.9 if _labelled(text, 1) or any(pattern.search(text) for pattern in tools) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    spans = [match.span() for _, match in _labelled(text, MOST_LINES)]
    for pattern in (_BORDER, _OTHER, _THROUGHPUT, _PER_REQUEST, _CONNECTIONS, _WRK_LATENCY, _HEY):
        spans += [match.span() for _, match in zip(range(MOST_LINES), pattern.finditer(text), strict=False)]
    return spans


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    lines = _labelled(_last_summary(text), MOST_LINES)
    shift = len(text) - len(_last_summary(text))
    found = {label: (number(match.group(2)), _moved(match.span(), shift)) for label, match in lines}
    for label, fact, factor in LABELS:
        value, span = found.get(label, (None, (0, 0)))
        if value is not None and not collector.has(fact):
            collector.add(fact, round(value * factor, 6), span)
    _add_per_request(collector, found)
    _add_offline(collector)
    return collector.facts


def _last_summary(text: str) -> str:
    starts = [match.start() for _, match in zip(range(MOST_LINES), _START.finditer(text), strict=False)]
    return text[starts[-1] :] if len(starts) > 1 else text


def _moved(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by


def _labelled(text: str, most: int) -> list[tuple[str, object]]:
    """Up to `most` lines whose label is one of ours, with the label."""
    found = []
    for match in _LINE.finditer(text):
        label = " ".join(match.group(1).lower().split())
        if label in _KNOWN:
            found.append((label, match))
            if len(found) >= most:
                break
    return found


def _add_per_request(collector: Collector, found: dict[str, tuple[float | None, tuple[int, int]]]) -> None:
    """Mean lengths out of totals, and the share of requests that failed."""
    done = next((found[label][0] for label in _SUCCESSFUL if found.get(label, (None,))[0]), None)
    for label, fact in _TOTALS:
        if done and label in found and not collector.has(fact):
            total, span = found[label]
            collector.add(fact, round((total or 0.0) / done), span)
    failed, span = found.get("failed requests", (None, (0, 0)))
    if failed and done is not None:
        # ApacheBench counts failed requests among the complete ones.
        total = done if "complete requests" in found else done + failed
        collector.add("metrics.error_ratio", min(failed / total, 1.0), span)


def _add_offline(collector: Collector) -> None:
    """`vllm bench throughput`, where only the newer line tells output tokens apart, and the means of wrk, hey and ApacheBench."""
    if (match := _THROUGHPUT.search(collector.text)) and match.group(2):
        collector.add("decode.total_tokens_per_s", number(match.group(2)), match.span())
    if match := _CONNECTIONS.search(collector.text):
        collector.add("load.concurrency", number(match.group(1)), match.span())
        if latency := _WRK_LATENCY.search(collector.text):
            collector.add("latency.e2e_s", go_seconds(latency.group(1)), latency.span())
    if match := _HEY.search(collector.text):
        collector.add("latency.e2e_s", number(match.group(1)), match.span())
    if match := _PER_REQUEST.search(collector.text):
        collector.add("latency.e2e_s", (number(match.group(1)) or 0.0) / 1000, match.span())
