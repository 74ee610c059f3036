"""How much of what people found in a thread by hand the digest finds. Pure.

An inventory is JSON: {"claims": [{"id", "claim", "posts", "zh", "thread"}, ...], "meta": {"threads": {"1": FILE}}}; "zh" (the
key words of the thread itself, " / " between ways to say it) may be missing, then "claim" is taken; "thread" where it holds
claims of several threads; a post is its number or "OP".

When a claim counts as found
- known: the claims of the inventory are among the known ones, by the same keys. A line must be matched to this very claim and
  be said by one of the claim's own posts.
- alone: they are not, nor those of the other threads of the inventory, so that nothing but extraction is measured. A place of a line, in one of the claim's own posts, must have
  at least `SHARE` of the key words and figures of the claim. A place is a clause or a few (at most `units.MOST_CHARS`
  characters), never a post, and stands for one claim only: the largest number of claims that can be given a place each is
  counted.

Precision is what of the digest the inventory confirms: known, (line, post) pairs of matched lines whose post the claim has;
alone, lines of which a place fits a claim. An inventory leaves out what its maker found not worth it, so it is a lower bound.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from kb.distil.digest import Digest
from kb.distil.match import key_words

SHARE = 0.6
WAYS = " / "


@dataclass(frozen=True, slots=True)
class Listed:
    """A claim of an inventory.

    Attributes:
        ways: the key words of each way to say it.
        posts: numbers of the posts that make it.
    """

    key: str
    claim: str
    ways: tuple[frozenset[str], ...]
    posts: frozenset[int]


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one measurement.

    Attributes:
        missed: keys of the claims that were not found.
        confirmed, given: what the inventory confirms, of how much that was given.
    """

    listed: int
    missed: tuple[str, ...]
    confirmed: int
    given: int

    @property
    def found(self) -> int:
        return self.listed - len(self.missed)

    def to_json(self) -> dict[str, Any]:
        return {
            "listed": self.listed, "found": self.found, "recall": _share(self.found, self.listed),
            "confirmed": self.confirmed, "given": self.given, "precision": _share(self.confirmed, self.given),
            "missed": list(self.missed),
        }  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def read(text: str, file: str) -> tuple[list[Listed], frozenset[str]]:
    """The claims of the thread in `file` (of an inventory that names no files, all), and the keys of all its claims.

    Raises:
        ValueError: no inventory, or none of this thread.
    """
    try:
        data = json.loads(text)
        threads = data.get("meta", {}).get("threads", {})
        names = {PurePath(path).name: int(number) for number, path in threads.items()}
        rows = [row for row in data["claims"] if not names or row["thread"] == names.get(PurePath(file).name)]
        listed = [_listed(row) for row in rows]
        keys = frozenset(str(row["id"]) for row in data["claims"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"no inventory of claims: {error!r}") from error
    if not listed:
        raise ValueError(f"the inventory has no claims of {PurePath(file).name}")
    return listed, keys


def _listed(row: Mapping[str, Any]) -> Listed:
    ways = str(row.get("zh") or row["claim"]).split(WAYS)
    posts = frozenset(1 if post == "OP" else int(post) for post in row["posts"])
    return Listed(str(row["id"]), str(row["claim"]), tuple(words for way in ways if (words := key_words(way))), posts)


def known(digest: Digest, listed: Sequence[Listed]) -> Measured:
    """With the inventory's claims among the known ones."""
    own = {claim.key: claim.posts for claim in listed}
    said = [(line.claim, post) for line in digest.lines if line.claim for post in line.posts]
    right = [(key, post) for key, post in said if post in own.get(key, ())]
    found = {key for key, _ in right}
    return Measured(len(listed), tuple(key for key in own if key not in found), len(right), len(said))


def alone(digest: Digest, listed: Sequence[Listed]) -> Measured:
    """Without them."""
    texts = {post.number: post.text for post in digest.posts}
    places = [(n, place) for n, line in enumerate(digest.lines) for place in line.said]
    words = [key_words(texts[place.post][place.start : place.end]) for _, place in places]
    fits = {
        claim.key: [
            i for i, (_, place) in enumerate(places)
            if place.post in claim.posts and any(len(way & words[i]) >= SHARE * len(way) for way in claim.ways)
        ]
        for claim in listed
    }  # fmt: skip
    given = _assigned(fits)
    told = {places[i][0] for found in fits.values() for i in found}
    return Measured(len(listed), tuple(key for key in fits if key not in given), len(told), len(digest.lines))


def _assigned(fits: Mapping[str, Iterable[int]]) -> set[str]:
    """The claims that get a place when as many as possible get one each (augmenting paths)."""
    holder: dict[int, str] = {}

    def gets_one(key: str, tried: set[int]) -> bool:
        for place in fits[key]:
            if place in tried:
                continue
            tried.add(place)
            if place not in holder or gets_one(holder[place], tried):
                holder[place] = key
                return True
        return False

    for key in fits:
        gets_one(key, set())
    return set(holder.values())
