"""Lines of the signature catalogue that state facts. Pure.

WARNING ... [cuda.py:512] Using 'pin_memory=False' as WSL is detected ...

host.virtualisation = wsl2
"""

from __future__ import annotations

from functools import cache

from kb.facts.collect import Collector
from kb.signatures.catalogue import Line, shipped
from kb.signatures.scan import Scan
from probes.facts import Fact

KIND = "signature_line"


@cache
def _telling() -> tuple[tuple[Line, ...], Scan]:
    lines = tuple(line for line in shipped() if line.facts)
    return lines, Scan(line.pattern for line in lines)


def recognise(text: str) -> float:
    return 0.5 if next(_telling()[1].find(text), None) else 0.0


def claimed(_text: str) -> list[tuple[int, int]]:
    """None: whether a line is a log or quoted in a sentence, the other readers decide."""
    return []


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    lines, scan = _telling()
    for found in scan.find(text):
        for name, value in lines[found.index].facts.items():
            collector.add(name, value, (found.start, found.end))
    return collector.facts
