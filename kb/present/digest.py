"""The posts of a digest with the stretches marked that its lines quote. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a post and the lines that quote it; none for the text between.

    Attributes:
        first: those of the lines whose first quote in this post it is.
    """

    text: str
    lines: tuple[int, ...] = ()
    first: tuple[int, ...] = ()


def pieces(text: str, spans: Iterable[tuple[int, int, int]]) -> list[Piece]:
    """The text cut where quotes begin and end, given as (start, end, line); joined again, the pieces are the text.

    Overlapping quotes share one piece, so that no mark stands inside another.
    """
    made: list[Piece] = []
    seen: set[int] = set()
    at = 0
    for start, end, lines in _merged(spans, len(text)):
        if start > at:
            made.append(Piece(text[at:start]))
        own = tuple(dict.fromkeys(lines))
        made.append(Piece(text[start:end], own, tuple(line for line in own if line not in seen)))
        seen.update(own)
        at = end
    if at < len(text):
        made.append(Piece(text[at:]))
    return made


def _merged(spans: Iterable[tuple[int, int, int]], length: int) -> list[tuple[int, int, list[int]]]:
    merged: list[tuple[int, int, list[int]]] = []
    for start, end, line in sorted(spans):
        if not 0 <= start < end <= length:
            continue
        if merged and start < merged[-1][1]:
            first, last, lines = merged[-1]
            merged[-1] = (first, max(last, end), [*lines, line])
        else:
            merged.append((start, end, [line]))
    return merged
