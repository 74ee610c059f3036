"""Log and error lines that tell something, found in a case by one scan for all of them. Pure.

The lines come from the entries (`EntryFile.signatures`) and from the catalogue, the YAML files of this folder, one an
engine or library. Adding a file there is all it takes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kb.entry_file import EntryFile, Signature
from kb.signatures.catalogue import Line
from kb.signatures.scan import Scan


@dataclass(frozen=True, slots=True)
class Hit:
    """A signature found in a part of the submission, with the place of its first occurrence.

    Attributes:
        line: offset at which the line that holds it begins.
        quote: what it matched, at most 200 characters.
    """

    signature: Signature
    part: str
    start: int
    end: int
    line: int
    quote: str


@dataclass
class SignatureScanner:
    """All signatures of some entries and of the catalogue, compiled once."""

    entries: Iterable[EntryFile]
    catalogue: Iterable[Line] = ()
    _owners: list[list[tuple[str, Signature]]] = field(init=False)
    _scan: Scan = field(init=False)

    def __post_init__(self) -> None:
        owners: defaultdict[str, list[tuple[str, Signature]]] = defaultdict(list)
        for slug, signature in self._signatures():
            owners[signature.pattern].append((slug, signature))
        self._owners = list(owners.values())
        self._scan = Scan(owners, (line.pattern for line in self.catalogue if line.note or line.chain))

    def _signatures(self) -> Iterator[tuple[str, Signature]]:
        for entry in self.entries:
            yield from ((entry.slug, signature) for signature in entry.signatures)
        for line in self.catalogue:
            yield from line.signatures()

    def scan(self, parts: Mapping[str, str]) -> dict[str, list[Hit]]:
        """Slug -> hits, each signature at most once, and each line of the text at most once a slug."""
        hits: defaultdict[str, list[Hit]] = defaultdict(list)
        seen: set[int] = set()
        for part, text in parts.items():
            for found in self._scan.find(text, known=seen):
                seen.add(found.index)
                line = text.rfind("\n", 0, found.start) + 1
                place = (part, found.start, found.end, line, text[found.start : found.end][:200])
                for slug, signature in self._owners[found.index]:
                    hits[slug].append(Hit(signature, *place))
        return {slug: _one_a_line(found) for slug, found in hits.items()}


def _one_a_line(hits: list[Hit]) -> list[Hit]:
    """The strongest signature of each line: what an entry and the catalogue both know is one statement."""
    strongest: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        kept = strongest.setdefault((hit.part, hit.line), hit)
        if abs(hit.signature.level) > abs(kept.signature.level):
            strongest[hit.part, hit.line] = hit
    return list(strongest.values())
