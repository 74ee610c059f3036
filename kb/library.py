"""What the team knows as the ranking reads it, read again when any of it changed."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Max

from kb import learning
from kb.entry_file import EntryFile
from kb.judgement import Submission
from kb.knowledge import Knowledge
from kb.models import ConfirmedReport, Entry, Outcome
from kb.reports import ConfirmedReport as Report


def knowledge() -> Knowledge:
    return _read(state())


def state() -> tuple[object, ...]:
    """Changes whenever an entry, a report, an outcome or what was learned from them does."""
    seen: list[object] = [learning.newest(settings.LIKENESS)]
    for rows, at in (
        (Entry.objects.published(), "updated_at"),
        (ConfirmedReport.objects, "at"),
        (Outcome.objects, "at"),
    ):
        newest = rows.aggregate(newest=Max(at), count=Count("id"))
        seen += [newest["newest"], newest["count"]]
    return tuple(seen)


@lru_cache(maxsize=2)
def _read(state: tuple[object, ...]) -> Knowledge:
    """The argument is the key: the same state of the tables gives the same knowledge. Outcomes come last in it, and change
    nothing but counts."""
    return _written(state[:-2]).with_confirmations(Outcome.objects.confirmations())


@lru_cache(maxsize=2)
def _written(state: tuple[object, ...]) -> Knowledge:
    """What was learned last stands until something newer is learned: an entry that is younger is judged without."""
    newest = learning.newest(settings.LIKENESS)
    return Knowledge(*_stored(), likeness=learning.load(Path(newest[0])) if newest else None)


def _stored() -> tuple[tuple[EntryFile, ...], tuple[Report, ...]]:
    return tuple(entry.file for entry in Entry.objects.published()), _reports()


def learn() -> None:
    """Learn from the entries and reports as they are now, where that was not done yet."""
    learning.learned(*_stored(), settings.LIKENESS)


def _reports() -> tuple[Report, ...]:
    rows = ConfirmedReport.objects.filter(entry__status=Entry.Status.PUBLISHED).prefetch_related("also")
    return tuple(_report(row) for row in rows.select_related("entry"))


def _report(row: ConfirmedReport) -> Report:
    said = Submission(row.symptom, row.command, row.log, row.nvidia_smi)
    also = (entry.slug for entry in row.also.all())
    return Report(f"report-{row.pk}", row.source, row.lang, said, (row.entry.slug, *also), row.root_cause)
