"""Whether the public pages that entries cite are still there. Needs a network; what could not be reached is never "there"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import httpx

from kb.entry_file import EntryFile

State = Literal["there", "gone", "unreached"]
GITHUB = "https://github.com"
TIMEOUT_S = 10.0
AT_ONCE = 8
_ISSUE = re.compile(r"\b([\w.-]+/[\w.-]+)#(\d+)\b")
_ADDRESS = re.compile(r"https?://[^\s<>\"')]+")
_GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class Link:
    """A page that a source of an entry cites."""

    slug: str
    source: str
    url: str


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of asking for it; `why` is a status or an error."""

    link: Link
    state: State
    why: str


def links(entries: Iterable[EntryFile], github: str = GITHUB) -> list[Link]:
    """Every issue and address in the sources. A title, or a file with its version, names no page."""
    found = []
    for entry in entries:
        for source in entry.sources:
            issues = [f"{github}/{repo}/issues/{number}" for repo, number in _ISSUE.findall(source.ref)]
            found += [Link(entry.slug, source.id, url) for url in (*issues, *_ADDRESS.findall(source.ref))]
    return found


def tried(wanted: Iterable[Link]) -> list[Tried]:
    """Ask for each page once, however many sources cite it."""
    wanted = list(wanted)
    urls = list(dict.fromkeys(link.url for link in wanted))
    with (
        httpx.Client(follow_redirects=True, timeout=TIMEOUT_S) as client,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        answers = dict(zip(urls, pool.map(lambda url: _ask(client, url), urls), strict=True))
    return [Tried(link, *answers[link.url]) for link in wanted]


def _ask(client: httpx.Client, url: str) -> tuple[State, str]:
    try:
        with client.stream("GET", url) as answer:
            status = answer.status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return "unreached", type(error).__name__
    if status in _GONE:
        return "gone", str(status)
    return ("there" if status < 400 else "unreached"), str(status)
