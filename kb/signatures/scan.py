"""Many patterns over one text in one pass. Pure.

Every pattern yields the literals without which it cannot match; one automaton looks for all literals at once, and only
the patterns whose literals are there are searched for. RE2 has no backtracking, so no text can make a pattern slow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import re2

# A text is read in pieces, so that memory does not grow with it. A match may cross lines (a traceback and its last
# line), therefore pieces overlap by more than any traceback that the entries ask for.
PIECE = 1 << 18
OVERLAP = 1 << 14


@dataclass(frozen=True, slots=True)
class Found:
    """The first match of a pattern: which one, and its characters."""

    index: int
    start: int
    end: int


class Scan:
    """Patterns compiled for one pass over a text, without regard to case.

    What a pattern of `harmless` matches is hidden from the others.
    """

    def __init__(self, patterns: Iterable[str], harmless: Iterable[str] = ()) -> None:
        options = re2.Options()
        options.case_sensitive = False
        self._compiled: list[Any] = []
        self._filter = re2.Filter()
        telling = list(patterns)
        self._telling = len(telling)
        for pattern in (*telling, *harmless):
            self._filter.Add(pattern, options)
            self._compiled.append(re2.compile(b"(?i)" + pattern.encode()))
        if self._compiled:
            self._filter.Compile()

    def find(self, text: str, known: Collection[int] = ()) -> Iterator[Found]:
        """The first match of each pattern, in the order of the patterns within a piece; those of `known` are skipped."""
        done = set(known)
        for begin in range(0, len(text) if self._compiled else 0, PIECE):
            piece = text[begin : begin + PIECE + OVERLAP].encode("utf-8", "replace")
            possible = set(self._filter.Match(piece, True) or ()) - done
            visible = self._without_harmless(piece, possible)
            for index in sorted(possible):
                if index < self._telling and (match := self._compiled[index].search(visible)):
                    done.add(index)
                    start = begin + len(piece[: match.start()].decode())
                    yield Found(index, start, start + len(piece[match.start() : match.end()].decode()))

    def _without_harmless(self, piece: bytes, possible: set[int]) -> bytes:
        """`piece` with what is harmless blanked out, so that no place moves."""
        visible = bytearray(piece)
        for index in possible:
            if index >= self._telling:
                for match in self._compiled[index].finditer(piece):
                    visible[match.start() : match.end()] = b" " * (match.end() - match.start())
        return bytes(visible)
