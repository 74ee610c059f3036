"""The flags of a launch command held against the flag catalogue. Pure.

    used(facts)               -> the flags and variables that the servers were started with
    lacking(facts)            -> those that the version, or every version, lacks, as facts `engine.unknown_flag`
    said_of(used, versions)   -> what to say of one of them, in both languages
    clashes(facts)            -> flags that contradict each other
    unavailable(run, version) -> the flags of a fix's command that a version lacks

Only the words that reach a server count: `docker run` and its options, benchmarks and clients have flags of their own.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from kb.entry_file import Both
from kb.facts import launch_command
from kb.flag_file import Conflict, Flag, FlagFile, catalogue
from kb.versions import within
from probes.facts import Fact, FactSet

# difflib's own default finds "--swap" near "--sock"; at 0.8 a letter or two may differ in a name of ten.
NEAR = 0.8
TYPED = ("command", "probe", "user")


@dataclass(frozen=True, slots=True)
class Used:
    """A flag or variable with its value, and the statement that it comes from."""

    file: FlagFile
    name: str
    value: str
    fact: Fact

    @property
    def flag(self) -> Flag | None:
        return self.file.by_name.get(self.name) if self.name.isupper() else self.file.find(self.name)


def used(facts: FactSet) -> list[Used]:
    """What the servers of a case were started with, each name once."""
    found = [*_flags(facts), *_variables(facts)]
    return list({(each.file.engine, each.name): each for each in reversed(found)}.values())[::-1]


def refused(facts: FactSet) -> list[Used]:
    """What the engine itself refused, or a person says it lacks, and no command of the case shows."""
    file = catalogue().get(str(facts.value("engine.name")))
    shown = {each.name for each in used(facts)}
    unseen = [fact for fact in facts.all("engine.unknown_flag") if fact.value not in shown]
    return [Used(file, str(fact.value), "", fact) for fact in unseen] if file else []


def _flags(facts: FactSet) -> Iterator[Used]:
    servers = facts.all("engine.program")
    for fact in facts.all("engine.flag"):
        name, _, value = str(fact.value).partition(" ")
        engine = next((str(server.value) for server in servers if _within(fact, server)), "")
        if fact.provenance.origin == "probe":
            engine = str(facts.value("engine.name") or "")
        if engine in catalogue():
            yield Used(catalogue()[engine], name, value, fact)


def _variables(facts: FactSet) -> Iterator[Used]:
    for fact in facts.all("engine.env"):
        name, _, value = str(fact.value).partition("=")
        for file in catalogue().values():
            if fact.provenance.origin in TYPED and file.prefix and name.startswith(file.prefix):
                yield Used(file, name, value, fact)


def _within(flag: Fact, server: Fact) -> bool:
    inner, outer = flag.provenance, server.provenance
    if inner.source != outer.source or inner.start is None or outer.start is None:
        return False
    return outer.start <= inner.start and (inner.end or 0) <= (outer.end or 0)


def versions(facts: FactSet, engine: str) -> list[str]:
    """The versions stated for an engine; a case that compares engines states none for certain."""
    if facts.value("engine.name") != engine or len({fact.value for fact in facts.all("engine.name")}) > 1:
        return []
    return [str(fact.value) for fact in facts.all("engine.version")]


def lacking(facts: FactSet) -> list[Fact]:
    """Facts `engine.unknown_flag`: names that exist in none of the versions stated, or in no version at all."""
    found = []
    for each in used(facts):
        stated = versions(facts, each.file.engine)
        if _is_unknown(each) or (stated and each.flag and all(each.file.lacks(each.flag, v) for v in stated)):
            found.append(Fact("engine.unknown_flag", each.name, each.fact.provenance, each.fact.subject))
    return found


def _is_unknown(each: Used) -> bool:
    """No version has such a name; of a variable only one that looks like a slip of the pen counts."""
    if each.flag or not each.file.complete:
        return False
    if each.name.isupper():
        return bool(nearest(each.file, each.name))
    return each.name.startswith("--") and not each.file.abbreviates_any(each.name)


@cache
def _known_names(engine: str) -> tuple[str, ...]:
    return tuple(name for flag in catalogue()[engine].flags for name in flag.names if len(name) > len("--x"))


def nearest(file: FlagFile, name: str) -> str:
    """The known name that is spelt most alike, "" where none is near."""
    spelt = name if name.isupper() else name.replace("_", "-")
    return next(iter(difflib.get_close_matches(spelt, _known_names(file.engine), 1, NEAR)), "")


def said_of(each: Used, stated: list[str]) -> Both:
    """What is wrong with a flag that `lacking` found."""
    flag, title = each.flag, each.file.title
    if flag is None:
        return _said_of_unknown(each, title)
    version = next((version for version in stated if each.file.lacks(flag, version)), "")
    if not version:
        return _said_of_refused(each.name, flag, title)
    if each.file.standing(flag, version) == "removed":
        return _said_of_removed(each.name, flag, title, version)
    return Both(
        zh=f"{title} {version} 还没有 {each.name}：它从 {flag.first} 起才有。",
        en=f"{title} {version} does not have {each.name} yet: it came with {flag.first}.",
    )


def _said_of_unknown(each: Used, title: str) -> Both:
    near = nearest(each.file, each.name)
    zh = f"{title} 的各个版本都没有 {each.name}" + (f"；是不是想写 {near}？" if near else "。")
    en = f"No version of {title} has {each.name}" + (f"; was {near} meant?" if near else ".")
    return Both(zh=zh, en=en)


def _said_of_refused(name: str, flag: Flag, title: str) -> Both:
    """The engine itself refused it, and which version that is was not said."""
    began = Both(zh=f"{flag.first} 起才有", en=f"since {flag.first}") if flag.first else None
    ended = Both(zh=f"{flag.removed} 起移除", en=f"removed in {flag.removed}") if flag.removed else None
    span = [limit for limit in (began, ended) if limit]
    zh = f"引擎不认识 {name}" + (f"（{title}：{'，'.join(limit.zh for limit in span)}）。" if span else "。")
    en = f"The engine refuses {name}" + (f" ({title}: {', '.join(limit.en for limit in span)})." if span else ".")
    return Both(zh=zh + instead(flag, "zh"), en=en + instead(flag, "en"))


def _said_of_removed(name: str, flag: Flag, title: str, version: str) -> Both:
    ends_zh, ends_en = _AFTERWARDS[flag.after_removal]
    zh = f"{title} {version} 已没有 {name}（{flag.removed} 起移除）：{ends_zh}。"
    en = f"{title} {version} no longer has {name} (removed in {flag.removed}): {ends_en}."
    return Both(zh=zh + instead(flag, "zh"), en=en + instead(flag, "en"))


_AFTERWARDS = {"error": ("服务起不来", "the server does not start"), "ignored": ("写了也不起作用", "it has no effect")}


def instead(flag: Flag, language: str) -> str:
    """What to pass in its place, "" where nothing is known to take it."""
    new = flag.replaced_by
    if new is None:
        return ""
    use = (f"改用 {new.flag}。" if language == "zh" else f" Use {new.flag} instead.") if new.flag else ""
    note = new.note.get(language) if new.note else ""
    return use + (note if language == "zh" or not note else " " + note)


def clashes(facts: FactSet) -> Iterator[tuple[Conflict, list[Fact]]]:
    """Flags of one server that contradict each other in every version stated, or whichever version it is."""
    by_engine: dict[str, dict[str, Used]] = {}
    for each in used(facts):
        if each.flag:
            by_engine.setdefault(each.file.engine, {})[_signed(each)] = each
    for engine, flags in by_engine.items():
        stated = versions(facts, engine)
        for conflict in catalogue()[engine].conflicts:
            if _holds(conflict, flags, stated):
                yield conflict, [flags[given.split()[0]].fact for given in conflict.given]


def _signed(each: Used) -> str:
    """Its own name, whatever alias was written; a negated switch is another flag."""
    negated = each.name.startswith("--no-") and each.flag is not None and not each.flag.name.startswith("--no-")
    own = each.flag.name if each.flag else each.name
    return own.replace("--", "--no-", 1) if negated else own


def _holds(conflict: Conflict, flags: dict[str, Used], stated: list[str]) -> bool:
    if conflict.versions and not (stated and all(within(version, conflict.versions) for version in stated)):
        return False
    return all(_given(words, flags) for words in conflict.given) and not any(_given(w, flags) for w in conflict.without)


def _given(words: str, flags: dict[str, Used]) -> bool:
    name, _, value = words.partition(" ")
    return name in flags and (not value or flags[name].value == value)


def unavailable(run: str, version: str) -> list[Used]:
    """The flags of a command's server that a version is known to lack."""
    return [each for each in _of_command(run) if each.flag and each.file.lacks(each.flag, version)]


def unknown(run: str) -> list[Used]:
    """The flags of a command's server that no version has."""
    return [each for each in _of_command(run) if _is_unknown(each)]


@cache
def _of_command(run: str) -> tuple[Used, ...]:
    return tuple(used(FactSet(launch_command.extract(run, "command"))))
