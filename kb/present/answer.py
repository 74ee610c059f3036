"""The ranking as the case page shows it: every number with the sum that made it, and what moved it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kb import explain
from kb.condition import fact_names
from kb.entry_file import Both, Command, EntryFile, Rule
from kb.fixes import commands_here
from kb.judgement import Assessment, Contribution, RankedCause, RankedFix
from kb.knowledge import Knowledge
from kb.present.words import Word, likelihood, word
from probes.facts import FactSet
from probes.vocabulary import FactType, fact_type

SHOWN, AT_LEAST = 5, 3
FIXES_SHOWN, AT_LEAST = 5, 3
# Beyond these a cause or fix is listed nowhere: a share below this would not change what anybody does.
LEAST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Term:
    """One row of the sum, with its factor as people read it."""

    contribution: Contribution
    factor: Both


@dataclass(frozen=True, slots=True)
class Unknown:
    """A rule that cannot be judged yet, as a sentence, and the facts that it waits for."""

    rule: Rule
    condition: Both
    factor: Both
    missing: tuple[FactType, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """A ranked cause.

    Attributes:
        was: its share in the ranking before, None where that is the same or there was none.
        foremost: the leading one, and not less likely than "none of these": shown unfolded.
    """

    ranked: RankedCause
    entry: EntryFile
    word: Word
    terms: tuple[Term, ...]
    unknown: tuple[Unknown, ...]
    was: float | None
    foremost: bool = False


@dataclass(frozen=True, slots=True)
class FixCard:
    ranked: RankedFix
    commands: tuple[Command, ...]


def _unknown(rule: Rule, facts: FactSet) -> Unknown:
    missing = tuple(fact_type(name) for name in fact_names(rule.when) if not facts.holding(name))
    return Unknown(rule, explain.condition(rule.when), explain.factor(explain.likelihood(rule.level)), missing)


def _cause(ranked: RankedCause, knowledge: Knowledge, facts: FactSet, before: Mapping[str, float]) -> Cause:
    entry = knowledge.by_slug[ranked.slug]
    was = before.get(ranked.slug)
    return Cause(
        ranked,
        entry,
        likelihood(ranked.probability),
        tuple(Term(c, explain.factor(c.weight)) for c in ranked.contributions),
        tuple(_unknown(rule, facts) for rule in entry.rules if rule.id in ranked.unknown_rules),
        was if was is not None and round(was, 2) != round(ranked.probability, 2) else None,
    )


def causes(answer: Assessment, knowledge: Knowledge, before: Mapping[str, float]) -> tuple[list[Cause], list[Cause]]:
    """The leading causes, and the others that still have a share worth a line."""
    listed = [c for c in answer.suspects if c.slug in knowledge.by_slug]
    shown = [c for rank, c in enumerate(listed) if rank < AT_LEAST or c.probability >= LEAST_SHARE]
    rows = [_cause(ranked, knowledge, answer.facts, before) for ranked in shown]
    if rows and rows[0].ranked.probability >= answer.none:
        rows[0] = replace(rows[0], foremost=True)
    return rows[:SHOWN], rows[SHOWN:]


def fixes(answer: Assessment) -> list[FixCard]:
    """The fixes worth trying, best first, each with the commands for the engine at hand."""
    suspected = {cause.slug for cause in answer.suspects if cause.probability >= LEAST_SHARE}
    worth = [ranked for ranked in answer.fixes if ranked.slug in suspected][:FIXES_SHOWN]
    return [FixCard(ranked, tuple(commands_here(ranked.fix, answer.facts))) for ranked in worth]


def shares(result: Mapping[str, object]) -> dict[str, float]:
    """Slug -> probability of a stored ranking."""
    return {cause["slug"]: cause["probability"] for cause in result.get("causes", ())}  # type: ignore[attr-defined, index]


MEASURED = ("probe", "metrics", "nvidia_smi", "log")


def verdict(answer: Assessment) -> Word:
    """The word over the case; a problem that rests on a person's word alone is not called measured."""
    abnormal = [fact for finding in answer.findings if finding.kind == "abnormal" for fact in finding.facts]
    if answer.verdict == "problem" and not any(fact.provenance.origin in MEASURED for fact in abnormal):
        return word("verdict", "stated")
    return word("verdict", answer.verdict)


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a case's history: what brought a new ranking, and what it did to the leading cause."""

    because: dict[str, str]
    at: object
    slug: str
    title: Both | None
    share: float
    was: float | None


def history(rankings: Iterable[object], knowledge: Knowledge) -> list[Change]:
    """The stored rankings, oldest first, each with its leading cause and that cause's share in the one before."""
    changes: list[Change] = []
    before: dict[str, float] = {}
    for ranking in rankings:
        now = shares(ranking.result)  # type: ignore[attr-defined]
        slug, share = Counter(now).most_common(1)[0] if now else ("", 0.0)
        entry = knowledge.by_slug.get(slug)
        because = {"zh": ranking.because_zh, "en": ranking.because_en}  # type: ignore[attr-defined]
        was = before.get(slug)
        moved = was if was is not None and round(was, 2) != round(share, 2) else None
        changes.append(Change(because, ranking.at, slug, entry and entry.title, share, moved))  # type: ignore[attr-defined]
        before = now
    return changes
