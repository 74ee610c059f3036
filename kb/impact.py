"""What an edit would change: the stored cases whose first cause would be another one."""

from __future__ import annotations

from dataclasses import dataclass

from kb import library
from kb.assessment import assess
from kb.diagnose import known_facts
from kb.entry_file import EntryFile
from kb.judgement import RankedCause
from kb.knowledge import Knowledge
from kb.models import Case
from kb.ranking import rank

# The newest cases that are ranked again; 200 take some ten seconds.
CASES = 200


@dataclass(frozen=True, slots=True)
class Moved:
    """A case that would rank differently: its first cause before and after, None where none stands out."""

    case: Case
    before: RankedCause
    after: RankedCause


@dataclass(frozen=True, slots=True)
class Impact:
    looked_at: int
    moved: tuple[Moved, ...]


def with_edit(knowledge: Knowledge, file: EntryFile) -> Knowledge:
    """The knowledge in which `file` stands in place of the entry of its name, or beside the others."""
    others = [entry for entry in knowledge.entries if entry.slug != file.slug]
    entries = tuple(sorted([*others, file], key=lambda entry: entry.slug))
    return Knowledge(entries, knowledge.reports, knowledge.confirmations, knowledge.likeness)


def of_publishing(file: EntryFile, most: int = CASES) -> Impact:
    """Rank the newest cases with and without the edit, on the facts that are known of each now."""
    now = library.knowledge()
    then = with_edit(now, file)
    cases = list(Case.objects.all()[:most])
    moved = [found for case in cases if (found := _moved(case, now, then))]
    return Impact(len(cases), tuple(moved))


def _moved(case: Case, now: Knowledge, then: Knowledge) -> Moved | None:
    before = assess(case.submission, now, facts=known_facts(case))
    causes, _ = rank(before.facts, case.submission, then)
    if not before.causes or not causes or before.causes[0].slug == causes[0].slug:
        return None
    return Moved(case, before.causes[0], causes[0])
