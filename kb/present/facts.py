"""Facts as a person reads them: chips by area, and marks in the text that they came from. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kb import explain
from kb.explain import number
from kb.present.words import word
from probes.facts import Fact, FactSet
from probes.vocabulary import FactType, fact_type, fact_types

# Area (the part of a fact's name before the first dot) -> title of its group of chips, in the order shown.
AREAS: dict[str, tuple[str, str]] = {
    "symptom": ("症状", "Symptom"), "observed": ("现象", "Behaviour"), "tried": ("已尝试", "Already tried"),
    "decode": ("速度", "Speed"), "prefill": ("速度", "Speed"), "latency": ("速度", "Speed"), "load": ("负载", "Load"),
    "gpu": ("GPU", "GPU"), "model": ("模型", "Model"), "engine": ("引擎", "Engine"), "log": ("日志", "Log"),
    "metrics": ("指标", "Metrics"), "host": ("主机", "Host"), "fit": ("推算", "Computed"), "normal": ("推算", "Computed"),
}  # fmt: skip
ORIGINS: dict[str, tuple[str, str]] = {
    "user": ("手工更正", "corrected by hand"), "probe": ("探针实测", "measured by a probe"),
    "metrics": ("粘贴的指标", "pasted metrics"), "nvidia_smi": ("粘贴的 nvidia-smi", "pasted nvidia-smi"),
    "log": ("粘贴的日志", "pasted log"), "command": ("粘贴的命令", "pasted command"),
    "config": ("粘贴的配置", "pasted configuration"), "text": ("文字描述", "the description"),
    "computed": ("由其他事实推算", "computed from other facts"),
}  # fmt: skip


# Facts whose values are words of ours and not an engine's own.
CHOICE_WORDS = {"normal.state": "speed", "symptom.kind": "symptom"}


def _stated(fact: Fact, unit: str) -> str:
    if fact.low is not None and fact.high is not None:
        text = f"{number(fact.low)}–{number(fact.high)}"
    else:
        text = f"< {number(fact.high)}" if fact.high is not None else f"> {number(fact.low or 0)}"
    return f"{text} {unit}".strip()


def quantity(fact: Fact, language: str) -> str:
    """Value and unit as stated: "2–3 tok/s", "< 10 tok/s", "yes", "gptq-int4"."""
    declared = fact_type(fact.name)
    if isinstance(fact.value, bool):
        yes, no = ("是", "否") if language == "zh" else ("yes", "no")
        return yes if fact.value else no
    if group := CHOICE_WORDS.get(fact.name):
        return getattr(word(group, fact.value), language)
    if fact.low is not None or fact.high is not None:
        return _stated(fact, declared.unit)
    return explain.quantity(declared, fact.value)


@dataclass(frozen=True, slots=True)
class Chip:
    """One fact that holds, with the weaker statements that it replaced.

    Attributes:
        anchor: id of the chip on the page, the target of the marks in the text.
        origin: how its source is called, as (zh, en) in `Both` manner.
    """

    fact: Fact
    declared: FactType
    anchor: str
    origin: dict[str, str]
    replaced: tuple[Fact, ...] = ()

    @property
    def measured(self) -> bool:
        return self.fact.provenance.origin in ("probe", "metrics")

    @property
    def corrected(self) -> bool:
        return self.fact.provenance.origin == "user"

    @property
    def correctable(self) -> bool:
        return self.fact.provenance.origin != "computed"


@dataclass(frozen=True, slots=True)
class Area:
    zh: str
    en: str
    chips: tuple[Chip, ...]


def origin(fact: Fact) -> dict[str, str]:
    """How the source of a fact is called."""
    zh, en = ORIGINS[fact.provenance.origin]
    return {"zh": zh, "en": en}


def anchor(fact: Fact) -> str:
    """Id of a fact's chip: the name, the subject and, where several values hold at once, the value."""
    value = str(fact.value) if fact_type(fact.name).many else ""
    parts = [part for part in (fact.name, fact.subject, value) if part]
    return "fact-" + "".join(char if char.isalnum() and char.isascii() else "-" for char in "-".join(parts))


def _chips(name: str, facts: FactSet) -> list[Chip]:
    holding = facts.holding(name)
    stated = {(fact.subject, str(fact.value) if fact_type(name).many else ""): fact for fact in reversed(holding)}
    chips = []
    for (subject, _), fact in stated.items():
        weaker = [] if fact_type(name).many else [f for f in facts.all(name) if f.subject == subject and f is not fact]
        chips.append(Chip(fact, fact_type(name), anchor(fact), origin(fact), tuple(weaker)))
    return chips


def areas(facts: FactSet) -> list[Area]:
    """The facts of a case as chips, by area, in the order of the vocabulary."""
    present = {fact.name for fact in facts}
    by_title: dict[tuple[str, str], list[Chip]] = {title: [] for title in AREAS.values()}
    for name in fact_types():
        if name in present:
            title = AREAS.get(name.partition(".")[0], ("其他", "Other"))
            by_title.setdefault(title, []).extend(_chips(name, facts))
    return [Area(zh, en, tuple(chips)) for (zh, en), chips in by_title.items() if chips]


@dataclass(frozen=True, slots=True)
class Question:
    """How a person finds a fact out: what to do in words, and a command to copy; either may be empty."""

    words: str
    command: str


def question(declared: FactType, language: str) -> Question:
    """The declared way to ask. The command is what both languages share after the words, if they share anything."""
    zh, _, zh_command = declared.ask_zh.rpartition("：")
    en, _, en_command = declared.ask_en.rpartition(": ")
    if zh_command.strip() == en_command.strip():
        return Question(zh if language == "zh" else en, en_command.strip())
    return Question(declared.ask_zh if language == "zh" else declared.ask_en, "")


# What one wants to see at a glance; the rest stands among the chips.
KEY = ("gpu.count", "gpu.name", "engine.name", "engine.version", "model.name", "model.params_b", "model.quant",
       "decode.tokens_per_s", "load.concurrency", "symptom.kind")  # fmt: skip


def key_facts(facts: FactSet) -> list[Fact]:
    """The facts that tell one case from another, at most one of a name."""
    return [fact for name in KEY if (fact := facts.best(name))]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a pasted text and the facts that were read from it; none for the text between."""

    text: str
    facts: tuple[Fact, ...] = ()

    @property
    def anchor(self) -> str:
        return anchor(self.facts[0])


def marked(text: str, facts: list[Fact], source: str) -> list[Piece]:
    """The text cut where facts begin and end; joined again, the pieces are the text.

    Overlapping ranges share one piece, so that no mark stands inside another.
    """
    ranges = sorted(
        (fact.provenance.start, fact.provenance.end, index)
        for index, fact in enumerate(facts)
        if fact.provenance.source == source
        and fact.provenance.start is not None
        and fact.provenance.end is not None
        and 0 <= fact.provenance.start < fact.provenance.end <= len(text)
    )
    pieces: list[Piece] = []
    at = 0
    while ranges:
        start, end, index = ranges.pop(0)
        together = [facts[index]]
        while ranges and ranges[0][0] < end:
            _, further, other = ranges.pop(0)
            end = max(end, further)
            together.append(facts[other])
        if start > at:
            pieces.append(Piece(text[at:start]))
        pieces.append(Piece(text[start:end], tuple(together)))
        at = end
    if at < len(text):
        pieces.append(Piece(text[at:]))
    return pieces
