"""Posts of a pasted thread told apart: forum floors, issue comments, mails, numbered posts, else blocks between blank lines.

Each way of marking a post is one pattern of whole lines. The first that a text has at least twice is taken: a thread is
marked in one way throughout. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from kb.distil.digest import Post

_DATE = (
    r"(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?:[ T]\d{1,2}:\d\d(?::\d\d)?)?|\d{1,2}[-/]\d{1,2}(?: \d{1,2}:\d\d)"
    r"|(?:on )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2}(?:, \d{4})?(?:,? (?:at )?\d{1,2}:\d\d(?: ?[AP]M)?)?"
    r"|(?:\d{1,3}|an?|last|a few) ?(?:second|minute|min|hour|hr|day|week|month|year|[hdwmy])s?\.?(?: ago)?|yesterday|just now"
    r"|\d{1,3} ?(?:秒|分钟|小时|天|周|个月|年)前|昨天|前天|刚刚)"
)
_NAME = r"(?!on )@?[\w.\-\u4e00-\u9fff]{1,40}"
_ROLE = r"(?: ?[(\[](?:OP|Author|Owner|Member|Contributor|Collaborator|Maintainer|bot|楼主)[)\]]| ?(?:OP|Author|Owner|Member|Contributor|Collaborator|Maintainer|bot|楼主))?"
# Each with the groups `number` and `author` where the mark tells them.
MARKS = tuple(
    re.compile(rf"(?im)^[ \t]*{pattern}[ \t]*$")
    for pattern in (
        r"(?:第 ?)?(?P<number>\d{1,5}) ?(?:楼|[lL]|#)[:：.]?(?: {1,4}(?P<author>" + _NAME + r"))?(?: .{0,40})?",
        r"(?P<op>楼主|沙发|板凳|地板)[:：]?",
        rf"[#＃](?P<number>\d{{1,5}})(?:[ :.：]+(?P<author>{_NAME}))?{_ROLE}(?:[ ,·|—-]+{_DATE})?",
        rf"(?:#+ |\*\*)?(?P<author>{_NAME})(?:\*\*)?{_ROLE} (?:commented|opened (?:this|the) issue|replied|answered|posted|wrote|asked|started (?:this|the) (?:discussion|conversation)|said)(?:[ ,·•|—-]*(?:on )?{_DATE})?[^\n]{{0,40}}",
        r"On [^\n]{4,80}, (?P<author>[^\n<]{1,60})(?: ?<[^>\n]{3,80}>)? wrote:",
        r"From: (?P<author>[^\n<]{1,60}?)(?: ?<[^>\n]{3,80}>)?",
        rf"(?P<author>{_NAME})(?:[ \t]{{1,4}}.{{0,20}})?\n[ \t]*{_DATE}",
        rf"(?P<author>{_NAME}){_ROLE} ?[·•|,:—-]? ?{_DATE}(?: ?[·•|].{{0,40}})?",
        rf"(?P<author>{_NAME}) ?(?:发表于|回复于|说道?|写道|答) ?(?:{_DATE})?[:：]?",
        r"(?P<rule>(?:-{3,}|={3,}|_{3,}|\*{3,}|(?:- ){2,}-))",
    )
)
FEWEST = 2
_BLOCK = re.compile(r"(?:^[^\n]*\S[^\n]*(?:\n|\Z))+", re.M)

# number, author, start, end
Cut = tuple[int | None, str, int, int]


def posts(text: str) -> list[Post]:
    """The posts of a thread in their order; a text without any mark is cut at its blank lines."""
    for mark in MARKS:
        found = list(mark.finditer(text))
        if len(found) >= FEWEST:
            return _numbered(text, _marked(text, found))
    return _numbered(text, ((None, "", *match.span()) for match in _BLOCK.finditer(text)))


def _marked(text: str, marks: list[re.Match[str]]) -> Iterator[Cut]:
    """What stands before the first mark is the opening post, or the title where the opening post has its own mark."""
    groups = [match.groupdict() for match in marks]
    numbers = [int(group["number"]) if group.get("number") else None for group in groups]
    yield (numbers[0] - 1 if numbers[0] else None), "", 0, marks[0].start()
    ends = [match.start() for match in marks[1:]] + [len(text)]
    for match, group, number, end in zip(marks, groups, numbers, ends, strict=True):
        yield number, (group.get("author") or "").strip(), match.end(), end


def _numbered(text: str, cuts: Iterable[Cut]) -> list[Post]:
    """Posts without the blank space around them. The thread's own numbers hold where they rise from post to post."""
    kept = [
        cut
        for number, author, start, end in cuts
        if (cut := (number, author, *_stripped(text, start, end)))[3] > cut[2]
    ]
    own = [number for number, *_ in kept]
    rising = None not in own and all(a < b for a, b in pairwise(own))
    numbers = own if rising else range(1, len(kept) + 1)
    return [Post(n, author, a, b, text[a:b]) for n, (_, author, a, b) in zip(numbers, kept, strict=True)]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    words = text[start:end]
    return start + len(words) - len(words.lstrip()), start + len(words.rstrip())
