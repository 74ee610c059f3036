"""What the look-up searches: entries, claims and cases as documents of one form. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kb.condition import Condition, version_key
from kb.entry_file import Both, EntryFile, Example
from kb.facts.gpu_names import gpu_mentions
from kb.reports import ConfirmedReport
from kb.text import salient
from probes.vocabulary.engine import ENGINES

What = Literal["entry", "claim", "case"]
WHATS: tuple[What, ...] = ("entry", "claim", "case")
# Of a case, what names its trouble is enough: segmenting costs 3 ms a KB.
CASE_CHARS = 1_500
TITLE_CHARS = 80
MEASUREMENT = "measurement"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of a document.

    Attributes:
        language: "en" or "zh"; "" for what is the same in both (a command, a log line, a person's own words).
        times: how often it counts.
    """

    text: str
    language: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """Something to be found.

    Attributes:
        name: slug of an entry, key of a claim, token of a case, SLUG/NUMBER of an entry's example case.
        kinds: slow, failure; empty where nobody said.
        engines: the engines that it is about; empty for any.
        verdict: of a claim, else "".
        gpus: the cards that it names; empty where it names none.
        releases: the versions that it names, as (major, minor); empty where it names none.
        applies: of an entry, where its cause can exist at all.
        measured: it rests on a measurement of our own, or was measured.
        prior: how often it was right, as pseudo-counts beside 2 for what is as usual as most.
    """

    what: What
    name: str
    title: Both | str
    passages: tuple[Passage, ...]
    kinds: frozenset[str] = frozenset()
    engines: frozenset[str] = frozenset()
    gpus: frozenset[str] = frozenset()
    releases: frozenset[tuple[int, ...]] = frozenset()
    applies: Condition | None = None
    verdict: str = ""
    measured: bool = False
    prior: float = 2.0

    @property
    def id(self) -> tuple[str, str]:
        return self.what, self.name

    def title_in(self, language: str) -> str:
        return self.title if isinstance(self.title, str) else self.title.get(language)


def _both(text: Both, times: int) -> list[Passage]:
    return [Passage(text.en, "en", times), Passage(text.zh, "zh", times)]


def _passages(entry: EntryFile) -> list[Passage]:
    """What people say of it weighs more than how it works; fixes and their commands are found, too."""
    found = _both(entry.title, 3) + _both(entry.summary, 2)
    found += [Passage(text, "zh", 3) for text in entry.phrases.zh] + [
        Passage(text, "en", 3) for text in entry.phrases.en
    ]
    found += [Passage(_words_of(example), example.lang, 2) for example in entry.examples]
    found += [Passage(signature.example, "", 2) for signature in entry.signatures]
    found += _both(entry.mechanism, 1)
    for fix in entry.fixes:
        found += _both(fix.title, 1) + [Passage(command.run) for command in fix.commands]
    return found


def _words_of(example: Example) -> str:
    return "\n".join(filter(None, (example.symptom, example.command, example.log, example.nvidia_smi)))


def _engines(entry: EntryFile) -> frozenset[str]:
    """The engines that its log lines and commands name."""
    signed = {signature.engine for signature in entry.signatures}
    commanded = {command.engine for fix in entry.fixes for command in fix.commands}
    return frozenset(signed | commanded) & frozenset(ENGINES)


def _measured(entry: EntryFile) -> bool:
    """Whether a rule, a log line or the effect of a fix rests on our own measurement."""
    own = {source.id for source in entry.sources if source.kind == MEASUREMENT}
    cited = {item.source for item in (*entry.rules, *entry.signatures)} | {fix.effect.source for fix in entry.fixes}
    return bool(own & cited)


def of_entry(entry: EntryFile, prior: float = 2.0) -> list[Document]:
    """The entry, and each of its example cases."""
    shared = {"kinds": frozenset({entry.kind}), "engines": _engines(entry)}
    whole = Document(
        "entry",
        entry.slug,
        entry.title,
        tuple(_passages(entry)),
        measured=_measured(entry),
        prior=prior,
        applies=entry.applies,
        **shared,
    )
    examples = [
        Document(
            "case",
            f"{entry.slug}/{number}",
            entry.title,
            (Passage(_words_of(example)),),
            **shared | _named(_words_of(example)),
        )
        for number, example in enumerate(entry.examples, 1)
    ]
    return [whole, *examples]


def of_report(report: ConfirmedReport, known: Mapping[str, EntryFile]) -> Document | None:
    """A confirmed report as an example case of its entry, None where there is no such entry."""
    entry = known.get(report.causes[0])
    if entry is None:
        return None
    text = salient(report.text, CASE_CHARS)
    return Document(
        "case", f"{entry.slug}/{report.id}", entry.title, (Passage(text),), kinds=frozenset({entry.kind}),
        engines=engines_named(text) or _engines(entry), **_named(text),
    )  # fmt: skip


def of_claim(
    key: str, statement: Both, reason: Both, verdict: str, *, check: Both | None = None, kinds: Iterable[str] = ()
) -> Document:
    """A claim; `kinds` are those of the entries that it concerns."""
    passages = _both(statement, 3) + _both(reason, 1) + (_both(check, 1) if check else [])
    return Document(
        "claim", key, statement, tuple(passages), verdict=verdict,
        kinds=frozenset(kinds), engines=engines_named(f"{statement.en} {reason.en}"), **_named(statement.en),
    )  # fmt: skip


def of_case(token: str, parts: Iterable[str], *, measured: bool = False) -> Document:
    """Somebody's case: the head of what was pasted and the lines that complain."""
    text = salient("\n".join(filter(None, parts)), CASE_CHARS)
    head = " ".join(text[: 2 * TITLE_CHARS].split())
    title = head[:TITLE_CHARS] + ("…" if len(head) > TITLE_CHARS else "")
    return Document(
        "case", token, title, (Passage(text),), engines=engines_named(text), measured=measured, **_named(text)
    )


def engines_named(text: str) -> frozenset[str]:
    """The engines whose names stand in a text."""
    plain = text.casefold()
    return frozenset(name for name in ENGINES if name in plain)


_RELEASE = re.compile(r"(?<![\d.])v?(\d{1,3}\.\d{1,3})(?:\.\d{1,4})(?![\d.]*\d)")


def release(version: str) -> tuple[int, ...]:
    """Major and minor of a version: what a report says of 0.8.5 mostly holds for 0.8.4."""
    return version_key(version)[:2]


def _named(text: str) -> dict[str, Any]:
    return {
        "gpus": frozenset(mention.name for mention in gpu_mentions(text)),
        "releases": frozenset(release(found) for found in _RELEASE.findall(text)),
    }
