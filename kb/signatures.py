"""Log and error lines of the entries, found in a case by one scan for all of them. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import re2

from kb.entry_file import EntryFile, Signature

# Room for the automaton of all patterns together; with RE2's default of 8 MiB it falls back to many small ones.
SCAN_MEMORY = 64 << 20


@dataclass(frozen=True, slots=True)
class Hit:
    """A signature found in a part of the submission, with the place of its first occurrence."""

    signature: Signature
    part: str
    start: int
    end: int
    quote: str


@dataclass
class SignatureScanner:
    """All signatures of some entries, compiled once."""

    entries: Iterable[EntryFile]
    _owners: list[tuple[str, Signature]] = field(init=False)
    _set: re2.Set | None = field(init=False)

    def __post_init__(self) -> None:
        self._owners = [(entry.slug, signature) for entry in self.entries for signature in entry.signatures]
        options = re2.Options()
        options.case_sensitive = False
        options.max_mem = SCAN_MEMORY
        self._set = re2.Set.SearchSet(options) if self._owners else None
        if self._set:
            for _, signature in self._owners:
                self._set.Add(signature.pattern)
            self._set.Compile()

    def scan(self, parts: Mapping[str, str]) -> dict[str, list[Hit]]:
        """Slug -> hits, each signature at most once, in the order of the entry."""
        found: dict[int, Hit] = {}
        for part, text in parts.items():
            if not text or self._set is None:
                continue
            for index in self._set.Match(text) or ():
                if index not in found and (hit := self._locate(index, part, text)):
                    found[index] = hit
        hits: defaultdict[str, list[Hit]] = defaultdict(list)
        for index in sorted(found):
            hits[self._owners[index][0]].append(found[index])
        return dict(hits)

    def _locate(self, index: int, part: str, text: str) -> Hit | None:
        signature = self._owners[index][1]
        match = re2.compile("(?i)" + signature.pattern).search(text)
        if match is None:
            return None
        return Hit(signature, part, match.start(), match.end(), match.group()[:200])
