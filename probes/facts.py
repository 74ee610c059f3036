"""A fact: one value of the vocabulary, its subject and where it came from. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from probes.vocabulary import fact_type
from probes.vocabulary.declare import Value

Origin = Literal["user", "probe", "metrics", "nvidia_smi", "log", "command", "config", "text", "computed"]

# A stronger origin wins over a weaker one; within one origin the later statement wins.
# What a person corrected by hand stands above everything, a measurement above what was pasted,
# a paste of a tool above prose. Computed facts rest on the others and never replace one of them.
STRENGTH: dict[str, int] = {
    "user": 9, "probe": 8, "metrics": 7, "nvidia_smi": 6, "log": 5, "config": 5, "command": 4, "text": 2, "computed": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a fact came from.

    Attributes:
        origin: the kind of source; decides which of two statements wins.
        source: the part of the submission ("symptom", "command", "log", "nvidia_smi"), or the probe's name.
        start, end: the half-open range of characters in that part, or None for a probe.
        quote: those characters, or the raw reading of a probe, at most 200 characters.
        run: id of the probe run, "" for text.
        at: ISO 8601 time of a measurement, "" for text.
    """

    origin: Origin
    source: str = ""
    start: int | None = None
    end: int | None = None
    quote: str = ""
    run: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement.

    Attributes:
        name: of the vocabulary.
        value: of the declared type; the middle of a range that was stated as a range.
        subject: "" for the whole case, else "gpu:0", "engine:127.0.0.1:8000".
        low, high: the range as stated ("2-3 tok/s"), None where a single value was stated; one of them
            alone for an open range ("under 10" has high only).
    """

    name: str
    value: Value
    provenance: Provenance
    subject: str = ""
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", fact_type(self.name).coerce(self.value))

    def to_json(self) -> dict[str, Any]:
        p = self.provenance
        out: dict[str, Any] = {
            "name": self.name, "value": self.value, "unit": fact_type(self.name).unit,
            "origin": p.origin, "source": p.source,
        }  # fmt: skip
        optional = {
            "subject": self.subject or None, "low": self.low, "high": self.high, "start": p.start, "end": p.end,
            "quote": p.quote or None, "run": p.run or None, "at": p.at or None,
        }  # fmt: skip
        return out | {key: value for key, value in optional.items() if value is not None}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Fact:
        """The fact that `to_json` wrote.

        Raises:
            probes.vocabulary.UnknownFactError: an undeclared name.
            ValueError: a value of another type.
        """
        provenance = Provenance(
            data["origin"], data.get("source", ""), data.get("start"), data.get("end"),
            str(data.get("quote", ""))[:200], data.get("run", ""), data.get("at", ""),
        )  # fmt: skip
        return cls(data["name"], data["value"], provenance, data.get("subject", ""), data.get("low"), data.get("high"))

    def moved(self, **changes: Any) -> Fact:
        """The same statement with a changed provenance."""
        return replace(self, provenance=replace(self.provenance, **changes))


@dataclass(slots=True)
class FactSet:
    """All statements of a case, weaker and stronger, in the order they came."""

    facts: list[Fact] = field(default_factory=list)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def add(self, facts: Iterable[Fact]) -> None:
        self.facts.extend(facts)

    def all(self, name: str) -> list[Fact]:
        """Every statement of `name`, strongest first, the latest first among equals."""
        found = [(STRENGTH[f.provenance.origin], index, f) for index, f in enumerate(self.facts) if f.name == name]
        return [f for _, _, f in sorted(found, key=lambda item: (item[0], item[1]), reverse=True)]

    def best(self, name: str) -> Fact | None:
        """The strongest statement of `name`, or None: not known."""
        found = self.all(name)
        return found[0] if found else None

    def value(self, name: str) -> Value | None:
        best = self.best(name)
        return None if best is None else best.value

    def holding(self, name: str) -> list[Fact]:
        """The statements that count in a rule: all for a `many` fact; else, for each subject, the strongest."""
        found = self.all(name)
        if fact_type(name).many or not found:
            return found
        strongest: dict[str, Fact] = {}
        for f in found:
            strongest.setdefault(f.subject, f)
        return list(strongest.values())
