"""Text to facts, one file a kind of paste. Pure.

    extract(submission) -> FactSet

A file of this folder that reads a kind of paste has

    KIND                            its name; "prose_..." reads what people write, any other a machine's text
    recognise(text) -> float        0-1: how sure it is that the text holds its kind; 0 and it is not asked further
    extract(text, source) -> list[Fact]
    claimed(text) -> spans          (machine text only) character ranges that are its own and therefore no prose

and is found by looking in the folder. Every reader sees the whole part, so kinds may be mixed freely; the prose
readers get what no other reader claimed. Ranges are of the text as given: readers work on a normalised copy,
and `extract` maps them back.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from kb.facts.clean import Cleaned, clean
from kb.facts.prose import prose_runs
from probes.facts import Fact, FactSet

if TYPE_CHECKING:
    from kb.assessment import Submission

QUOTE_LENGTH = 200


@cache
def readers() -> tuple[ModuleType, ...]:
    """The reader modules of this folder, in the order of their names."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(module for module in modules if hasattr(module, "KIND"))


def extract(submission: Submission) -> FactSet:
    """All facts that the parts of `submission` state, each with the characters that state it."""
    facts = FactSet()
    for source, text in submission.parts().items():
        if text:
            facts.add(extract_part(text, source))
    return facts


def extract_part(text: str, source: str) -> list[Fact]:
    """The facts of one part. The text should have been redacted before (`kb.facts.redact`)."""
    cleaned = clean(text)
    found, claimed = _machine_facts(cleaned.text, source)
    found += _prose_facts(cleaned.text, claimed, source)
    return list(_distinct(_located(fact, cleaned, text) for fact in found))


def _machine_facts(text: str, source: str) -> tuple[list[Fact], list[tuple[int, int]]]:
    found: list[Fact] = []
    claimed: list[tuple[int, int]] = []
    for reader in readers():
        if not reader.KIND.startswith("prose_") and reader.recognise(text) > 0:
            found += reader.extract(text, source)
            claimed += reader.claimed(text)
    return found, claimed


def _prose_facts(text: str, claimed: list[tuple[int, int]], source: str) -> list[Fact]:
    """Facts of the lines that no other reader claimed, each run of such lines read as one text."""
    found: list[Fact] = []
    for start, end in prose_runs(text, claimed):
        run = text[start:end]
        for reader in readers():
            if reader.KIND.startswith("prose_") and reader.recognise(run) > 0:
                found += [_shifted(fact, start) for fact in reader.extract(run, source)]
    return found


def _shifted(fact: Fact, by: int) -> Fact:
    return fact.moved(start=fact.provenance.start + by, end=fact.provenance.end + by)


def _located(fact: Fact, cleaned: Cleaned, original: str) -> Fact:
    start, end = cleaned.original_span(fact.provenance.start, fact.provenance.end)
    return fact.moved(start=start, end=end, quote=original[start:end][:QUOTE_LENGTH])


def _distinct(facts: Iterator[Fact]) -> Iterator[Fact]:
    """One fact for one statement: several readers may read the same words."""
    seen = set()
    for fact in facts:
        key = (fact.name, fact.value, fact.subject, fact.provenance.origin)
        if key not in seen:
            seen.add(key)
            yield fact
