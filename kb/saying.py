"""What is said in a case: a person's words and the lines that complain, without what tools print in any case. Pure.

The words of a metrics dump or of a start-up log are the same whatever the trouble; they are read as facts.
"""

from __future__ import annotations

from kb.facts import readers
from kb.facts.clean import clean
from kb.text import salient, tells_of_trouble

# Flags say what a person wants, so a command counts as said; a log counts where it complains.
SPOKEN, COMPLAINING = "launch_command", "engine_log"


def said(text: str) -> str:
    """The part of a text to search with; "" where it holds tool output alone."""
    text = clean(salient(text)).text
    pieces, done = [], 0
    for start, end in sorted(_tool_output(text)):
        pieces.append(text[done:start])
        done = max(done, end)
    return "\n".join(piece.strip("\n") for piece in (*pieces, text[done:]) if piece.strip())


def _tool_output(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for reader in readers():
        if reader.KIND == SPOKEN or reader.KIND.startswith("prose_") or reader.recognise(text) <= 0:
            continue
        claimed = reader.claimed(text)
        if reader.KIND == COMPLAINING:
            claimed = [(start, end) for start, end in claimed if not tells_of_trouble(text[start:end])]
        spans += claimed
    return spans
