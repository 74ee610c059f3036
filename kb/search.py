"""Search in the entries, in both languages, with the words that matched marked. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.entry_file import EntryFile
from kb.knowledge import Knowledge
from kb.text import Query, words

LIMIT = 15
# Documents far below the best one share a common word with the query and nothing else.
LEAST_OF_BEST = 0.25


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a snippet; `hit` where it matched the query."""

    text: str
    hit: bool


@dataclass(frozen=True, slots=True)
class Found:
    entry: EntryFile
    snippet: tuple[Piece, ...]


def _matcher(query: Query) -> re.Pattern[str] | None:
    """Finds the words of a query in a text; the ending of a Latin word is free, as stems are compared."""
    terms = sorted({*query.terms, *query.added}, key=len, reverse=True)
    latin = [re.escape(term) + r"\w*" for term in terms if term.isascii()]
    other = [re.escape(term) for term in terms if not term.isascii()]
    parts = ([rf"(?<![A-Za-z0-9])(?:{'|'.join(latin)})"] if latin else []) + other
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _pieces(text: str, matcher: re.Pattern[str] | None) -> tuple[Piece, ...]:
    pieces, at = [], 0
    for match in matcher.finditer(text) if matcher else ():
        pieces += [Piece(text[at : match.start()], False), Piece(match.group(), True)]
        at = match.end()
    return tuple(piece for piece in (*pieces, Piece(text[at:], False)) if piece.text)


def _snippet(entry: EntryFile, query: Query, language: str) -> tuple[Piece, ...]:
    """The passage in the reader's language that shares most words with the query; the summary where none does."""
    wanted = {*query.terms, *query.added}
    passages = [entry.summary.get(language), *getattr(entry.phrases, language), entry.title.get(language)]
    best = max(passages, key=lambda text: len(wanted & set(words(text))))
    return _pieces(best, _matcher(query))


def search(knowledge: Knowledge, text: str, language: str) -> list[Found]:
    """The entries that fit `text`, best first."""
    query = Query.of(text)
    if not query.terms:
        return []
    ranked = sorted(knowledge.text.fits(text).items(), key=lambda item: -item[1].score)
    least = ranked[0][1].score * LEAST_OF_BEST if ranked else 0.0
    hits = [knowledge.by_slug[slug] for slug, fit in ranked[:LIMIT] if fit.score > least]
    return [Found(entry, _snippet(entry, query, language)) for entry in hits]
