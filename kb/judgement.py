"""The words of an answer: what goes in, and each part of what comes out. Pure, types only.

`kb.assessment` builds an `Assessment` and re-exports all of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from kb.entry_file import EntryFile, Fix
from kb.explain import LIKELY
from probes.facts import Fact, FactSet


def encodable(text: str) -> str:
    """The text with a mark for each half of a character, which JSON can hold and nothing else can."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class Submission:
    """What a person pasted, by part; `text` is the one box of the page or the symptom of a JSON case."""

    text: str = ""
    command: str = ""
    log: str = ""
    nvidia_smi: str = ""

    def parts(self) -> dict[str, str]:
        """Name of the part -> text, as provenance names them."""
        return {"symptom": self.text, "command": self.command, "log": self.log, "nvidia_smi": self.nvidia_smi}


@dataclass(frozen=True, slots=True)
class Contribution:
    """One term of a cause's score.

    Attributes:
        kind: prior, text (how the words fit), signature, rule, reach (how large an effect it can have), exclusion.
        weight: natural log-odds after grouping and tempering; the score is the plain sum of these.
        nominal: before grouping ("x10" = ln 10), None where there is no likelihood ratio.
        zh, en: the sentence that the page shows.
        facts: the statements it rests on. rule, source: ids within the entry, "" if none.
    """

    kind: Literal["prior", "text", "signature", "rule", "reach", "exclusion"]
    weight: float
    zh: str
    en: str
    nominal: float | None = None
    group: str = ""
    facts: tuple[Fact, ...] = ()
    rule: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class RankedCause:
    slug: str
    probability: float
    score: float
    contributions: tuple[Contribution, ...]
    unknown_rules: tuple[str, ...] = ()  # ids of rules whose facts are not known yet


@dataclass(frozen=True, slots=True)
class RankedFix:
    """A fix, with the causes it answers; `value` is expected gain per minute, see METHOD section 9."""

    slug: str
    fix: Fix
    probability: float
    value: float
    entry: EntryFile

    def to_json(self) -> dict[str, Any]:
        fix = self.fix
        return {
            "slug": self.slug, "id": fix.id, "title": fix.title.model_dump(), "steps": fix.steps.model_dump(),
            "commands": [command.model_dump() for command in fix.commands], "probability": self.probability,
            "value": self.value, "minutes": fix.minutes, "downtime": fix.downtime, "risk": fix.risk,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProbeInfo:
    """What the ranking must know of a probe, handed in by whoever has the catalogue."""

    name: str
    zh: str
    en: str
    yields: tuple[str, ...]
    seconds: float
    mode: Literal["passive", "active", "disruptive"] = "passive"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one outcome of a probe or answer to a question would mean."""

    zh: str
    en: str
    slug: str  # the cause that it moves
    weight: float  # natural log-odds; negative speaks against


@dataclass(frozen=True, slots=True)
class NextStep:
    """What would move the ranking most per second: a probe to run or a question to the person."""

    kind: Literal["probe", "question"]
    name: str  # probe name, or fact name
    zh: str
    en: str
    gain: float  # expected fall of entropy, in bits
    cost_s: float
    separates: tuple[str, ...] = ()  # slugs of the leading causes that it tells apart
    ask: str = ""  # command to copy, for a question
    meanings: tuple[Meaning, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "name": self.name, "zh": self.zh, "en": self.en, "gain_bits": self.gain,
            "cost_s": self.cost_s, "separates": list(self.separates), "ask": self.ask,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was seen and matters by itself: a contradiction, a measured abnormality, a missing measurement."""

    kind: Literal["contradiction", "abnormal", "fine", "not_measured", "note"]
    zh: str
    en: str
    facts: tuple[Fact, ...] = ()

    def to_json(self) -> dict[str, Any]:
        facts = [fact.to_json() for fact in self.facts]
        return {"kind": self.kind, "zh": self.zh, "en": self.en, "facts": facts}


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything that is known about a case.

    Attributes:
        normal: `kb.normal.Normal`, or None where nothing about speed or memory was said.
        verdict: healthy only when something was measured and everything measured is fine.
        causes: all causes, best first; with `none` their probabilities sum to 1.
        none: probability of "none of these".
        confidence: how to speak of the probabilities.
    """

    facts: FactSet
    normal: Any
    findings: list[Finding]
    verdict: Literal["problem", "healthy", "no_data", "suspected"]
    causes: list[RankedCause]
    none: float
    fixes: list[RankedFix]
    next_steps: list[NextStep]
    confidence: Literal["calibrated", "uncalibrated"] = "uncalibrated"
    notes: list[Finding] = field(default_factory=list)

    @property
    def suspects(self) -> list[RankedCause]:
        """The causes worth naming, best first.

        Where all that was measured is fine: none, unless somebody asked and one of them is the likely answer.
        """
        if self.verdict != "healthy":
            return self.causes
        return [cause for cause in self.causes if self.confidence == "calibrated" and cause.probability >= LIKELY]

    def to_json(self, id: str = "") -> dict[str, Any]:
        """The contract of the API and of `infermary diagnose --json`: causes and fixes all, best first."""
        return {
            "id": id,
            "facts": [fact.to_json() for fact in self.facts],
            "causes": [{"slug": cause.slug, "probability": cause.probability} for cause in self.causes],
            "none": self.none,
            "fixes": [fix.to_json() for fix in self.fixes],
            "normal": None if self.normal is None else self.normal.to_json(),
            "verdict": self.verdict,
            "findings": [finding.to_json() for finding in self.findings],
            "next_steps": [step.to_json() for step in self.next_steps],
        }
