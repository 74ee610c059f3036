"""What is wrong with entries beyond their schema: each alone, and beside the others. Pure.

A fault makes `manage.py check_entries` fail; a note is for the curator to weigh.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from kb.entry_file import Both, EntryFile
from kb.possible import can_hold, comparisons
from probes.vocabulary.engine import ENGINES

HAN = re.compile(r"[\u4e00-\u9fff]")
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|“[^”]*”|\([^)]*\)|（[^）]*）")
# Five words in a row outside of quotes are a sentence that nobody translated; names of things are shorter.
ENGLISH_RUN = re.compile(r"(?:\b[a-z]{2,}\b[ ,]+){5,}")
ENGINE_NAMES = re.compile(r"\b(vLLM|SGLang|TGI|llama\.cpp|Ollama|LMDeploy|ExLlamaV2|TabbyAPI)\b")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
# Lines that belong to no engine: "any" and "shell" are run on the host.
HOST = {"", "any", "shell"}
# Share of three-letter pieces that two texts have in common. Of 149 shipped entries the most alike summaries of different
# causes share 0.18; the same error line with another version number shares 0.7.
SAME_SUMMARY, SAME_PHRASE = 0.4, 0.8


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """What is wrong, and where: `where` is a path within the entry."""

    slug: str
    where: str
    says: str
    note: bool = False

    def __str__(self) -> str:
        return f"{self.slug}: {self.where}: {self.says}"


def check(entries: tuple[EntryFile, ...]) -> list[Finding]:
    """All findings, by entry."""
    slugs = {entry.slug for entry in entries}
    found = [finding for entry in entries for finding in check_one(entry, slugs)]
    return sorted([*found, *_alike_summaries(entries), *_alike_phrases(entries)])


def check_one(entry: EntryFile, slugs: set[str]) -> Iterator[Finding]:
    """The findings of an entry by itself; `slugs` are all there are."""
    for part in (_languages, _sources, _rules, _fixes):
        yield from part(entry)
    for n, other in enumerate(entry.confused_with):
        if other.slug == entry.slug or other.slug not in slugs:
            yield Finding(entry.slug, f"confused_with.{n}", f"no other entry is called {other.slug}")


def texts(value: object, path: str = "") -> Iterator[tuple[str, Both]]:
    """All bilingual texts below a value, with their paths."""
    if isinstance(value, Both):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for n, item in enumerate(value):
            yield from texts(item, f"{path}.{n}")
    elif hasattr(type(value), "model_fields"):
        for name in type(value).model_fields:
            yield from texts(getattr(value, name), f"{path}.{name}" if path else name)


def _languages(entry: EntryFile) -> Iterator[Finding]:
    for path, text in texts(entry):
        if HAN.search(text.en):
            yield Finding(entry.slug, f"{path}.en", "Chinese in the English text")
        if text.zh != text.en and not HAN.search(text.zh):  # a bare command is the same in both
            yield Finding(entry.slug, f"{path}.zh", "no Chinese in the Chinese text")
        elif run := ENGLISH_RUN.search(QUOTED.sub("", text.zh)):
            yield Finding(entry.slug, f"{path}.zh", f"left in English: {run[0].strip()!r}")
    for n, phrase in enumerate(entry.phrases.en):
        if HAN.search(phrase):
            yield Finding(entry.slug, f"phrases.en.{n}", "Chinese in an English phrase")
    if sum(bool(HAN.search(phrase)) for phrase in entry.phrases.zh) < 3:
        yield Finding(entry.slug, "phrases.zh", "fewer than three phrases in Chinese")


def _sources(entry: EntryFile) -> Iterator[Finding]:
    cited = {item.source for item in (*entry.rules, *entry.signatures)} | {fix.effect.source for fix in entry.fixes}
    for source in entry.sources:
        if source.id not in cited:
            yield Finding(entry.slug, f"sources.{source.id}", "no rule, log line or effect cites it", note=True)
        if source.kind == "issue" and "#" not in source.ref:
            yield Finding(entry.slug, f"sources.{source.id}", "an issue is cited as repo#number")


def _rules(entry: EntryFile) -> Iterator[Finding]:
    always = [entry.applies] if entry.applies else []
    for rule in entry.rules:
        where = f"rules.{rule.id}"
        if not can_hold([rule.when]):
            yield Finding(entry.slug, where, "can never fire: its conditions exclude each other")
        elif not can_hold([*always, rule.when]):
            yield Finding(entry.slug, where, "can never fire where the entry applies")
        elif not can_hold([rule.when], negated=True):
            yield Finding(entry.slug, where, "always fires where its facts are known")
        if not rule.source and any(test.op in ("<", "<=", ">", ">=") for test in comparisons(rule.when)):
            yield Finding(entry.slug, where, "a threshold whose reason cites no source", note=True)
    asked = Counter(rule.when.model_dump_json() for rule in entry.rules)
    for rule in entry.rules:
        if asked[rule.when.model_dump_json()] > 1:
            yield Finding(entry.slug, f"rules.{rule.id}", "another rule of the entry asks the same")


def _fixes(entry: EntryFile) -> Iterator[Finding]:
    for fix in entry.fixes:
        where, effect = f"fixes.{fix.id}", fix.effect
        if not fix.commands and FLAG.search(fix.steps.en):
            yield Finding(entry.slug, where, "names a flag and gives no command")
        elif (
            fix.downtime == "restart"
            and not fix.commands
            and (named := ENGINE_NAMES.search(f"{fix.title.en} {fix.steps.en}"))
        ):
            yield Finding(entry.slug, where, f"names {named[0]} and gives no command")
        for command in fix.commands:
            if command.engine not in {*ENGINES, *HOST}:
                yield Finding(entry.slug, where, f"a command of an unknown engine: {command.engine}")
        if effect.low is not None and effect.high is not None and (effect.low > effect.high or not effect.source):
            yield Finding(entry.slug, where, "a range of effect that is out of order or has no source")
        if not can_hold([part for part in (entry.applies, fix.applies) if part]):
            yield Finding(entry.slug, where, "can never apply")


def pieces(text: str) -> frozenset[str]:
    """The three-letter pieces of a text, without case, space and punctuation."""
    plain = re.sub(r"[\W_]+", "", text.lower())
    return frozenset(plain[n : n + 3] for n in range(max(len(plain) - 2, 1)))


def likeness(one: frozenset[str], two: frozenset[str]) -> float:
    """Share of the pieces of both that they have in common."""
    return len(one & two) / len(one | two)


def _alike_summaries(entries: tuple[EntryFile, ...]) -> Iterator[Finding]:
    for code in ("en", "zh"):
        cut = [(entry, pieces(getattr(entry.summary, code))) for entry in entries]
        for (one, left), (two, right) in combinations(cut, 2):
            if (alike := likeness(left, right)) >= SAME_SUMMARY:
                yield Finding(one.slug, f"summary.{code}", f"says the same as {two.slug} ({alike:.0%} alike)")


def _alike_phrases(entries: tuple[EntryFile, ...]) -> Iterator[Finding]:
    """Two phrases so alike share one of their rarest pieces, so only those that do are compared."""
    cut = [(e.slug, said, pieces(said)) for e in entries for said in (*e.phrases.en, *e.phrases.zh)]
    common = Counter(piece for *_, parts in cut for piece in parts)
    seen: dict[str, list[int]] = defaultdict(list)
    for n, (slug, said, parts) in enumerate(cut):
        rarest = sorted(parts, key=lambda piece: (common[piece], piece))
        telling = rarest[: len(parts) - int(SAME_PHRASE * len(parts)) + 1]
        for m in sorted({m for piece in telling for m in seen[piece]}):
            other, words, others = cut[m]
            if other != slug and likeness(parts, others) >= SAME_PHRASE:
                alike = f"{said!r} is said of {other} as {words!r}"
                yield Finding(slug, "phrases", alike, note=parts != others)
        for piece in telling:
            seen[piece].append(n)
