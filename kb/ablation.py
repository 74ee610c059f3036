"""What the ranking is worth without one of its parts, and on reports that it did not learn from. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from kb import learning
from kb.entry_file import EntryFile, Phrases
from kb.evaluation import Judged, Report, judge
from kb.judgement import Assessment, Submission
from kb.knowledge import Knowledge
from kb.reports import ConfirmedReport

Assess = Callable[[Submission, Knowledge], Assessment]
# Five parts leave four fifths to learn from.
FOLDS = 5


def _entries(knowledge: Knowledge, **empty: object) -> tuple[EntryFile, ...]:
    return tuple(entry.model_copy(update=empty) for entry in knowledge.entries)


def _without_rules(knowledge: Knowledge, folder: Path) -> Knowledge:
    return Knowledge(_entries(knowledge, rules=[]), knowledge.reports, knowledge.confirmations, knowledge.likeness)


def _without_signatures(knowledge: Knowledge, folder: Path) -> Knowledge:
    entries = _entries(knowledge, signatures=[])
    return Knowledge(
        entries, knowledge.reports, knowledge.confirmations, knowledge.likeness, catalogue=(),
    )  # fmt: skip


def _without_phrases(knowledge: Knowledge, folder: Path) -> Knowledge:
    entries = _entries(knowledge, phrases=Phrases.model_construct(zh=[], en=[]))
    return _learned(entries, knowledge.reports, folder)


def _without_reports(knowledge: Knowledge, folder: Path) -> Knowledge:
    return _learned(knowledge.entries, (), folder)


def _without_likeness(knowledge: Knowledge, folder: Path) -> Knowledge:
    return Knowledge(knowledge.entries, knowledge.reports, knowledge.confirmations)


# Part -> the knowledge without it.
PARTS: dict[str, Callable[[Knowledge, Path], Knowledge]] = {
    "likeness": _without_likeness, "phrases": _without_phrases, "reports": _without_reports, "rules": _without_rules,
    "signatures": _without_signatures,
}  # fmt: skip


def _learned(entries: tuple[EntryFile, ...], reports: tuple[ConfirmedReport, ...], folder: Path) -> Knowledge:
    return Knowledge(entries, reports, likeness=learning.learned(entries, reports, folder))


def cross_validated(knowledge: Knowledge, assess: Assess, folder: Path, folds: int = FOLDS) -> Report:
    """Every confirmed report, judged by what was learned from the reports of the other folds.

    Entries and rules stay as they are: whoever wrote them may have read the report. Reports of one source are in one fold.

    Args:
        folder: where what each fold learned is kept.
    """
    outcome = Report()
    for kept, left in _folds(knowledge.reports, folds):
        known = _learned(knowledge.entries, kept, folder)
        outcome.judged += [_judged(report, assess(report.submission, known)) for report in left]
    return outcome


def _folds(
    reports: tuple[ConfirmedReport, ...], folds: int
) -> Iterator[tuple[tuple[ConfirmedReport, ...], list[ConfirmedReport]]]:
    for fold in range(folds):
        left = [report for report in reports if _fold(report, folds) == fold]
        yield tuple(report for report in reports if _fold(report, folds) != fold), left


def _fold(report: ConfirmedReport, folds: int) -> int:
    return hashlib.blake2b(report.source.encode(), digest_size=4).digest()[0] % folds


def _judged(report: ConfirmedReport, answer: Assessment) -> Judged:
    cause, *also = report.causes
    return judge(report.id, {"cause": cause, "also": also, "kind": report.kind, "lang": report.lang}, answer)
