"""The speed that the facts state for one stream, whoever stated it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from probes.facts import STRENGTH, Fact, FactSet


@dataclass(frozen=True, slots=True)
class Measured:
    """Tokens a second of one stream.

    Attributes:
        low, high: as stated, None where a single value or an open range was stated.
        at_most: only the sum of an unknown number of streams is known; one of them has at most this.
        shared: the sum over `streams`, divided.
        fact: the statement it comes from.
    """

    value: float
    low: float | None
    high: float | None
    fact: Fact
    at_most: bool = False
    streams: int = 1

    @property
    def token_ms(self) -> float:
        return 1000 / self.value

    @property
    def single_value(self) -> bool:
        return self.low is None and self.high is None


# (fact, whether it is a time a token in ms); among equally strong ones the first wins
OF_ONE_STREAM = (("decode.tpot_ms", True), ("decode.tokens_per_s", False), ("metrics.tpot_mean_ms", True))


def measured(facts: FactSet) -> Measured | None:
    """The strongest statement about the speed of one stream, None where there is none.

    A sum over all streams is divided by their number; where that is unknown it bounds one stream from above. A sum never
    stands in for a single stream's speed.
    """
    stated = [
        (fact, is_time) for name, is_time in OF_ONE_STREAM if (fact := facts.best(name)) and float(fact.value) > 0
    ]
    if stated:
        fact, is_time = max(stated, key=lambda item: STRENGTH[item[0].provenance.origin])
        return _from_time(fact) if is_time else Measured(float(fact.value), fact.low, fact.high, fact)
    return _from_sum(facts)


def _from_time(fact: Fact) -> Measured:
    low, high = (None if bound is None or bound <= 0 else 1000 / bound for bound in (fact.high, fact.low))
    return Measured(1000 / float(fact.value), low, high, fact)


def _from_sum(facts: FactSet) -> Measured | None:
    total = facts.best("decode.total_tokens_per_s")
    if total is None or float(total.value) <= 0:
        return None
    streams = facts.value("load.concurrency")
    if not isinstance(streams, int) or streams < 1:
        return Measured(float(total.value), None, None, total, at_most=True)
    low, high = (None if bound is None else bound / streams for bound in (total.low, total.high))
    return Measured(float(total.value) / streams, low, high, total, streams=streams)
