"""Two texts side by side, line by line, with what changed within a line marked. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Equal lines shown around a change, as `diff -u` does.
CONTEXT = 3
Piece = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Line:
    """One row. A side that has no such line has no number; `gap` stands for equal lines left out.

    Attributes:
        left, right: the text in pieces, each with whether it changed.
        equal: of a gap, how many lines it leaves out.
    """

    kind: Literal["same", "changed", "removed", "added", "gap"]
    left_number: int | None = None
    left: tuple[Piece, ...] = ()
    right_number: int | None = None
    right: tuple[Piece, ...] = ()
    equal: int = 0


def side_by_side(before: str, after: str) -> list[Line]:
    """The rows of the comparison, empty where the texts are equal."""
    if before == after:
        return []
    left, right = before.splitlines(), after.splitlines()
    rows: list[Line] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += _equal(left, i1, i2, j1, first=not rows, last=i2 == len(left) and j2 == len(right))
        else:
            rows += _changed(left[i1:i2], right[j1:j2], i1, j1)
    return rows


def _equal(left: list[str], start: int, end: int, other: int, *, first: bool, last: bool) -> Iterator[Line]:
    before, after = (0 if first else CONTEXT), (0 if last else CONTEXT)
    hidden = end - start - before - after
    for n in range(start, end):
        at = n - start
        if hidden > 1 and before <= at < before + hidden:
            if at == before:
                yield Line("gap", equal=hidden)
            continue
        piece = ((left[n], False),)
        yield Line("same", n + 1, piece, other + at + 1, piece)


def _changed(left: list[str], right: list[str], i: int, j: int) -> Iterator[Line]:
    for n in range(max(len(left), len(right))):
        if n >= len(right):
            yield Line("removed", i + n + 1, ((left[n], True),))
        elif n >= len(left):
            yield Line("added", None, (), j + n + 1, ((right[n], True),))
        else:
            one, two = _pieces(left[n], right[n])
            yield Line("changed", i + n + 1, one, j + n + 1, two)


def _pieces(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    left, right = [], []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        left.append((before[i1:i2], tag != "equal"))
        right.append((after[j1:j2], tag != "equal"))
    return tuple(p for p in left if p[0]), tuple(p for p in right if p[0])
