"""What to measure or ask next: the expected fall of the ranking's entropy, per second of cost. Pure.

For each leading cause whose rules wait for facts that a probe or an answer would bring, two outcomes are weighed: its
evidence shows, or it does not. At most one cause's evidence is taken to show at a time, and what shows is as likely
under the cause as SHOWS and less likely under the others by the rule's likelihood ratio.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb import explain
from kb.condition import Condition, fact_names
from kb.entry_file import EntryFile, Rule
from kb.judgement import Meaning, NextStep, ProbeInfo, RankedCause
from kb.knowledge import Knowledge
from probes.facts import FactSet
from probes.vocabulary import fact_type

LEADING = 8
# A person answers a question in about two minutes.
QUESTION_S = 120.0
# How often the evidence of a cause shows where the cause is true. Half and more: the rules were written for it.
SHOWS = 0.6
# Below a hundredth of a bit a step would not change the advice.
LEAST_GAIN = 0.01
STEPS = 6


@dataclass(frozen=True, slots=True)
class Waiting:
    """A rule of a leading cause that is unknown, and the facts that it waits for."""

    entry: EntryFile
    rule: Rule
    missing: frozenset[str]

    @property
    def weight(self) -> float:
        return explain.likelihood(self.rule.level)


def next_steps(
    causes: Sequence[RankedCause], knowledge: Knowledge, facts: FactSet, probes: Iterable[ProbeInfo] = ()
) -> list[NextStep]:
    """The steps that are worth taking, passive probes first, then by gain per second."""
    leading = [cause for cause in causes[:LEADING] if cause.probability > 0]
    waiting = [w for cause in leading for w in _waiting(cause, knowledge, facts)]
    shares = {cause.slug: cause.probability for cause in leading}
    # What a probe did not see this time it will hardly see the next.
    done = {fact.provenance.source for fact in facts if fact.provenance.origin in ("probe", "metrics")}
    offered = [probe for probe in probes if probe.name not in done]
    steps = [step for probe in offered if (step := _probe_step(probe, waiting, shares))]
    steps += [step for name in _askable(waiting) if (step := _question(name, waiting, shares))]
    passive = {probe.name for probe in offered if probe.mode == "passive"}
    return sorted(steps, key=lambda s: (s.name not in passive, -s.gain / max(s.cost_s, 1.0), s.name))[:STEPS]


def _waiting(cause: RankedCause, knowledge: Knowledge, facts: FactSet) -> list[Waiting]:
    entry = knowledge.by_slug[cause.slug]
    if entry.applies is not None and entry.applies.truth(facts) is False:
        return []
    return [Waiting(entry, rule, _missing(rule.when, facts)) for rule in entry.rules if rule.id in cause.unknown_rules]


def _missing(when: Condition, facts: FactSet) -> frozenset[str]:
    return frozenset(name for name in fact_names(when) if not facts.holding(name))


def _askable(waiting: Iterable[Waiting]) -> list[str]:
    names = dict.fromkeys(name for item in waiting for name in sorted(item.missing))
    return [name for name in names if fact_type(name).ask_en]


def _probe_step(probe: ProbeInfo, waiting: Iterable[Waiting], shares: Mapping[str, float]) -> NextStep | None:
    moved = [item for item in waiting if item.missing & set(probe.yields)]
    gain = expected_gain(shares, _strongest(moved))
    if gain < LEAST_GAIN:
        return None
    return NextStep(
        "probe", probe.name, probe.zh, probe.en, gain, probe.seconds, _slugs(moved), meanings=_meanings(moved)
    )


def _question(name: str, waiting: Iterable[Waiting], shares: Mapping[str, float]) -> NextStep | None:
    moved = [item for item in waiting if name in item.missing]
    gain = expected_gain(shares, _strongest(moved))
    if gain < LEAST_GAIN:
        return None
    declared = fact_type(name)
    zh, en = f"{declared.zh}（{declared.ask_zh}）", f"{declared.en} ({declared.ask_en})"
    return NextStep(
        "question", name, zh, en, gain, QUESTION_S, _slugs(moved), ask=declared.ask_en, meanings=_meanings(moved)
    )


def _slugs(moved: Iterable[Waiting]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.entry.slug for item in moved))


def _meanings(moved: Iterable[Waiting]) -> tuple[Meaning, ...]:
    meanings = []
    for item in moved:
        said, title = explain.condition(item.rule.when), item.entry.title
        times = explain.factor(item.weight)
        zh, en = f"若{said.zh}：{title.zh} {times.zh}", f"if {said.en}: {title.en} {times.en}"
        meanings.append(Meaning(zh, en, item.entry.slug, item.weight))
    return tuple(meanings)


def _strongest(moved: Iterable[Waiting]) -> dict[str, float]:
    """Slug -> the weight of its strongest waiting rule: several rules of one cause mostly say the same."""
    weights: dict[str, float] = {}
    for item in moved:
        weights[item.entry.slug] = max(weights.get(item.entry.slug, 0.0), item.weight, key=abs)
    return weights


def entropy(shares: Iterable[float]) -> float:
    """In bits, of shares that are scaled to sum to 1."""
    positive = [share for share in shares if share > 0]
    total = sum(positive)
    return -sum(share / total * math.log2(share / total) for share in positive)


def expected_gain(shares: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Bits by which the entropy of `shares` (slug -> probability) falls on average when evidence of the given
    weights (slug -> log likelihood ratio) shows or fails to show."""
    if not weights or not shares:
        return 0.0
    before, after, silent, total = entropy(shares.values()), 0.0, dict(shares), sum(shares.values())
    left = total
    for slug, weight in weights.items():
        ratio = math.exp(weight)
        own, others = (SHOWS, SHOWS / ratio) if ratio > 1 else (SHOWS * ratio, SHOWS)
        shows = min(left, shares[slug] * own + (total - shares[slug]) * others)
        left -= shows
        after += shows * entropy(share * (own if name == slug else others) for name, share in shares.items())
        silent[slug] *= (1 - own) / (1 - others)
    return max(0.0, before - (after + left * entropy(silent.values())) / total)
