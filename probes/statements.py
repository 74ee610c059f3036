"""Collects the facts of one probe, each with its provenance. Pure."""

from __future__ import annotations

from typing import Any

from probes.facts import Fact, Provenance


class Statements:
    """Facts stated by `probe`; a value of None states nothing, so that missing stays unknown."""

    def __init__(self, probe: str, subject: str = "") -> None:
        self.probe = probe
        self.subject = subject
        self.facts: list[Fact] = []

    def state(self, name: str, value: Any, subject: str | None = None, quote: str = "") -> None:
        """Add `name = value` unless the value is None; `quote` is the raw reading behind it."""
        if value is None:
            return
        provenance = Provenance("probe", self.probe, quote=quote[:200])
        self.facts.append(Fact(name, value, provenance, self.subject if subject is None else subject))


def rounded(value: float | None, digits: int = 3) -> float | None:
    """`value` with that many decimals, None stays None."""
    return None if value is None else round(value, digits)


def mean(values: list[float]) -> float | None:
    """The mean, None of nothing."""
    return sum(values) / len(values) if values else None
