"""Words near a mistyped or half-typed one, among the words that the documents use. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

# Two letters swapped, or one wrong, in a word of five leave a ratio of 0.8; in a longer word, more.
NEAR = 0.8
# In shorter words one letter is the difference between words.
LEAST_LETTERS = 4
LEAST_BEGINNING = 3
CANDIDATES, NEAREST, BEGINNINGS = 24, 2, 6


def _pairs(word: str) -> set[str]:
    framed = f"^{word}$"
    return {framed[i : i + 2] for i in range(len(framed) - 1)}


class Spelling:
    """The words to correct to, found by the pairs of letters that they share with what was typed."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted({word for word in words if word.isascii() and len(word) >= LEAST_BEGINNING})
        self._known = set(self._words)
        self._by_pair: defaultdict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self._words):
            for pair in _pairs(word):
                self._by_pair[pair].append(number)

    def knows(self, word: str) -> bool:
        """Whether it is a word, or too short or of another script to be judged."""
        return word in self._known or len(word) < LEAST_BEGINNING or not word.isascii()

    def near(self, word: str) -> list[str]:
        """The words that `word` was probably meant to be, nearest first; none where it is a word."""
        if self.knows(word) or len(word) < LEAST_LETTERS:
            return []
        shared = Counter(number for pair in _pairs(word) for number in self._by_pair.get(pair, ()))
        found = [(self._likeness(word, number), self._words[number]) for number, _ in shared.most_common(CANDIDATES)]
        return [other for ratio, other in sorted(found, reverse=True)[:NEAREST] if ratio >= NEAR]

    def _likeness(self, word: str, number: int) -> float:
        return SequenceMatcher(None, word, self._words[number], autojunk=False).ratio()

    def beginning(self, start: str) -> list[str]:
        """The words that begin with what was typed so far, shortest first."""
        if len(start) < LEAST_BEGINNING or not start.isascii():
            return []
        first = bisect_left(self._words, start)
        last = bisect_left(self._words, start + "\x7f")
        return sorted(self._words[first:last], key=len)[:BEGINNINGS]
