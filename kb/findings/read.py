"""Small helpers to read facts and to write a finding. Pure."""

from __future__ import annotations

from typing import Literal

from kb.judgement import Finding
from probes.facts import Fact, FactSet


def number(facts: FactSet, name: str) -> float | None:
    """The value of a numeric fact, None where nobody stated it: missing is unknown, never zero."""
    value = facts.value(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def resting_on(facts: FactSet, *names: str) -> tuple[Fact, ...]:
    """The statements of these facts that exist."""
    return tuple(fact for name in names if (fact := facts.best(name)) is not None)


def finding(
    kind: Literal["contradiction", "abnormal", "fine", "not_measured", "note"],
    zh: str,
    en: str,
    facts: FactSet,
    *names: str,
) -> Finding:
    return Finding(kind, zh, en, resting_on(facts, *names))
