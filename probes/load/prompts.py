"""What is asked: prompts of a wanted length, with or without a shared beginning. Pure.

A prompt is made of short common words, each one token to the tokenizers of today's models; how long it came out is what the
server counts, and that is reported.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

WORDS = (  # noqa: SIM905  a sentence reads better
    "the sea was calm and all men on deck saw a light far out in the dark so they did not sleep but sat and told old tales of "
    "how the wind came up one day when no one had been ready and what they lost then to it as well as what they had kept"
).split()


@dataclass(frozen=True, slots=True)
class Lengths:
    """Tokens of a prompt or an answer.

    Attributes:
        kind: "fixed", "uniform" (between half and one and a half of the mean), "lognormal" (a few are much longer, as
            in real traffic; sigma 0.6, cut at four times the mean).
    """

    mean: int
    kind: Literal["fixed", "uniform", "lognormal"] = "fixed"

    def draw(self, chance: random.Random) -> int:
        if self.kind == "fixed":
            return self.mean
        if self.kind == "uniform":
            return max(1, round(chance.uniform(0.5, 1.5) * self.mean))
        sigma = 0.6
        drawn = chance.lognormvariate(math.log(self.mean) - sigma**2 / 2, sigma)
        return max(1, min(4 * self.mean, round(drawn)))


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: its prompt and the number of tokens to generate."""

    prompt: str
    tokens: int


def asks(prompt: Lengths, output: Lengths, *, shared: float = 0.0, seed: int = 0) -> Iterator[Ask]:
    """Requests without end, no two with the same prompt: what was asked before, a prefix cache answers.

    Args:
        shared: share of the mean prompt that all begin with (0-1); the rest is new in each, so that a prefix cache
            finds just that share. The same seed gives the same prompts, another one prompts that no cache knows.
    """
    chance = random.Random(seed)  # noqa: S311  words, no secret
    beginning = _words(chance, round(shared * prompt.mean))
    for number in itertools.count():
        rest = max(1, prompt.draw(chance) - len(beginning))
        own = [f"{seed}-{number}", *_words(chance, rest - 1)]
        yield Ask(" ".join([*beginning, *own]), output.draw(chance))


def _words(chance: random.Random, count: int) -> list[str]:
    return chance.choices(WORDS, k=count)
