"""How well the words of a case fit each entry, and which of its passages is nearest. Pure.

The score is that of the entry's whole text: on real cases, mixing in the score of the nearest passage, word pairs or a
ridge classifier on the passages moved the hit rate by less than its standard error (5 points), mostly down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kb.entry_file import EntryFile
from kb.reports import ConfirmedReport
from kb.text import Index, Query


@dataclass(frozen=True, slots=True)
class TextFit:
    """How well a case fits one entry.

    Attributes:
        score: in BM25 units.
        passage: the entry's phrase, example or title, or the confirmed report of it, that is nearest to the case.
        source: of that report, "" for a passage of the entry.
    """

    score: float
    passage: str
    source: str = ""


def entry_fields(entry: EntryFile) -> list[tuple[str, int]]:
    """The texts of an entry with the times each counts: what people say of it weighs more than how it works."""
    phrases = [*entry.phrases.zh, *entry.phrases.en]
    return [
        *((text, 3) for text in phrases),
        *((text, 3) for text in (entry.title.zh, entry.title.en)),
        *((text, 2) for text in (entry.summary.zh, entry.summary.en)),
        *((passage, 2) for passage in _examples(entry)),
        *((signature.example, 2) for signature in entry.signatures),
        *((text, 1) for text in (entry.mechanism.zh, entry.mechanism.en)),
    ]


def passages(entry: EntryFile) -> list[str]:
    """What a case is compared with one by one."""
    return [
        *entry.phrases.zh, *entry.phrases.en, entry.title.zh, entry.title.en, entry.summary.zh, entry.summary.en,
        *_examples(entry), *(signature.example for signature in entry.signatures),
    ]  # fmt: skip


def _examples(entry: EntryFile) -> list[str]:
    return ["\n".join(filter(None, (e.symptom, e.command, e.log, e.nvidia_smi))) for e in entry.examples]


@dataclass
class TextMatcher:
    """The entries as two BM25 indexes. Reports only show what a case is nearest to."""

    entries: Sequence[EntryFile]
    reports: Sequence[ConfirmedReport] = ()
    _whole: Index = field(init=False)
    _single: Index = field(init=False)
    _owner: np.ndarray = field(init=False)
    _passages: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        self._whole = Index({entry.slug: entry_fields(entry) for entry in self.entries})
        owned = [(number, text, "") for number, entry in enumerate(self.entries) for text in passages(entry)]
        place = {entry.slug: number for number, entry in enumerate(self.entries)}
        owned += [(place[slug], r.text, r.source) for r in self.reports for slug in r.causes if slug in place]
        self._owner = np.array([number for number, _, _ in owned], dtype=int)
        self._passages = [(text, source) for _, text, source in owned]
        self._single = Index({str(number): [(text, 1)] for number, (_, text, _) in enumerate(owned)})

    def fits(self, query: Query) -> dict[str, TextFit]:
        """Slug -> fit, for every entry."""
        whole, single = self._whole.scores(query), self._single.scores(query)
        fits = {}
        for number, entry in enumerate(self.entries):
            own = np.flatnonzero(self._owner == number)
            nearest = own[np.argmax(single[own])]
            fits[entry.slug] = TextFit(float(whole[number]), *self._passages[nearest])
        return fits
