"""Snippets with the words marked that matched. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kb.documents import Document

# About three lines; what stands before the first hit gives the context.
SNIPPET_CHARS, BEFORE_CHARS = 240, 60


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text; `hit` where it matched the query."""

    text: str
    hit: bool


def _latin(term: str) -> str:
    """A term with its endings; a short one only with those that a stem lost, so that "off" does not mark "offload"."""
    return re.escape(term) + (r"(?:e|s|es|ed|ing)?(?![A-Za-z0-9])" if len(term) < 4 else r"\w*")


def matcher(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Finds terms in a text; the ending of a Latin word is free, as stems are compared. Case and width count not."""
    ordered = sorted(set(terms), key=len, reverse=True)
    latin = [_latin(term) for term in ordered if term.isascii()]
    other = [re.escape(term) for term in ordered if not term.isascii()]
    parts = ([rf"(?<![A-Za-z0-9])(?:{'|'.join(latin)})"] if latin else []) + other
    return re.compile(rf"(?:{'|'.join(parts)})+", re.IGNORECASE) if parts else None


def pieces(text: str, found: re.Pattern[str] | None) -> tuple[Piece, ...]:
    """The text in stretches; together they are the text."""
    made, at = [], 0
    for match in found.finditer(text) if found else ():
        made += [Piece(text[at : match.start()], False), Piece(match.group(), True)]
        at = match.end()
    return tuple(piece for piece in (*made, Piece(text[at:], False)) if piece.text)


def _cut(text: str, found: re.Pattern[str] | None) -> str:
    """The stretch of a long text that begins shortly before the first hit."""
    text = " ".join(text.split())
    if len(text) <= SNIPPET_CHARS:
        return text
    first = found.search(text) if found else None
    start = max(0, min((first.start() if first else 0) - BEFORE_CHARS, len(text) - SNIPPET_CHARS))
    end = start + SNIPPET_CHARS
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def snippet(document: Document, terms: Iterable[str], language: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The title, and the passage that holds most of the terms, both marked; the reader's language first."""
    found = matcher(terms)
    title = document.title_in(language)
    readable = [p.text for p in document.passages if p.language in ("", language) and p.text != title]
    best = max(readable, key=lambda text: _different(text, found), default="")
    return pieces(title, found), pieces(_cut(best, found), found)


def _different(text: str, found: re.Pattern[str] | None) -> int:
    """How many different terms stand in a text."""
    return len({match.casefold() for match in found.findall(text)}) if found else 0
