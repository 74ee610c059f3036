"""What a load says of the server, and how far it can be trusted. Pure.

Latency is that of the requests sent within the load's time, failed ones apart. Throughput counts the tokens whose text
arrived within that time, so that neither the first answers on the way nor the last ones bend it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from probes.load.drive import Load, Request
from probes.load.latency import quantile

# Two-sided 95%.
Z = 1.96
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
# A clock that ticks later than this says that the client, not the server, was late: at half of it TTFT against a known schedule
# is off by less than a millisecond (own measurement).
LATE_S = 0.002
# Half of a core leaves no stream waiting for its turn; from here on queueing in the client shows (own measurement).
BUSY_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Goal:
    """What a request must keep to count as good; None where it does not matter. Seconds and milliseconds."""

    ttft_s: float | None = None
    tpot_ms: float | None = None
    e2e_s: float | None = None

    def is_met(self, figures: dict[str, Any]) -> bool:
        wanted = (("ttft_s", self.ttft_s), ("tpot_ms", self.tpot_ms), ("e2e_s", self.e2e_s))
        return all(most is None or (figures[name] is not None and figures[name] <= most) for name, most in wanted)


def summary(load: Load, goal: Goal | None = None) -> dict[str, Any]:
    """All figures of a load as plain data; what cannot be had is None."""
    good = [request for request in load.requests if not request.error]
    figures = [request.figures for request in good]
    tokens = _tokens_in_time(good, load.seconds)
    result: dict[str, Any] = {
        "seconds": load.seconds, "requests": len(load.requests), "failed": _failed(load.requests),
        "requests_per_s": sum(_ended(request) <= load.seconds for request in good) / load.seconds,
        "output_tokens_per_s": tokens / load.seconds,
        "prompt_tokens_mean": _mean([f["prompt_tokens"] for f in figures]),
        "output_tokens_mean": _mean([f["tokens"] for f in figures]),
        "tokens_by": "chunks" if any(f["tokens_by"] == "chunks" for f in figures) else "usage" if figures else None,
        "tokens_per_chunk": _mean([f["tokens_per_chunk"] for f in figures]),
        "ttft_s": spread([f["ttft_s"] for f in figures]),
        "tpot_ms": spread([f["tpot_ms"] for f in figures]),
        "e2e_s": spread([f["e2e_s"] for f in figures]),
        "chunk_gap_p50_ms": _mean([f["gap_p50_ms"] for f in figures]),
        "longest_stall_ms": max((f["stall_ms"] for f in figures if f["stall_ms"] is not None), default=None),
        "concurrency_mean": sum(f["e2e_s"] for f in figures) / load.seconds,
        "client": _client(load),
    }  # fmt: skip
    if goal is not None:
        met = [request for request in good if goal.is_met(request.figures)]
        result["goodput_per_s"] = len(met) / load.seconds
        result["good_share"] = len(met) / len(load.requests) if load.requests else None
    return result


def spread(values: Sequence[float | None]) -> dict[str, Any] | None:
    """Mean and percentiles with their 95% intervals; None without any value.

    The interval of a percentile lies between two of the ordered values (binomial ranks, normal approximation); an end is None
    where there are too few values to bound it. That of the mean is `mean +- 1.96 s / sqrt(n)`.
    """
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    count, mean = len(known), math.fsum(known) / len(known)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in known) / (count - 1)) if count > 1 else None
    margin = None if deviation is None else Z * deviation / math.sqrt(count)
    result: dict[str, Any] = {
        "n": count,
        "mean": mean,
        "mean_95": None if margin is None else [mean - margin, mean + margin],
    }
    for name, share in SHARES.items():
        result[name] = quantile(known, share)
        result[f"{name}_95"] = _interval(known, share)
    return result | {"max": known[-1]}


def _interval(ordered: Sequence[float], share: float) -> list[float | None]:
    count = len(ordered)
    width = Z * math.sqrt(count * share * (1 - share))
    low, high = math.floor(count * share - width), math.ceil(count * share + width)
    return [ordered[low - 1] if low >= 1 else None, ordered[high - 1] if high <= count else None]


def _failed(requests: Sequence[Request]) -> list[dict[str, Any]]:
    """The failures by what they said, the most frequent first."""
    counts: dict[str, int] = {}
    for request in requests:
        if request.error:
            counts[request.error] = counts.get(request.error, 0) + 1
    return [{"error": error, "count": count} for error, count in sorted(counts.items(), key=lambda item: -item[1])]


def _ended(request: Request) -> float:
    return request.sent + (request.figures["e2e_s"] or 0.0)


def _tokens_in_time(requests: Sequence[Request], seconds: float) -> float:
    """Tokens by the share of each answer's chunks that arrived within the time."""
    total = 0.0
    for request in requests:
        if request.texts:
            within = sum(at <= seconds for at in request.texts)
            total += request.figures["tokens"] * within / len(request.texts)
    return total


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _client(load: Load) -> dict[str, Any]:
    """How late and busy the client was, and whether that limits what can be said of the server."""
    lag = quantile(sorted(load.lags), 0.99)
    late = quantile(sorted(request.sent - request.scheduled for request in load.requests), 0.99)
    connects = [request.connect_s for request in load.requests if request.connect_s > 0]
    return {
        "lag_p99_ms": None if lag is None else 1000 * lag, "sent_late_p99_ms": None if late is None else 1000 * late,
        "cpu_share": load.cpu_share, "connections_made": len(connects),
        "connect_p99_ms": 1000 * quantile(sorted(connects), 0.99) if connects else None,
        "was_the_limit": load.cpu_share > BUSY_SHARE or (lag is not None and lag > LATE_S),
    }  # fmt: skip
