"""Chinese words written with the wrong characters of the right sound, as input by sound brings them. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from pypinyin import lazy_pinyin

# One sound may stand for several pairs; those that the documents use most come first.
NEAREST = 2


@lru_cache(maxsize=65_536)
def sound(pair: str) -> str:
    """Syllables without tones: 显存 and 险存 are both `xian cun`."""
    return " ".join(lazy_pinyin(pair))


class Homophones:
    """Pairs of neighbouring characters that the documents use, by how they sound."""

    def __init__(self, pairs: Iterable[str]) -> None:
        counted = Counter(pairs)
        self._known = set(counted)
        self._by_sound: defaultdict[str, list[str]] = defaultdict(list)
        for pair, _ in counted.most_common():
            self._by_sound[sound(pair)].append(pair)

    def of(self, pair: str) -> list[str]:
        """What sounds like `pair`; nothing where the documents use it as it is."""
        return [] if pair in self._known else self._by_sound.get(sound(pair), [])[:NEAREST]
