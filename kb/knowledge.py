"""What the team knows, as the ranking reads it: from entry files in the terminal, from the database on the site. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from kb import learning, reports
from kb.entry_file import EntryFile, load_folder
from kb.likeness import Likeness
from kb.reports import ConfirmedReport
from kb.retrieval import TextMatcher
from kb.signatures import SignatureScanner, catalogue
from kb.signatures.catalogue import Line

ENTRIES = Path(__file__).parent / "entries"


@dataclass(frozen=True, eq=False)
class Knowledge:
    """All that enters the ranking. Compared by identity: it is large, and read once.

    Attributes:
        confirmations: slug -> closed cases, each of another account, whose cause it was.
        catalogue: lines that engines and libraries print, beside the signatures of the entries.
        likeness: what was learned from entries and reports; None: nothing yet, and BM25 alone weighs the words.
    """

    entries: tuple[EntryFile, ...]
    reports: tuple[ConfirmedReport, ...] = ()
    confirmations: Mapping[str, int] = field(default_factory=dict)
    likeness: Likeness | None = None
    catalogue: tuple[Line, ...] = field(default_factory=catalogue.shipped)

    @cached_property
    def by_slug(self) -> dict[str, EntryFile]:
        return {entry.slug: entry for entry in self.entries}

    @cached_property
    def text(self) -> TextMatcher:
        return TextMatcher(self.entries, self.reports)

    @cached_property
    def signatures(self) -> SignatureScanner:
        return SignatureScanner(self.entries, self.catalogue)

    def with_confirmations(self, confirmations: Mapping[str, int]) -> Knowledge:
        """The same entries and reports, their indexes shared, with other counts of closed cases."""
        _ = self.text, self.signatures, self.by_slug  # made once, for all that share them
        other = copy(self)
        object.__setattr__(other, "confirmations", confirmations)
        return other


@cache
def shipped() -> Knowledge:
    """The entries and reports that come with the package, and what is learned from them (kept for the next time)."""
    entries, confirmed = tuple(load_folder(ENTRIES)), reports.shipped()
    return Knowledge(entries, confirmed, likeness=learning.learned(entries, confirmed, learning.cache_folder()))
