"""Normalises pasted text for matching and maps positions back to the text as given. Pure.

Full-width characters become ASCII, terminal colours go, HTML escapes are resolved, control characters become
spaces. Linear in the length of the text.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass

# Everything here is one character for one, so positions do not move.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_PUNCTUATION = str.maketrans("　\u00a0\u2013\u2014\u2212\u2010\u2011“”‘’×＊～", "  -----\"\"''x*~")
_CONTROL = {code: " " for code in range(32) if chr(code) not in "\t\n\x1b"}
# Half a character, as a broken JSON escape leaves it; no encoder takes it.
_LONE_SURROGATE = {code: "\ufffd" for code in range(0xD800, 0xE000)}
_TABLE = _FULL_WIDTH | _PUNCTUATION | _CONTROL | _LONE_SURROGATE

# Terminal control sequences, and the HTML escapes that forums and trackers leave in code.
_SEQUENCES = re.compile(r"\x1b\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\x1b|&(?:amp|lt|gt|quot|nbsp|#39|#x27|#x2F|#34);")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Normalised text.

    Attributes:
        text: what readers match.
        marks: positions in `text` from which on the distance to the original differs.
        shifts: for each mark, original position - position in `text`.
    """

    text: str
    marks: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def _shift(self, position: int) -> int:
        index = bisect_right(self.marks, position) - 1
        return self.shifts[index] if index >= 0 else 0

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original text that became `text[start:end]`."""
        if end <= start:
            return start + self._shift(start), start + self._shift(start)
        return start + self._shift(start), end + self._shift(end - 1)


def clean(text: str) -> Cleaned:
    """`text` normalised, with its map of positions."""
    flat = text.translate(_TABLE)
    if "\x1b" not in flat and "&" not in flat:
        return Cleaned(flat)
    pieces, marks, shifts, done, length = [], [], [], 0, 0
    for match in _SEQUENCES.finditer(flat):
        kept = flat[done : match.start()]
        replacement = _replacement(match.group())
        pieces += [kept, replacement]
        length += len(kept) + len(replacement)
        done = match.end()
        marks.append(length)
        shifts.append(done - length)
    pieces.append(flat[done:])
    return Cleaned("".join(pieces), tuple(marks), tuple(shifts))


def _replacement(sequence: str) -> str:
    if sequence.startswith("\x1b"):
        return ""
    return html.unescape(sequence).replace("\u00a0", " ")
