"""Names of cards and models as people and tools write them, made comparable. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNDERSCORE = re.compile(r"(?<=\d)_(?=\d)")
_PIECE = re.compile(r"\d+(?:\.\d+)?|[a-z]+")


def pieces(name: str) -> list[str]:
    """`Qwen/Qwen2.5-7B-Instruct` -> qwen, qwen, 2.5, 7, b, instruct; `RTX4090D` -> rtx, 4090, d; `internlm2_5` as `internlm2.5`."""
    return _PIECE.findall(_UNDERSCORE.sub(".", name.lower()))


def length_of_match(wanted: Sequence[str], given: Sequence[str]) -> int:
    """How many pieces of `wanted` stand in `given` in order: all of them, or 0.

    Words may stand between two of them (`qwen 2.5 coder 7 b`), numbers may not: `qwen 9 7 b` is not `qwen 7 b`.
    """
    for start, piece in enumerate(given):
        if wanted and piece == wanted[0] and _follows(wanted[1:], given[start + 1 :]):
            return len(wanted)
    return 0


def _follows(wanted: Sequence[str], given: Sequence[str]) -> bool:
    position = 0
    for piece in given:
        if position == len(wanted):
            return True
        if piece == wanted[position]:
            position += 1
        elif piece[0].isdigit():
            return False
    return position == len(wanted)
