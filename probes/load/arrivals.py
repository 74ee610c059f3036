"""When requests are sent. Pure.

Open loop: at times drawn before the first request, whatever the server does, so that a slow answer delays no later
request (no coordinated omission). Closed loop: each of N clients sends its next request when the last one is answered.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Arrivals:
    """How requests arrive.

    Attributes:
        kind: "poisson" (independent users), "constant" (evenly spaced), "closed" (N clients that wait).
        rate: requests a second of the open kinds. clients: of the closed one.
    """

    kind: Literal["poisson", "constant", "closed"]
    rate: float = 0.0
    clients: int = 0

    def __post_init__(self) -> None:
        if self.kind == "closed" and self.clients < 1:
            raise ValueError("a closed loop needs at least one client")
        if self.kind != "closed" and self.rate <= 0:
            raise ValueError("an open loop needs a rate above zero")


def times(arrivals: Arrivals, seconds: float, seed: int) -> list[float]:
    """Offsets in seconds, from 0 up to `seconds`, of an open loop; the same seed gives the same times."""
    if arrivals.kind == "constant":
        count = int(seconds * arrivals.rate)
        return [number / arrivals.rate for number in range(count)]
    chance, now, found = random.Random(seed), 0.0, []  # noqa: S311  arrivals, no secret
    while (now := now + chance.expovariate(arrivals.rate)) < seconds:
        found.append(now)
    return found
