"""Signatures of all entries and the catalogue over a log of 100 MB."""

import random
from pathlib import Path

import pytest

from kb.knowledge import shipped
from kb.signatures.catalogue import shipped as catalogue

SIZE = 100_000_000
CAPTURES = Path(__file__).parents[1] / "captures"


def log(troubled: float) -> str:
    """A log of real lines, of which the given share are examples of the catalogue."""
    draw = random.Random(1)
    quiet = [line for path in sorted(CAPTURES.rglob("*.log")) for line in path.read_text("utf-8").splitlines()]
    loud = [line.example for line in catalogue()]
    lines, size = [], 0
    while size < SIZE:
        lines.append(draw.choice(loud if draw.random() < troubled else quiet))
        size += len(lines[-1]) + 1
    return "\n".join(lines)


@pytest.mark.parametrize("troubled", [0.0, 0.02], ids=["healthy", "troubled"])
def test_scan_of_100_mb(benchmark, troubled: float):
    text = log(troubled)
    scanner = shipped().signatures
    hits = benchmark.pedantic(scanner.scan, ({"log": text},), rounds=3, iterations=1)
    assert bool(troubled) <= bool(hits)
