"""Flags that the stated version lacks, that no version has, or that contradict each other. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kb.findings.read import finding
from kb.flag_check import Used, clashes, instead, refused, said_of, used, versions
from kb.judgement import Finding
from probes.facts import FactSet


def lacking_flags(facts: FactSet) -> Iterator[Finding]:
    """Each flag that the version lacks, with what takes its place; those merely stated in one sentence."""
    unknown = {str(fact.value): fact for fact in facts.all("engine.unknown_flag")}
    version = facts.best("engine.version")
    for each in (*used(facts), *refused(facts)):
        if each.name in unknown:
            said = said_of(each, versions(facts, each.file.engine))
            rests_on = (unknown.pop(each.name), *((version,) if version and each.flag else ()))
            yield Finding("contradiction", said.zh, said.en, rests_on)
    if unknown:
        listed = ", ".join(sorted(unknown))
        yield Finding(
            "contradiction", f"该版本没有这些参数：{listed}。", f"This version has no such flags: {listed}.", tuple(unknown.values())
        )  # fmt: skip


def contradictory_flags(facts: FactSet) -> Iterator[Finding]:
    for conflict, stated in clashes(facts):
        yield Finding("contradiction", conflict.text.zh, conflict.text.en, tuple(stated))


def flags_of_some_versions(facts: FactSet) -> Iterator[Finding]:
    """A flag that newer versions have dropped, where nobody said which version runs."""
    for each in used(facts):
        if each.flag and each.flag.removed and not versions(facts, each.file.engine):
            title, until = each.file.title, each.flag.removed
            yield finding(
                "note",
                f"{each.name} 只在 {title} {until} 之前的版本里有；请补充版本号。",
                f"{each.name} exists only in {title} before {until}; say which version runs.",
                facts, "engine.name",
            )  # fmt: skip


def superseded_flags(facts: FactSet) -> Iterator[Finding]:
    """A flag that still works while another one takes its place."""
    for each in used(facts):
        if each.flag and _superseded(each, versions(facts, each.file.engine)):
            zh, en = instead(each.flag, "zh"), instead(each.flag, "en")
            yield Finding("note", f"{each.name} 将被取代：{zh}", f"{each.name} is being replaced.{en}", (each.fact,))


def _superseded(each: Used, stated: list[str]) -> bool:
    """Its successor is there: in every version stated, or simply by now where an engine has no versions."""
    flag, file = each.flag, each.file
    if flag is None or flag.replaced_by is None or flag.removed:
        return False
    new = file.find(flag.replaced_by.flag) if flag.replaced_by.flag else None
    return not file.read or (bool(new and stated) and all(file.standing(new, v) == "exists" for v in stated))


FLAGS = (lacking_flags, contradictory_flags, flags_of_some_versions, superseded_flags)
