"""What a thread says, line by line, as pages and the terminal read it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kb.thread_file import ClaimKind, Verdict

# advised: try, check, suspect it; worked: it helped the one who tells; no-effect: it did not; denied: it is not so.
Polarity = Literal["advised", "stated", "worked", "no-effect", "denied"]


@dataclass(frozen=True, slots=True)
class Post:
    """One post of a thread.

    Attributes:
        number: as the thread numbers it, else counted from 1.
        author: "" where the thread does not say.
        start, end: its characters in the thread, `text` being exactly these.
    """

    number: int
    author: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Characters of a post's text."""

    post: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Line:
    """One statement, said by one post or by several.

    Attributes:
        language: "zh" or "en", that of `statement`.
        statement: in the words of the post that says it best.
        polarity: of most of the posts that say it.
        said: each place that says it, in the order of the thread; a post may say it twice.
        flags: launch flags and variables named, in one spelling (`--max-model-len`).
        numbers: figures with their units, as written.
        claim: key of the known claim that this is, "" where it is new.
        verdict: of that claim; "" where it is new.
        entry: slug of the entry that it concerns, "" where none does.
    """

    kind: ClaimKind
    language: Literal["zh", "en"]
    statement: str
    polarity: Polarity
    said: tuple[Place, ...]
    flags: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    claim: str = ""
    verdict: Verdict | Literal[""] = ""
    entry: str = ""

    @property
    def posts(self) -> tuple[int, ...]:
        """Numbers of the posts that say it, each once."""
        return tuple(dict.fromkeys(place.post for place in self.said))

    @property
    def is_known_wrong(self) -> bool:
        return self.verdict in ("wrong", "not-a-real-option")


@dataclass(frozen=True, slots=True)
class Digest:
    """The posts of a thread and what they say, most repeated first."""

    posts: tuple[Post, ...]
    lines: tuple[Line, ...]


class TooLong(ValueError):
    """More than is read; `zh` and `en` say what to do."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(en)
        self.zh, self.en = zh, en
