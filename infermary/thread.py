"""A thread distilled in the terminal, and measured against an inventory of its claims."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from infermary.sources import Unreadable, read_text
from kb import thread_file
from kb.distil import Digest, Line, TooLong, distil, inventory
from kb.distil.inventory import Listed, Measured
from kb.entry_file import load_folder
from kb.facts.redact import redact
from kb.knowledge import ENTRIES, Knowledge
from kb.thread_file import ClaimFile

THREADS = Path(thread_file.__file__).parent / "threads"
WORDS = {
    "zh": {
        "posts": "{said} / {all} 楼", "wrong": "已知有误", "known": "已知说法", "new": "新说法", "lines": "{posts} 楼，{lines} 条说法",
        "known_title": "清单里的说法已知时", "alone_title": "清单里的说法未知时（只靠提取）", "missed": "没有找到",
        "measured": "{title}：找到 {found} / {listed} = {recall:.1%}；清单能证实的 {confirmed} / {given} = {precision:.1%}",
    },
    "en": {
        "posts": "{said} of {all} posts", "wrong": "known to be wrong", "known": "known", "new": "new",
        "lines": "{posts} posts, {lines} statements", "known_title": "The inventory's claims known",
        "alone_title": "The inventory's claims unknown (extraction alone)", "missed": "not found",
        "measured": "{title}: found {found} of {listed} = {recall:.1%}; confirmed by the inventory {confirmed} of {given} = {precision:.1%}",
    },
}  # fmt: skip


class Measurable:
    """A thread with what is known of it."""

    def __init__(self, text: str) -> None:
        self.text, _ = redact(text)
        self._knowledge = Knowledge(tuple(load_folder(ENTRIES)))
        self._claims = [claim for thread in thread_file.load_folder(THREADS) for claim in thread.claims]

    def digest(self, without: Iterable[str] = ()) -> Digest:
        """The digest; `without` are keys of claims that are taken for unknown.

        Raises:
            Unreadable: too long.
        """
        left_out = set(without)
        claims: list[ClaimFile] = [claim for claim in self._claims if claim.key not in left_out]
        try:
            return distil(self.text, self._knowledge, claims)
        except TooLong as error:
            raise Unreadable(error.zh, error.en) from None


def measured(thread: Measurable, listed: list[Listed], keys: Iterable[str]) -> dict[str, Measured]:
    """Both measurements of `kb.distil.inventory`; `keys` are those of all claims of the inventory."""
    return {
        "known": inventory.known(thread.digest(), listed),
        "alone": inventory.alone(thread.digest(keys), listed),
    }


def claims_listed(name: str, thread: str) -> tuple[list[Listed], frozenset[str]]:
    """The inventory's claims of the thread in the file `thread`, and the keys of all its claims.

    Raises:
        Unreadable: missing, or no inventory of that thread.
    """
    try:
        return inventory.read(read_text(name), thread)
    except ValueError as error:
        raise Unreadable(
            f"{name} 不能用作说法清单：{error}。", f"{name} cannot be used as an inventory: {error}."
        ) from None


def as_json(digest: Digest, outcome: dict[str, Measured]) -> dict[str, Any]:
    """What a program reads: the lines, and the measurements where there are any."""
    lines = [asdict(line) | {"posts": line.posts} for line in digest.lines]
    data: dict[str, Any] = {"posts": len(digest.posts), "lines": lines}
    return data | ({"measured": {name: one.to_json() for name, one in outcome.items()}} if outcome else {})


def human(digest: Digest, lang: str) -> str:
    """The lines, those that most posts say first."""
    said = WORDS[lang]
    title = said["lines"].format(posts=len(digest.posts), lines=len(digest.lines))
    return "\n".join([title, *(_line(line, len(digest.posts), said) for line in digest.lines)])


def _line(line: Line, posts: int, said: dict[str, str]) -> str:
    known = f"{said['known']} {line.claim} ({line.verdict})" if line.claim else said["new"]
    marks = [
        said["posts"].format(said=len(line.posts), all=posts), line.kind, line.polarity, known,
        said["wrong"] if line.is_known_wrong else "", line.entry, *line.flags, *line.numbers,
    ]  # fmt: skip
    return f"- {line.statement}\n    {' · '.join(mark for mark in marks if mark)}"


def figures(outcome: dict[str, Measured], listed: list[Listed], lang: str) -> str:
    """The measurements, each with the claims that were not found."""
    said, claims = WORDS[lang], {one.key: one.claim for one in listed}
    lines = []
    for name, one in outcome.items():
        row = {key: value or 0.0 for key, value in one.to_json().items() if key != "missed"}
        lines.append(said["measured"].format(title=said[f"{name}_title"], **row))
        lines += [f"  {said['missed']}: {key} {claims[key]}" for key in one.missed]
    return "\n".join(lines)
