"""Which known claim or entry a statement is. Pure.

Both are passages: a claim's statement, an entry's title and phrases, each in both languages. A statement and a passage are
compared as vectors of their terms, each weighed by how rare it is among the passages (the idf of BM25); flags and figures
are terms too, a flag in whatever spelling. What is said the other way round, raised against lowered or denied against
stated, is not the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import re2

from kb.distil.statements import flags
from kb.text import GLOSSARY_WEIGHT, glossary, words

_HAN = re.compile(r"[\u3400-\u9fff]+")
_FIGURE = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:\.\d+)?")
_UP = re.compile(
    r"调大|调高|提高|加大|增大|增加|拉到|拉高|升到|太小|太低|不够|过小|\b(?:rais|increas|higher|larger|bigger|too (?:small|low))",
    re.I,
)
_DOWN = re.compile(
    r"调小|调低|降到|降低|减小|减少|压到|设小|调小|太大|过大|太高|\b(?:lower|reduc|decreas|small(?:er)?\b|too (?:large|big|high))",
    re.I,
)
_NOT = re.compile(r"不是|并非|不在|没有?必要|不至于|不该|\b(?:not|isn't|aren't|never|no need)\b", re.I)
# What a term counts, beside its rarity: names of programs and flags tell most, two characters of a Chinese word little.
FLAG_WEIGHT = 1.5
LATIN_WEIGHT = 1.3
PAIR_WEIGHT = 0.2
# So much of its likeness keeps what is raised instead of lowered, what is denied instead of stated (a line may deny a
# claim), and what lacks all rare names of the passage.
OPPOSITE = 0.3
DENIED = 0.6
NAMELESS = 0.85
# So much of a passage, by weight, must be there at least: few common words are no statement.
COVERED = 0.2
FEWEST_WORDS = 2
# A term is looked up in so many passages at most, so that the time for a long thread grows with its length only.
MOST_HAVING = 1000
# A name is rare that so many passages have at most.
RARE_SHARE = 0.03
# A term that no passage has tells as much as one that so many have.
UNSEEN_SHARE = 0.1
# How advice is given and doubt is spoken; the kind of a statement tells as much.
_TALK = frozenset(
    [
        "试试",
        "试",
        "试下",
        "尝试",
        "看看",
        "看",
        "看下",
        "建议",
        "可以",
        "先",
        "一下",
        "检查",
        "查",
        "确认",
        "排查",
        "观察",
        "跑",
        "用",
        "会",
        "能",
        "有",
        "没有",
        "这个",
        "那个",
        "可能",
        "应该",
        "大概",
        "大概率",
        "怀疑",
        "确实",
        "其实",
        "直接",
        "比如",
        "如果",
        "另外",
        "时候",
        "有时候",
        "有时",
        "情况",
        "问题",
        "东西",
        "而且",
        "反而",
        "说明",
        "左右",
        "之类",
        "不是",
        "是不是",
        "什么",
        "怎么",
        "你",
        "我",
        "它",
        "他",
        "他们",
        "try",
        "check",
        "see",
        "look",
        "make",
        "sur",
        "may",
        "might",
        "could",
        "should",
        "would",
        "can",
        "you",
        "your",
        "it",
        "thing",
        "use",
        "using",
        "just",
        "also",
        "if",
    ]
)
_NAME = re.compile(r"[a-z]{3}")
_JOINED = re.compile(r"[_\-/]")


@cache
def _synonyms() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Words of a glossary term -> words of what means the same."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for one, other in glossary():
        a, b = words(one), words(other)
        if a and b:
            found[a] = found.get(a, ()) + b
            found[b] = found.get(b, ()) + a
    return found


def _meanings(own: tuple[str, ...]) -> set[str]:
    """What the glossary adds, looked up by words so that the time does not grow with the glossary."""
    table, found = _synonyms(), set[str]()
    for length in (1, 2, 3):
        for at in range(len(own) - length + 1):
            found.update(table.get(own[at : at + length], ()))
    return found - set(own)


# Ways to say the same in either language, one a line; a longer one is looked for first.
SYNONYMS = Path(__file__).with_name("synonyms.tsv")


@cache
def _ways() -> tuple[re2._Regexp, dict[str, str]]:
    """A pattern of all ways to say something, and for each the first of its line."""
    means: dict[str, str] = {}
    for line in SYNONYMS.read_text("utf-8").splitlines():
        first, *others = (way.strip() for way in line.split("\t"))
        means |= {way: first for way in (first, *others) if way}
    pattern = "|".join(_whole(way) for way in sorted(means, key=len, reverse=True))
    return re2.compile(f"(?i){pattern}"), means


def _whole(way: str) -> str:
    """A Latin way begins at a word's beginning."""
    return (r"\b" if way[0].isascii() and way[0].isalpha() else "") + re2.escape(way)


def _said(text: str) -> set[str]:
    pattern, means = _ways()
    return {means[match.group().lower()] for match in pattern.finditer(text)}


def _pairs(text: str) -> set[str]:
    """Two Chinese characters that stand together."""
    return {run[at : at + 2] for run in _HAN.findall(text) for at in range(len(run) - 1)}


def _tells(word: str) -> bool:
    """A joined word is there in its parts, and whole as a flag."""
    return word not in _TALK and not _JOINED.search(word)


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text.

    Attributes:
        weights: of each term, beside its rarity.
        names: the terms that name a program, a part or a flag.
        up, down, negated: which way it points.
    """

    weights: Mapping[str, float]
    names: frozenset[str]
    up: bool
    down: bool
    negated: bool

    @classmethod
    def of(cls, text: str, own: tuple[str, ...] | None = None) -> Terms:
        own = words(text) if own is None else own
        weights = dict.fromkeys(_meanings(own), GLOSSARY_WEIGHT)
        weights |= {word: LATIN_WEIGHT if word.isascii() else 1.0 for word in own if _tells(word)}
        weights |= {f"flag {flag}": FLAG_WEIGHT for flag in flags(text)}
        weights |= {f"figure {figure}": 1.0 for figure in _FIGURE.findall(text)}
        weights |= {f"means {way}": 1.0 for way in _said(text)}
        weights |= {f"pair {pair}": PAIR_WEIGHT for pair in _pairs(text)}
        names = frozenset(term for term in weights if term.startswith("flag ") or (term in own and _NAME.search(term)))
        return cls(weights, names, bool(_UP.search(text)), bool(_DOWN.search(text)), bool(_NOT.search(text)))

    def agreement(self, other: Terms) -> float:
        """How much of a likeness is left by the ways that the two point."""
        opposite = (self.up and other.down and not other.up) or (self.down and other.up and not other.down)
        return (OPPOSITE if opposite else 1.0) * (DENIED if self.negated != other.negated else 1.0)


class Rarity:
    """How much a term tells: the idf of BM25 over the passages given."""

    def __init__(self, passages: Iterable[Terms]) -> None:
        counted: Counter[str] = Counter()
        self._total = 0
        for terms in passages:
            counted.update(terms.weights.keys())
            self._total += 1
        self._idf = {term: self._of(having) for term, having in counted.items()}
        self._unseen = self._of(max(1.0, UNSEEN_SHARE * self._total))
        self._rare = self._of(RARE_SHARE * self._total)

    def _of(self, having: float) -> float:
        return math.log(1 + (self._total - having + 0.5) / (having + 0.5))

    def telling(self, terms: Terms) -> frozenset[str]:
        """The names in a passage that few others have."""
        return frozenset(name for name in terms.names if self._idf.get(name, 0.0) >= self._rare)

    def weighed(self, terms: Terms) -> dict[str, float]:
        """The vector of a text, of length 1."""
        vector = {term: weight * self._idf.get(term, self._unseen) for term, weight in terms.weights.items()}
        norm = math.sqrt(sum(value * value for value in vector.values())) or 1.0
        return {term: value / norm for term, value in vector.items()}


def key_words(text: str) -> frozenset[str]:
    """The words and figures of a text without talk, as two texts are held side by side to see whether they say the same."""
    figures = (f"figure {figure}" for figure in _FIGURE.findall(text))
    return frozenset((*(word for word in words(text) if word not in _TALK), *figures))


@dataclass
class Matcher:
    """Named passages, of which a text may be one said otherwise; a name may have several, and new ones may be added."""

    rarity: Rarity
    _named: list[tuple[str, Terms, frozenset[str]]] = field(default_factory=list)
    _having: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, terms: Terms) -> None:
        for term, value in self.rarity.weighed(terms).items():
            self._having[term].append((len(self._named), value))
        self._named.append((name, terms, self.rarity.telling(terms)))

    def likeness(self, terms: Terms) -> dict[str, float]:
        """Name -> likeness 0-1 of its nearest passage, for all that share a term."""
        shared: dict[int, float] = defaultdict(float)
        covered: dict[int, float] = defaultdict(float)
        plain: Counter[int] = Counter()
        for term, value in self.rarity.weighed(terms).items():
            for number, other in self._having.get(term, ())[:MOST_HAVING]:
                shared[number] += value * other
                covered[number] += other * other
                plain[number] += " " not in term and terms.weights[term] >= 1
        best: dict[str, float] = {}
        for number, score in shared.items():
            name, passage, telling = self._named[number]
            if score <= best.get(name, 0.0) or covered[number] < COVERED or plain[number] < FEWEST_WORDS:
                continue
            score *= terms.agreement(passage)
            score *= NAMELESS if telling and telling.isdisjoint(terms.weights) else 1.0
            best[name] = max(score, best.get(name, 0.0))
        return best
