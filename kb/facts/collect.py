"""Collects the facts that a reader finds in one text. Pure."""

from __future__ import annotations

from typing import Any

import re2

from probes.facts import Fact, Origin, Provenance

GIB_PER_MIB = 1 / 1024
_DURATION = re2.compile(r"([\d.]{1,20})(h|ms|µs|us|ns|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}


class Collector:
    """Facts of one text, by one reader.

    A value that the vocabulary does not allow (an unknown dtype, text where a number is due) is no fact and is left out.
    """

    def __init__(self, text: str, source: str, origin: Origin) -> None:
        self.text, self.source, self.origin = text, source, origin
        self.facts: list[Fact] = []

    def add(self, name: str, value: Any, span: tuple[int, int], **details: Any) -> None:
        """State that `name` is `value` because of the characters `span`; details: subject, low, high, origin."""
        start, end = span
        origin = details.pop("origin", self.origin)
        provenance = Provenance(origin, self.source, start, end, self.text[start:end][:200])
        try:
            self.facts.append(Fact(name, value, provenance, **details))
        except (ValueError, OverflowError):
            return

    def has(self, name: str) -> bool:
        return any(fact.name == name for fact in self.facts)


def number(text: str) -> float | None:
    """A number as tools and people write it: `1,234`, `12.5`, `32k`; None if it is none."""
    text = text.strip().replace(",", "").replace("_", "")
    scale = 1.0
    if text[-1:] in ("k", "K"):
        text, scale = (
            text[:-1],
            1024.0 if text[:-1].isdigit() and int(text[:-1][:9]) in (2, 4, 8, 16, 32, 64, 128, 256) else 1000.0,
        )
    if len(text) > 30:
        return None
    try:
        value = float(text) * scale
    except ValueError:
        return None
    return value if abs(value) < 1e15 else None


def go_seconds(text: str) -> float | None:
    """Seconds of a duration as Go prints it, `1m27.05s`; None if it is none."""
    parts = [(number(amount), unit) for amount, unit in _DURATION.findall(text)]
    return round(sum((amount or 0.0) * _SECONDS[unit] for amount, unit in parts), 3) if parts else None
