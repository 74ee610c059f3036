"""The table of statistics that guidellm prints, one row a rate. Pure.

        Benchmark| Per Second| Concurrency|        mean|        mean| mean| median|  p99|  mean| median|    p99| mean| median|  p99| ...
      synchronous|       0.20|        1.00|        40.0|       200.0| 5.00|   5.00| 5.10|  60.0|   59.0|   63.0| 20.0|   20.0| 21.0| ...

The busiest row states load and latencies; the synchronous one, a request at a time, the speed of one stream.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from probes.facts import Fact

KIND = "guidellm_table"
MOST_ROWS = 200

_HEAD = re2.compile(r"(?m)^[ \t>]{0,40}Benchmark\| {0,6}Per Second\| {0,6}Concurrency\|[^\n]{20,300}$")
_GROUPS = re2.compile(r"(?m)^[^\n]{0,40}Metadata {1,20}\| ?Request Stats[^\n]{20,300}$")
_ROW = re2.compile(
    r"(?m)^[ \t>]{0,40}(synchronous|throughput|concurrent@[\d.]{1,8}|(?:constant|poisson)@[\d.]{1,10})\|([ \d.|]{40,300})\r?$"
)
# Cells after the name: requests and streams at once, mean output and total rate, then mean, median and p99 of the request
# (s), of the first token, of the gap between tokens and of the time per token (ms).
_CELLS = (
    (1, "load.concurrency", 1), (2, "decode.total_tokens_per_s", 1), (5, "latency.e2e_s", 1), (8, "latency.ttft_s", 1e-3),
    (11, "decode.chunk_gap_p50_ms", 1), (12, "decode.chunk_gap_p99_ms", 1), (14, "decode.tpot_ms", 1),
)  # fmt: skip
_GAP_MEDIAN = 11
_WIDTH = 16


def recognise(text: str) -> float:
    return 0.95 if _HEAD.search(text) and _ROW.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    patterns = (_HEAD, _GROUPS, _ROW)
    return [m.span() for pattern in patterns for _, m in zip(range(MOST_ROWS), pattern.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    rows = []
    for _, match in zip(range(MOST_ROWS), _ROW.finditer(text), strict=False):
        cells = [number(cell) for cell in match.group(2).split("|")]
        if len(cells) == _WIDTH and None not in cells:
            rows.append((match.group(1), cells, match.span()))
    if not rows:
        return []
    _, cells, span = max(rows, key=lambda row: row[1][1])
    for index, fact, factor in _CELLS:
        value = round(cells[index]) if fact == "load.concurrency" else cells[index] * factor
        collector.add(fact, value, span)
    for name, cells, span in rows:
        if name == "synchronous" and cells[_GAP_MEDIAN]:
            collector.add("decode.tokens_per_s", round(1000 / cells[_GAP_MEDIAN], 2), span)
    return collector.facts
