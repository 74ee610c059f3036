"""Python tracebacks: the exception that came first. Pure.

    Traceback (most recent call last):
      File "/opt/venv/lib/python3.12/site-packages/vllm/worker.py", line 10, in load
    ValueError: the model's max seq len is too large          -> observed.log_line = ValueError: the model's ...

Of chained tracebacks Python prints the cause first, and an engine repeats it for each process; the first line tells what happened.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from probes.facts import Fact

KIND = "python_traceback"
MOST = 200
LONGEST_QUOTE = 200
# Frames of a traceback, with whatever a logger writes before each line.
LONGEST_TRACEBACK = 20_000

_START = re2.compile(r"Traceback \(most recent call last\):")
_LAST = re2.compile(
    r"(?m)^(?:[^\n]{0,120}?[\])] )?[> \t]{0,4}((?:[A-Za-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit|Failure|Timeout)(?:: [^\n]{1,400})?)\r?$"
)
# Errors that only report that something else failed or was stopped; an ordinary shutdown leaves them, too.
_ECHO = re2.compile(
    r"^(?:\w+\.)*(?:EngineDeadError|KeyboardInterrupt|SystemExit|CancelledError|ChildFailedError)|Engine core initialization failed|"
    r"Engine process failed to start|EngineCore encountered an issue"
)


def recognise(text: str) -> float:
    return 0.9 if _START.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    """The last line of each; the frames are claimed as lines of a log."""
    return [match.span() for match in _causes(text)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    own = [match for match in _causes(text) if not _ECHO.search(match.group(1))]
    for match in own[:1]:
        end = min(match.end(1), match.start(1) + LONGEST_QUOTE)
        collector.add("observed.log_line", text[match.start(1) : end].strip(), (match.start(1), end))
    return collector.facts


def _causes(text: str) -> list:
    """The line with the exception below each traceback."""
    found, end = [], 0
    for _, start in zip(range(MOST), _START.finditer(text), strict=False):
        if start.start() < end:
            continue
        match = _LAST.search(text, start.end(), min(len(text), start.end() + LONGEST_TRACEBACK))
        if match:
            found.append(match)
            end = match.end()
    return found
