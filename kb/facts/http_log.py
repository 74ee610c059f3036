"""Requests as servers and proxies log them: nginx (or any with its combined format), uvicorn, and Gin (Ollama). Pure.

    10.0.0.9 - - [02/Dec/2025:10:00:00 +0800] "POST /v1/chat/completions HTTP/1.1" 504 167 ...   -> symptom.kind error
    [GIN] 2025/12/02 - 10:00:00 | 200 |  1m12.5s | 127.0.0.1 | POST "/api/chat"                  -> latency.e2e_s 72.5

Only requests that a model answers count. Whether a few pasted lines are usual nobody can tell, so no share of errors is stated.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, go_seconds
from probes.facts import Fact

KIND = "http_log"
MOST_LINES = 2_000

_PATH = r"(?:/v1/(?:chat/)?completions|/v1/responses|/api/(?:chat|generate)|/generate(?:_stream)?|/completion)"
_ACCESS = re2.compile(rf"(?m)^[^\n\"]{{0,200}}\"POST ({_PATH})[^\"\n]{{0,200}} HTTP/[\d.]{{1,3}}\" (\d{{3}})[^\n]*$")
_GIN = re2.compile(
    rf"(?m)^[^\n]{{0,80}}\[GIN\] [^|\n]{{10,40}}\| {{1,4}}(\d{{3}}) \| {{1,16}}([\d.a-zµ]{{2,20}}) \| {{1,40}}\S{{2,45}} \| POST {{1,8}}\"{_PATH}\"[^\n]*$"
)
_UPSTREAM = re2.compile(
    r"(?m)^[^\n]{0,120}\[(?:error|crit)\] [^\n]{0,60}(?:upstream timed out|upstream prematurely closed connection|no live upstreams|connect\(\) failed)[^\n]*$"
)
# Other programs use Gin as well; only Ollama has these paths.
_OLLAMA = re2.compile(r"\[GIN\] [^\n]{10,160} POST {1,8}\"/api/(?:chat|generate)\"")
_SERVER_ERROR = range(500, 600)


def recognise(text: str) -> float:
    return 0.8 if any(pattern.search(text) for pattern in (_ACCESS, _GIN, _UPSTREAM)) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    patterns = (_ACCESS, _GIN, _UPSTREAM)
    return [m.span() for pattern in patterns for _, m in zip(range(MOST_LINES), pattern.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    took = []
    for _, match in zip(range(MOST_LINES), _GIN.finditer(text), strict=False):
        if int(match.group(1)) in _SERVER_ERROR:
            collector.add("symptom.kind", "error", match.span(1))
        elif match.group(1) == "200" and (seconds := go_seconds(match.group(2))):
            took.append((seconds, match.span(2)))
    for _, match in zip(range(MOST_LINES), _ACCESS.finditer(text), strict=False):
        if int(match.group(2)) in _SERVER_ERROR:
            collector.add("symptom.kind", "error", match.span(2))
    if match := _UPSTREAM.search(text):
        collector.add("symptom.kind", "error", match.span())
    if took:
        middle = sorted(took)[len(took) // 2]
        collector.add("latency.e2e_s", middle[0], middle[1])
    if match := _OLLAMA.search(text):
        collector.add("engine.name", "ollama", match.span())
    return collector.facts
