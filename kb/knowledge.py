"""What the team knows, as the ranking reads it: from entry files in the terminal, from the database on the site. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from kb.entry_file import EntryFile, load_folder
from kb.retrieval import TextMatcher
from kb.signatures import SignatureScanner, catalogue

ENTRIES = Path(__file__).parent / "entries"


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A set of entries; nothing else enters the ranking. Compared by identity: it is large, and read once."""

    entries: tuple[EntryFile, ...]

    @cached_property
    def by_slug(self) -> dict[str, EntryFile]:
        return {entry.slug: entry for entry in self.entries}

    @cached_property
    def text(self) -> TextMatcher:
        return TextMatcher(self.entries)

    @cached_property
    def signatures(self) -> SignatureScanner:
        return SignatureScanner(self.entries, catalogue.shipped())


@cache
def shipped() -> Knowledge:
    """The entries that come with the package."""
    return Knowledge(tuple(load_folder(ENTRIES)))
