"""What the tests of this folder share: facts of a text as a plain mapping."""

from __future__ import annotations

from pathlib import Path

from kb.facts import extract_part
from probes.facts import Fact, FactSet

CAPTURES = Path(__file__).parents[1] / "captures" / "facts"


def read(text: str, source: str = "symptom") -> FactSet:
    return FactSet(extract_part(text, source))


def values(text: str, source: str = "symptom") -> dict[str, object]:
    """The winning value of each fact that the text states."""
    facts = read(text, source)
    return {fact.name: facts.value(fact.name) for fact in facts}


def stated(text: str, name: str) -> list[object]:
    return [fact.value for fact in read(text) if fact.name == name]


def one(text: str, name: str) -> Fact:
    fact = read(text).best(name)
    assert fact is not None, f"{name} was not stated by {text!r}"
    return fact
