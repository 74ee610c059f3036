"""What the team knows, as the ranking reads it: from entry files in the terminal, from the database on the site. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from kb import reports
from kb.entry_file import EntryFile, load_folder
from kb.reports import ConfirmedReport
from kb.retrieval import TextMatcher
from kb.signatures import SignatureScanner, catalogue

ENTRIES = Path(__file__).parent / "entries"


@dataclass(frozen=True, eq=False)
class Knowledge:
    """All that enters the ranking. Compared by identity: it is large, and read once.

    Attributes:
        confirmations: slug -> closed cases, each of another account, whose cause it was.
    """

    entries: tuple[EntryFile, ...]
    reports: tuple[ConfirmedReport, ...] = ()
    confirmations: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def by_slug(self) -> dict[str, EntryFile]:
        return {entry.slug: entry for entry in self.entries}

    @cached_property
    def text(self) -> TextMatcher:
        return TextMatcher(self.entries)

    @cached_property
    def signatures(self) -> SignatureScanner:
        return SignatureScanner(self.entries, catalogue.shipped())

    def with_confirmations(self, confirmations: Mapping[str, int]) -> Knowledge:
        """The same entries and reports, their indexes shared, with other counts of closed cases."""
        _ = self.text, self.signatures, self.by_slug  # made once, for all that share them
        other = copy(self)
        object.__setattr__(other, "confirmations", confirmations)
        return other


@cache
def shipped() -> Knowledge:
    """The entries that come with the package."""
    return Knowledge(tuple(load_folder(ENTRIES)), reports.shipped())
