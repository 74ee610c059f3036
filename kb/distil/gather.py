"""Statements of all posts gathered to lines: those of a known claim together, new ones with those that say the same. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from kb.distil.digest import Line, Place, Post
from kb.distil.match import Matcher, Rarity, Terms
from kb.distil.statements import HAN, Clause, clauses, flags, kind, numbers, polarity, tells_outcome
from kb.distil.units import units
from kb.entry_file import EntryFile
from kb.thread_file import ClaimFile, ClaimKind

# Measured on the two threads whose claims are shipped (`infermary distil --inventory`): below, what is told of another
# claim begins to be taken for this one faster than more is found. Chinese is cut into words long and short and into pairs,
# English only into words, so more of it must be alike; on made-up threads nearly all that was wrong was below this.
SAME_CLAIM = {"zh": 0.33, "en": 0.5}
# Advice is seldom what was meant as a statement, and the other way round: of such a pair so much is left.
OTHER_KIND = 0.9
ADVICE = ("fix", "diagnostic-step")
# Two clauses of a thread share its subject, so more must be alike than with a claim.
SAME_STATEMENT = 0.55
# An entry's phrases name many things, any of which may be what it is about.
SAME_ENTRY = {"zh": 0.4, "en": 0.5}
# A claim is looked for in so many clauses together.
WIDEST = 3
# Of the claims that the same clauses fit, these are kept: one clause may say two things ("check A and B").
MOST_AT_ONCE = 2
NEAR_BEST = 0.85


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a post that state something."""

    post: int
    start: int
    end: int
    quote: str
    text: str
    terms: Terms
    score: float = 1.0

    @classmethod
    def of(cls, post: Post, part: Sequence[Clause], score: float = 1.0, terms: Terms | None = None) -> Said:
        start, end = part[0].start, part[-1].end
        return cls(post.number, start, end, post.text[start:end], _text(part), terms or _terms(part), score)


def _text(part: Sequence[Clause]) -> str:
    return ", ".join(clause.text for clause in part)


def _terms(part: Sequence[Clause]) -> Terms:
    return Terms.of(_text(part), tuple(word for clause in part for word in clause.words))


def _language(text: str) -> Literal["zh", "en"]:
    return "zh" if HAN.search(text) else "en"


@dataclass
class Known:
    """The claims and entries that statements are compared with."""

    entries: Iterable[EntryFile]
    claims: Iterable[ClaimFile]
    by_key: Mapping[str, ClaimFile] = field(init=False)
    rarity: Rarity = field(init=False)
    _claims: Matcher = field(init=False)
    _entries: Matcher = field(init=False)

    def __post_init__(self) -> None:
        self.by_key = {claim.key: claim for claim in self.claims}
        claims = [(key, Terms.of(text)) for key, c in self.by_key.items() for text in _wordings(c)]
        entries = [(entry.slug, Terms.of(text)) for entry in self.entries for text in _passages(entry)]
        self.rarity = Rarity(terms for _, terms in (*claims, *entries))
        self._claims, self._entries = Matcher(self.rarity), Matcher(self.rarity)
        for matcher, passages in ((self._claims, claims), (self._entries, entries)):
            for name, terms in passages:
                matcher.add(name, terms)

    def claims_like(self, terms: Terms, text: str) -> list[tuple[float, str]]:
        """The claims that a text may state, each with its likeness."""
        least = SAME_CLAIM[_language(text)]
        like = [(score, key) for key, score in self._claims.likeness(terms).items() if score >= least]
        advises = bool(like) and kind(text) in ADVICE
        like = [(s if advises == (self.by_key[key].kind in ADVICE) else s * OTHER_KIND, key) for s, key in like]
        return [(score, key) for score, key in like if score >= least]

    def entry_of(self, said: Said, among: Sequence[str] = ()) -> str:
        """The entry that a statement concerns; `among` are those that its claim names already."""
        like = self._entries.likeness(said.terms)
        if among:
            return max(among, key=lambda slug: like.get(slug, 0.0))
        best = max(like, key=lambda slug: like[slug], default="")
        return best if best and like[best] >= SAME_ENTRY[_language(said.text)] else ""


_ASIDE = re.compile(r"[（(][^（）()]*[）)]")
_REST = re.compile(r"[：；;]|: ")
# What stands before the colon may be a mere "first step".
SHORTEST = 5


def _wordings(claim: ClaimFile) -> Iterator[str]:
    """A claim in both languages: whole, without its asides, and the part that the rest explains."""
    for text in (claim.statement.zh, claim.statement.en):
        short = _ASIDE.sub("", text)
        first = _REST.split(short)[0]
        yield from dict.fromkeys(part for part in (text, short, first) if len(part) >= SHORTEST)


def _passages(entry: EntryFile) -> list[str]:
    return [entry.title.zh, entry.title.en, *entry.phrases.zh, *entry.phrases.en]


def lines(posts: Sequence[Post], known: Known) -> list[Line]:
    """Every line of a thread, those that most posts say first."""
    told: dict[str, list[Said]] = defaultdict(list)
    new: list[Said] = []
    for post in posts:
        found = clauses(post)
        taken: set[Clause] = set()
        for key, part, terms, score in _matched(found, known):
            told[key].append(Said.of(post, part, score, terms))
            taken.update(part)
        new += [Said.of(post, unit) for unit in units(found) if not taken.intersection(unit)]
    gathered = [_known_line(known.by_key[key], said, known) for key, said in told.items()]
    gathered += [_new_line(said, known) for said in _alike(new, known.rarity)]
    return sorted(gathered, key=lambda line: (-len(line.posts), line.said[0].post, line.said[0].start))


# what is known


Match = tuple[str, Sequence[Clause], Terms, float]


def _matched(found: Sequence[Clause], known: Known) -> Iterator[Match]:
    """The claims that the clauses of a post state, each once a sentence, with the clauses that state it best."""
    for _, group in groupby(found, key=lambda clause: clause.sentence):
        sentence = list(group)
        best: dict[str, Match] = {}
        for part in _windows(sentence):
            terms = _terms(part)
            for score, key in known.claims_like(terms, _text(part)):
                if key not in best or score > best[key][3]:
                    best[key] = (key, part, terms, score)
        yield from ((key, _with_outcome(part, sentence), terms, s) for key, part, terms, s in _kept(best.values()))


def _with_outcome(part: Sequence[Clause], sentence: Sequence[Clause]) -> Sequence[Clause]:
    """The clauses and the one after them, where that says nothing but what came of it."""
    rest = sentence[sentence.index(part[-1]) + 1 :]
    return [*part, rest[0]] if rest and not rest[0].tells and tells_outcome(rest[0].text) else part


def _windows(sentence: Sequence[Clause]) -> Iterator[Sequence[Clause]]:
    for width in range(1, WIDEST + 1):
        for at in range(len(sentence) - width + 1):
            part = sentence[at : at + width]
            if any(clause.tells for clause in part):
                yield part


def _kept(matches: Iterable[Match]) -> Iterator[Match]:
    over: dict[Clause, list[float]] = defaultdict(list)
    for match in sorted(matches, key=lambda match: -match[3]):
        others = [over[clause] for clause in match[1]]
        if any(len(scores) < MOST_AT_ONCE and match[3] >= NEAR_BEST * max(scores, default=0.0) for scores in others):
            for scores in others:
                scores.append(match[3])
            yield match


def _known_line(claim: ClaimFile, said: Sequence[Said], known: Known) -> Line:
    best = max(said, key=lambda one: one.score)
    entry = known.entry_of(best, claim.entries) if claim.entries else ""
    return _line(said, best, claim.kind, claim=claim.key, verdict=claim.verdict, entry=entry)


# what is new


def _alike(said: Sequence[Said], rarity: Rarity) -> list[list[Said]]:
    """Statements together with the first that says the same."""
    groups: list[list[Said]] = []
    group_of: dict[str, int] = {}
    first = Matcher(rarity)
    for one in said:
        number = group_of.get(one.text)
        if number is None:
            number = group_of[one.text] = _nearest(first, one, len(groups))
            if number == len(groups):
                first.add(str(number), one.terms)
                groups.append([])
        groups[number].append(one)
    return groups


def _nearest(first: Matcher, one: Said, otherwise: int) -> int:
    like = first.likeness(one.terms)
    nearest = max(like, key=lambda name: like[name], default="")
    return int(nearest) if nearest and like[nearest] >= SAME_STATEMENT else otherwise


def _new_line(said: Sequence[Said], known: Known) -> Line:
    kinds = Counter(kind(one.text) for one in said)
    return _line(said, said[0], kinds.most_common(1)[0][0], entry=known.entry_of(said[0]))


def _line(said: Sequence[Said], best: Said, what: ClaimKind, **matched: str) -> Line:
    ways = Counter(polarity(one.text, what) for one in said)
    return Line(
        kind=what, language=_language(best.quote), statement=" ".join(best.quote.split()),
        polarity=ways.most_common(1)[0][0], said=tuple(Place(one.post, one.start, one.end) for one in said),
        flags=_each(flags(one.text) for one in said), numbers=_each(numbers(one.text) for one in said), **matched,
    )  # fmt: skip


def _each(found: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for several in found for one in several))
