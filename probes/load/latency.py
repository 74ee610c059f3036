"""Statistics of streamed answers. Pure.

TTFT is the time to the first non-empty text (reasoning and tool calls count); the first event, which may carry only
the role, is told apart. TPOT = (last text - first text) / (tokens - tokens of the first chunk). A chunk may hold
several tokens, and several chunks may arrive in one read: gaps are between reads that brought text.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from statistics import median
from typing import Any

SAME_READ_S = 0.0005
"""Chunks closer than this came out of one read of the socket; half a millisecond is a tenth of the fastest decode
step of a 7B on an H200 (4.6 ms)."""


@dataclass(slots=True)
class Stream:
    """What one streamed request brought, times in seconds since it was sent.

    Attributes:
        first_event: the first event of any kind, None if none came.
        texts: (time, characters) of each chunk that held text, in order.
        usage: (time, completion tokens) each time the server counted.
        prompt_tokens: as the server counted, None if it did not.
        finished: the end of the answer. error: why it failed, "" if it did not.
        busy: seconds in which the reader ran or waited for a CPU, None if the system does not tell.
        cut: it was broken off at the time limit; what came until then still counts.
    """

    first_event: float | None = None
    texts: list[tuple[float, int]] = field(default_factory=list)
    usage: list[tuple[float, int]] = field(default_factory=list)
    prompt_tokens: int | None = None
    finished: float = 0.0
    error: str = ""
    cut: bool = False
    busy: float | None = None


def figures(stream: Stream) -> dict[str, Any]:
    """The figures of one answer; those that cannot be had are None.

    `tokens_by` says who counted: "usage" (the server) or "chunks" (one chunk taken as one token, which is wrong
    wherever a server packs several into one; then TPOT is that of chunks).
    """
    tokens = stream.usage[-1][1] if stream.usage else None
    counted = tokens if tokens is not None else len(stream.texts)
    times = [time for time, _ in stream.texts]
    gaps = sorted(later - one for one, later in itertools.pairwise(times) if later - one > SAME_READ_S)
    first = first_chunk_tokens(stream, counted)
    after_first = counted - first
    spread = times[-1] - times[0] if times else 0.0
    return {
        "ttft_s": _rounded(times[0] if times else None), "first_event_s": _rounded(stream.first_event),
        "e2e_s": _rounded(stream.finished), "tokens": counted, "tokens_by": "chunks" if tokens is None else "usage",
        "prompt_tokens": stream.prompt_tokens, "chunks": len(times), "first_chunk_tokens": first,
        "tpot_ms": _rounded(1000 * spread / after_first if after_first > 0 and spread > 0 else None, 3),
        "gap_p50_ms": _ms(quantile(gaps, 0.5)), "gap_p99_ms": _ms(quantile(gaps, 0.99)), "stall_ms": _ms(max(gaps, default=None)),
        "reader_busy_s": _rounded(stream.busy), "tokens_per_chunk": _rounded(counted / len(times) if times else None, 2),
    }  # fmt: skip


def is_trusted(run: dict[str, Any]) -> bool:
    """Whether the reader of the stream kept up: idle, waiting for chunks, for at least half of the decoding time. One
    that is busy all the time finds chunks piled up, and takes their spread for the server's."""
    if run.get("reader_busy_s") is None or run.get("tpot_ms") is None:
        return True
    decoding = run["tpot_ms"] / 1000 * (run["tokens"] - run["first_chunk_tokens"])
    return run["reader_busy_s"] <= 0.5 * decoding


def first_chunk_tokens(stream: Stream, tokens: int) -> int:
    """Tokens of the first chunk: as the server counted with it, else by its share of the characters, at least one."""
    if not stream.texts:
        return 0
    first_text, characters = stream.texts[0]
    with_first = [count for time, count in stream.usage if abs(time - first_text) < 1e-9]
    if with_first and len(stream.usage) > 1:
        return with_first[0]
    total = sum(count for _, count in stream.texts)
    return max(1, round(tokens * characters / total)) if total else 1


def quantile(ordered: list[float], share: float) -> float | None:
    """The value below which `share` of an ordered list lies, by nearest rank; None of nothing."""
    if not ordered:
        return None
    rank = -(-len(ordered) * share // 1)
    return ordered[min(len(ordered), max(1, int(rank))) - 1]


def middle(runs: list[dict[str, Any]], name: str) -> float | None:
    """The median of one figure over runs, None if no run has it."""
    values = [run[name] for run in runs if run.get(name) is not None]
    return median(values) if values else None


def _rounded(value: float | None, digits: int = 5) -> float | None:
    return None if value is None else round(value, digits)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(1000 * seconds, 3)
