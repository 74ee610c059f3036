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
    r"(?m)^(?:[^\n]*?[\])] )?[> \t]*((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure|Timeout)(?:: [^\n]+)?)\r?$"
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
    return _causes(text)


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    own = (span for span in _causes(text) if not _ECHO.search(text[slice(*span)]))
    for start, end in list(own)[:1]:
        end = min(end, start + LONGEST_QUOTE)
        collector.add("observed.log_line", text[start:end].strip(), (start, end))
    return collector.facts


def _causes(text: str) -> list[tuple[int, int]]:
    """Where the exception stands below each traceback."""
    found = []
    starts = [match.end() for _, match in zip(range(MOST), _START.finditer(text), strict=False)]
    for start, after in zip(starts, [*starts[1:], len(text)], strict=False):
        # A slice: re2 encodes the whole of the text that it is given, at every search.
        match = _LAST.search(text[start : min(after, start + LONGEST_TRACEBACK)])
        if match:
            found.append((start + match.start(1), start + match.end(1)))
    return found
