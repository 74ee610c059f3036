"""What a probe is: a typed, catalogued measurement that yields facts. Pure.

A probe is one file in `probes/catalog/`: a module with a docstring (what it reads, a sample of the raw
text and the facts made of it) and one `PROBE`. It is found by looking in that folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from probes.facts import Fact

Mode = Literal["passive", "active", "disruptive"]
# `fine`: it looked, and nothing is wrong. `no_data`: it could not look, and says why. Never mixed up.
Outcome = Literal["ok", "fine", "no_data", "failed", "timed_out", "refused", "cancelled"]


class Parameters(BaseModel):
    """Parameters of a probe; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Context(Protocol):
    """What a running probe may use of its surroundings."""

    def progress(self, share: float, zh: str, en: str) -> None:
        """Report how far it is (0-1) and what it does. Raises `Cancelled` when the run was cancelled."""

    @property
    def listed(self) -> dict[str, str]:
        """Engines that the operator of this host listed, "host:port" -> base URL, whether they run here or not."""

    def engine_url(self, engine: str) -> str:
        """The base URL of an engine allowed on this host. Raises `Refused` for any other."""


class Cancelled(Exception):
    """The person cancelled the run."""


class Refused(Exception):
    """The host does not allow it; the message says why and what to do, as (zh, en)."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(en)
        self.zh, self.en = zh, en


class NoData(Exception):
    """The probe cannot measure here; the message says why, as (zh, en)."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(en)
        self.zh, self.en = zh, en


@dataclass(frozen=True, slots=True)
class Reading:
    """What a probe measured.

    Attributes:
        facts: in terms of the vocabulary.
        raw: what was read, small enough to be stored (at most 64 KiB as JSON), judged again by `replay`.
        series: curves for the page: name -> list of (seconds since start, value).
        missing: parts that could not be measured, each as (zh, en).
    """

    facts: list[Fact]
    raw: dict[str, Any] = field(default_factory=dict)
    series: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    missing: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Probe:
    """A catalogued measurement.

    Attributes:
        name: `area.what`; the file is `area_what.py`.
        zh, en: title. zh_about, en_about: one sentence on what it does to the machine.
        mode: passive never touches the engine's work; active sends a few requests; disruptive needs the GPU alone.
        seconds: usual duration. limit_s: hard time limit.
        yields: names of the facts it may state.
        parameters: model of its parameters.
        measure: touches the machine and returns a `Reading`.
        judge: raw reading -> facts, pure; used by `measure` and by `replay`.
    """

    name: str
    zh: str
    en: str
    zh_about: str
    en_about: str
    mode: Mode
    seconds: float
    limit_s: float
    yields: tuple[str, ...]
    parameters: type[Parameters]
    measure: Callable[[Any, Context], Reading]
    judge: Callable[[dict[str, Any]], list[Fact]]


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended: an outcome with its reason, what was measured, and how long it took."""

    probe: str
    outcome: Outcome
    reason_zh: str = ""
    reason_en: str = ""
    facts: list[Fact] = field(default_factory=list)
    raw: dict[str, Any] = field(default_factory=dict)
    series: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    missing: list[tuple[str, str]] = field(default_factory=list)
    started_at: str = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "probe": self.probe, "outcome": self.outcome, "reason_zh": self.reason_zh, "reason_en": self.reason_en,
            "facts": [fact.to_json() for fact in self.facts], "raw": self.raw, "series": self.series,
            "missing": self.missing, "started_at": self.started_at, "seconds": self.seconds,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        lists = {
            "facts": [Fact.from_json(fact) for fact in data.get("facts", [])],
            "series": {name: [(x, y) for x, y in points] for name, points in data.get("series", {}).items()},
            "missing": [(zh, en) for zh, en in data.get("missing", [])],
        }
        return cls(**(data | lists))
