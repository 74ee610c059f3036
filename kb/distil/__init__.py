"""A thread to what it says: posts told apart, statements found, matched and counted. Pure.

distil(text, knowledge, claims) -> Digest
"""

from __future__ import annotations

from collections.abc import Iterable

from kb.distil.digest import Digest, Line, Place, Polarity, Post, TooLong
from kb.distil.gather import Known, lines
from kb.distil.posts import posts
from kb.knowledge import Knowledge
from kb.thread_file import ClaimFile

# Read in some 10 s on one core; a thread of 2,000 posts of 250 characters each.
MAX_CHARS = 500_000
MAX_POSTS = 2_000

__all__ = ["MAX_CHARS", "MAX_POSTS", "Digest", "Line", "Place", "Polarity", "Post", "TooLong", "distil"]


def distil(text: str, knowledge: Knowledge, claims: Iterable[ClaimFile]) -> Digest:
    """What the posts of a thread say.

    Raises:
        TooLong: more characters or posts than are read.
    """
    if len(text) > MAX_CHARS:
        raise TooLong(
            f"帖子太长：最多 {MAX_CHARS:,} 个字符；请分几次粘贴。",
            f"The thread is too long: at most {MAX_CHARS:,} characters are read; paste it in parts.",
        )
    found = posts(text)
    if len(found) > MAX_POSTS:
        raise TooLong(
            f"帖子太长：有 {len(found):,} 楼，最多 {MAX_POSTS:,} 楼；请分几次粘贴。",
            f"The thread is too long: {len(found):,} posts, at most {MAX_POSTS:,} are read; paste it in parts.",
        )
    return Digest(tuple(found), tuple(lines(found, Known(knowledge.entries, claims))))
