"""A log of any length in bounded memory: its beginning, its end, and from between each line of a shape not seen before.

Lines are of one shape where they differ in digits alone; of a server's log of gigabytes there are some thousand shapes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

# What is kept of both ends, and of what lies between; together less than what is read of a file whole.
END_BYTES = 4 << 20
MIDDLE_BYTES = 8 << 20
# A longer line is data, not a message.
LONGEST_LINE = 4096
_DIGITS = b"0123456789"


def condense(lines: Iterable[bytes]) -> bytes:
    """The lines that tell, in their order. A gap is marked by an empty line."""
    beginning: list[bytes] = []
    middle: list[bytes] = []
    end: deque[bytes] = deque()
    room, kept, held = END_BYTES, MIDDLE_BYTES, 0
    seen: set[int] = set()
    for line in lines:
        if room > 0:
            beginning.append(line)
            room -= len(line)
            continue
        end.append(line)
        held += len(line)
        while held > END_BYTES:
            old = end.popleft()
            held -= len(old)
            shape = hash(old[:LONGEST_LINE].translate(None, _DIGITS))
            if shape not in seen and kept > 0:
                seen.add(shape)
                middle.append(old[:LONGEST_LINE])
                kept -= len(old[:LONGEST_LINE])
    return b"\n".join((b"".join(beginning), b"".join(middle), b"".join(end)))
