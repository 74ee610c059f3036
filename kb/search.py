"""The look-up: one search over entries, claims and cases, in both languages, tolerant of typos and half words. Pure.

BM25 over the tokens of `kb.text`, in process, the same whatever database holds the documents. The tokens of a document
that did not change are taken over when the collection is built anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection as Names
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import bm25s
import numpy as np
from bm25s.tokenization import Tokenized

from kb import token_file
from kb.cards import card_facts
from kb.documents import WHATS, Document, release
from kb.homophones import Homophones
from kb.marks import Piece, snippet
from kb.signatures import SignatureScanner
from kb.spelling import Spelling
from kb.text import GLOSSARY_WEIGHT, Query, forms, normalise, words
from kb.token_file import Tokens
from probes.facts import Fact, FactSet, Provenance

LIMIT = 30
LONGEST_QUERY = 2_000
# Documents far below the best one share a common word with the query and nothing else.
LEAST_OF_BEST = 0.25
# A curated cause is worth more to a searcher than one statement about it, and that more than a single case.
WORTH = {"entry": 1.0, "claim": 0.8, "case": 0.6}
# A corrected word stands in the place of the one written, which finds nothing; each of several endings is a guess.
SPELLING_WEIGHT, BEGINNING_WEIGHT = 0.8, GLOSSARY_WEIGHT
# Pairs of characters find a Chinese word that the segmenter cut otherwise; whole words say more.
PAIR_WEIGHT = 0.3
# A known log line in the query is worth half of what all its words are.
SIGNATURE_SHARE = 0.5
_CHINESE = re.compile(r"[\u3400-\u9fff]{2,}")


@dataclass(frozen=True, slots=True)
class Filters:
    """What to keep; "" keeps everything.

    Attributes:
        gpu: a card by its name; version: of the engine. An entry is kept where its cause can exist there, a claim also
            where it names none, a case only where it names that one.
        measured: "yes" or "no".
    """

    what: str = ""
    kind: str = ""
    engine: str = ""
    gpu: str = ""
    version: str = ""
    verdict: str = ""
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A term to look for.

    Attributes:
        how: it came to be one: word, meaning (glossary), spelling, beginning, pair.
        said: the term as a person writes it.
        typed: the word in the query that it stands for, where it is another.
    """

    term: str
    how: str
    weight: float
    said: str
    typed: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    document: Document
    score: float
    title: tuple[Piece, ...]
    snippet: tuple[Piece, ...]
    why: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """Attributes:
    counts: how many of each kind of document fit the other filters.
    corrected: mistyped words with what was looked for instead.
    nothing_fits: not even without filters.
    """

    found: tuple[Found, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    corrected: tuple[tuple[str, str], ...] = ()
    nothing_fits: bool = True


def pairs(text: str) -> list[str]:
    """Neighbouring Chinese characters, told apart from words by a mark."""
    runs = _CHINESE.findall(normalise(text))
    return [run[i : i + 2] + "~" for run in runs for i in range(len(run) - 1)]


def _tokens(document: Document) -> list[str]:
    found: list[str] = []
    for passage in document.passages:
        found += words(passage.text) * passage.times
        found += pairs(passage.text)
    return found


class Collection:
    """Documents made ready to be searched.

    Args:
        before: the collection that this one takes the place of; kept: tokens from a file, where there is none.
        scanner: knows the log lines of the entries.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        before: Collection | None = None,
        scanner: SignatureScanner | None = None,
        kept: Tokens | None = None,
    ) -> None:
        self.documents = tuple(documents)
        self._scanner, self._kept_tokens = scanner, kept
        self._vocabulary: dict[str, int] = dict(before._vocabulary if before else kept.vocabulary if kept else {})
        self.segmented = 0
        self._position = {document.id: number for number, document in enumerate(self.documents)}
        self._ids = [self._ids_of(document, before) for document in self.documents]
        self._bm25 = self._index()
        self._bound = [n for n, document in enumerate(self.documents) if document.applies is not None]
        self._masks: dict[tuple[str, str], np.ndarray] = {}
        self._worth = np.array([WORTH[d.what] * (1 + 0.1 * np.log(d.prior / 2)) for d in self.documents])

    def _ids_of(self, document: Document, before: Collection | None) -> np.ndarray:
        number = before._position.get(document.id) if before else None
        if number is not None and before.documents[number].passages == document.passages:
            return before._ids[number]
        if self._kept_tokens and (ids := self._kept_tokens.of(document)) is not None:
            return ids
        known = self._vocabulary
        self.segmented += 1
        return np.array([known.setdefault(token, len(known)) for token in _tokens(document)], dtype=np.int32)

    def save(self, path: Path) -> None:
        token_file.save(path, self.documents, self._ids, self._vocabulary)

    def _index(self) -> bm25s.BM25 | None:
        if not any(len(ids) for ids in self._ids):
            return None
        index = bm25s.BM25(k1=1.2, b=0.5)
        index.index(Tokenized(self._ids, self._vocabulary), create_empty_token=False, show_progress=False)
        return index

    @cached_property
    def gpus(self) -> tuple[str, ...]:
        """The cards that anything public names."""
        return tuple(sorted({gpu for d in self.documents if _is_public(d) for gpu in d.gpus}))

    @cached_property
    def _said(self) -> dict[str, str]:
        """Latin terms of what is public as they are written there most often."""
        public = (p.text for document in self.documents if document.what != "case" for p in document.passages)
        counted = Counter(form for text in public for form in forms(text))
        return {term: word for (term, word), _ in reversed(counted.most_common())}

    @cached_property
    def _spelling(self) -> Spelling:
        """Of what is public alone: somebody's own typo is no word, and somebody's own word no suggestion."""
        return Spelling(self._said)

    @cached_property
    def _homophones(self) -> Homophones:
        public = (p.text for document in self.documents if document.what != "case" for p in document.passages)
        return Homophones(pair.rstrip("~") for text in public for pair in pairs(text))

    def search(
        self,
        text: str,
        language: str,
        filters: Filters = Filters(),
        cases: Names[str] | None = None,
        limit: int = LIMIT,
    ) -> Results:
        """What fits `text`, best first. `cases` are the tokens of the cases that the person may see, None for all."""
        text = text[:LONGEST_QUERY]
        wanted = self._wanted(text)
        scores = self._scores(text, wanted) * self._visible(cases)
        fitting = scores > LEAST_OF_BEST * scores.max(initial=0.0)
        kept = fitting & self._kept(filters)
        counts = {what: int((kept & self._mask("what", what)).sum()) for what in WHATS}
        shown = kept & self._mask("what", filters.what)
        best = np.argsort(np.where(shown, -scores, 0.0), kind="stable")[: min(limit, int(shown.sum()))]
        return Results(
            tuple(self._found(number, scores[number], wanted, language) for number in best),
            counts, _corrected(wanted), not fitting.any(),
        )  # fmt: skip

    def _wanted(self, text: str) -> list[Wanted]:
        query, typed = Query.of(text), dict(forms(text))
        found = [Wanted(term, "word", 1.0, typed.get(term, term)) for term in query.terms]
        found += [self._another(term, "meaning", GLOSSARY_WEIGHT) for term in query.added]
        for pair in dict.fromkeys(pairs(text)):
            found.append(Wanted(pair, "pair", PAIR_WEIGHT, pair))
            heard = [other for other in self._homophones.of(pair.rstrip("~")) if other in self._vocabulary]
            found += [Wanted(other, "spelling", SPELLING_WEIGHT, other, pair.rstrip("~")) for other in heard]
            found += [Wanted(other + "~", "pair", SPELLING_WEIGHT * PAIR_WEIGHT, other) for other in heard]
        for term in query.terms:
            if self._spelling.knows(term):
                continue
            word = typed.get(term, term)
            started = self._spelling.beginning(term) if term == query.terms[-1] else []
            found += [self._another(other, "beginning", BEGINNING_WEIGHT, word) for other in started]
            if not started:
                found += [
                    self._another(other, "spelling", SPELLING_WEIGHT, word) for other in self._spelling.near(term)
                ]
        return found

    def _another(self, term: str, how: str, weight: float, typed: str = "") -> Wanted:
        return Wanted(term, how, weight, self._said.get(term, term), typed)

    def _scores(self, text: str, wanted: Sequence[Wanted]) -> np.ndarray:
        total = np.zeros(len(self.documents))
        if self._bm25 is None:
            return total
        for weight in {w.weight for w in wanted}:
            ids = [i for w in wanted if w.weight == weight and (i := self._vocabulary.get(w.term)) is not None]
            if ids:
                total += weight * self._bm25.get_scores_from_ids(ids)
        if self._scanner and len(total):
            lines = [
                n
                for slug in self._scanner.scan({"query": text})
                if (n := self._position.get(("entry", slug))) is not None
            ]
            total[lines] += SIGNATURE_SHARE * total.max()
        return total * self._worth

    def _mask(self, name: str, value: str) -> np.ndarray:
        """Which documents have a value; "" is had by all."""
        if (name, value) not in self._masks:
            self._masks[name, value] = np.array([not value or _has(d, name, value) for d in self.documents], dtype=bool)
        return self._masks[name, value]

    def _kept(self, filters: Filters) -> np.ndarray:
        chosen = [(name, getattr(filters, name)) for name in ("kind", "engine", "gpu", "verdict", "measured")]
        kept = np.logical_and.reduce([self._mask(name, value) for name, value in chosen])
        if filters.version:  # typed by hand: not worth keeping a mask for
            kept &= np.array([_has(document, "version", filters.version) for document in self.documents], dtype=bool)
        return kept & self._possible(filters)

    def _possible(self, filters: Filters) -> np.ndarray:
        """Everything but the entries whose cause cannot exist with this card, engine and version."""
        facts = FactSet(_facts(filters))
        possible = np.ones(len(self.documents), dtype=bool)
        for number in self._bound if len(facts) else ():
            possible[number] = self.documents[number].applies.truth(facts) is not False
        return possible

    def _visible(self, cases: Names[str] | None) -> np.ndarray:
        """Everything but other people's cases; the example cases of entries are public."""
        if cases is None:
            return np.ones(len(self.documents), dtype=bool)
        visible = self._mask("public", "yes").copy()
        visible[[n for token in cases if (n := self._position.get(("case", token))) is not None]] = True
        return visible

    def _found(self, number: int, score: float, wanted: Sequence[Wanted], language: str) -> Found:
        document, has = self.documents[number], set(self._ids[number].tolist())
        why = [w for w in wanted if self._vocabulary.get(w.term) in has]
        terms = [w.term.rstrip("~") for w in why]
        title, text = snippet(document, terms, language)
        return Found(document, float(score), title, text, tuple(w for w in why if w.how != "pair"))


def _corrected(wanted: Iterable[Wanted]) -> tuple[tuple[str, str], ...]:
    """Each mistyped word with the nearest that was looked for instead."""
    nearest: dict[str, str] = {}
    for one in wanted:
        if one.how == "spelling":
            nearest.setdefault(one.typed, one.said)
    return tuple(nearest.items())


def _has(document: Document, name: str, value: str) -> bool:
    match name:
        case "what":
            return document.what == value
        case "kind":
            return value in document.kinds
        case "engine":
            return not document.engines or value in document.engines
        case "gpu":
            same = any(gpu.startswith(value) or value.startswith(gpu) for gpu in document.gpus)
            return same or (not document.gpus and document.what != "case")
        case "version":
            same = release(value) in document.releases
            return same or (not document.releases and document.what != "case")
        case "verdict":
            return document.verdict == value
        case "measured":
            return document.measured == (value == "yes")
    return _is_public(document)


def _is_public(document: Document) -> bool:
    """Everything but people's cases; the example cases of entries are public."""
    return document.what != "case" or "/" in document.name


def _facts(filters: Filters) -> list[Fact]:
    chosen = {"engine.name": filters.engine, "engine.version": filters.version, "gpu.name": filters.gpu}
    stated = [Fact(name, value, Provenance("user", "filter")) for name, value in chosen.items() if value]
    return stated + card_facts(FactSet(stated))
