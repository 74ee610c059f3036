"""The schema of an entry file: the only place that knows its keys. Pure.

An entry is one cause with everything the team knows about it, in one YAML file named after its slug.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import re2
import yaml
from pydantic import Field, StringConstraints, field_validator, model_validator

from kb.condition import Condition, Strict
from probes.vocabulary.observed import TRIED

Level = Literal[-3, -2, -1, 1, 2, 3]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Both(Strict):
    """One text in both languages."""

    en: Text
    zh: Text

    def get(self, language: str) -> str:
        return self.zh if language.startswith("zh") else self.en


class Phrases(Strict):
    """Symptoms as people say them, at least three a language."""

    en: list[Text] = Field(min_length=3)
    zh: list[Text] = Field(min_length=3)


class Signature(Strict):
    """A log or error line that points to this cause.

    Attributes:
        pattern: RE2 expression, searched without regard to case.
        example: a line that an engine really prints and the pattern matches.
        level: how much more likely the line makes the cause (see METHOD: 3 = x30, 2 = x10, 1 = x3).
        engine, versions: where it is printed; empty for anywhere.
        source: id of one of the entry's sources.
    """

    pattern: Text
    example: Text
    level: Level = 2
    engine: str = ""
    versions: str = ""
    source: str = ""

    @model_validator(mode="after")
    def _matches_its_example(self) -> Self:
        try:
            compiled = re2.compile("(?i)" + self.pattern)
        except re2.error as error:
            raise ValueError(f"not an RE2 pattern: {self.pattern!r}: {error}") from None
        if not compiled.search(self.example):
            raise ValueError(f"{self.pattern!r} does not match its example {self.example!r}")
        return self


class Rule(Strict):
    """A condition on facts and how much more (or less) likely it makes the cause.

    Attributes:
        id: unique within the entry.
        when: the condition.
        level: -3..3, the likelihood ratios 1/30, 1/10, 1/3, 3, 10, 30.
        group: rules of one group say the same thing in other words; each further one counts half.
        why: the reason for level and thresholds.
        source: id of one of the entry's sources, "" where `why` is a definition (the flag *is* the cause).
    """

    id: Slug
    when: Condition
    level: Level
    group: Slug
    why: Both
    source: str = ""


class Confusion(Strict):
    """Another cause that looks the same, and what tells the two apart."""

    slug: Slug
    tell: Both


class Command(Strict):
    """A command of one engine. `versions` is a comma list such as ">=0.8.0,<0.11.0", "" for all."""

    engine: str
    run: Text
    versions: Annotated[
        str, StringConstraints(pattern=r"^((>=|<|==)[0-9][0-9a-z.]*(,(>=|<|==)[0-9][0-9a-z.]*)*)?$")
    ] = ""


class Effect(Strict):
    """What a fix is expected to do: in words, and as a range of the speed-up where speed is the trouble.

    Attributes:
        of: what becomes faster; a faster start leaves the speed of generation as it is.
    """

    text: Both
    low: float | None = Field(default=None, gt=0)
    high: float | None = Field(default=None, gt=0)
    of: Literal["speed", "start"] = "speed"
    source: str = ""


class Fix(Strict):
    """What to change.

    Attributes:
        minutes: hands-on time.
        downtime: whether the server must be restarted or a machine rebooted.
        risk: 0 none, 1 can slow or fail visibly, 2 can change outputs or lose capacity, 3 can lose data or hardware.
        grounds: where the hope comes from: vendor (documentation or our own measurement), maintainer, forum.
        applies: only where this holds; unknown counts as holding.
        change: what people call this change when they say that they tried it.
    """

    id: Slug
    title: Both
    steps: Both
    commands: list[Command] = []
    effect: Effect
    minutes: int = Field(ge=1, le=1440)
    downtime: Literal["none", "restart", "reboot"]
    risk: Literal[0, 1, 2, 3]
    grounds: Literal["vendor", "maintainer", "forum"]
    verify: Both
    undo: Both
    applies: Condition | None = None
    change: Literal[TRIED] | None = None  # type: ignore[valid-type]


class Source(Strict):
    """Where a statement comes from: `ref` is `repo#number`, a document's title, or a file and version."""

    id: Slug
    kind: Literal["measurement", "vendor", "maintainer", "issue", "paper", "arithmetic"]
    ref: Text
    says: Both
    seen: str = ""


class Example(Strict):
    """A short case that this entry must rank among the first three; CI runs it."""

    lang: Literal["en", "zh"]
    symptom: Text
    command: str = ""
    log: str = ""
    nvidia_smi: str = ""


class EntryFile(Strict):
    """One cause.

    Attributes:
        kind: slow causes add up, failure causes exclude each other.
        frequency: how often it is met among all reports: common, usual, rare.
        applies: the cause can only exist where this holds; unknown counts as holding.
        symptoms_of: kinds of trouble that it shows as.
    """

    slug: Slug
    kind: Literal["slow", "failure"]
    frequency: Literal["common", "usual", "rare"]
    symptoms_of: list[Literal["slow", "oom", "load", "hang", "output", "error", "multi-gpu"]] = Field(min_length=1)
    title: Both
    summary: Both
    phrases: Phrases
    mechanism: Both
    applies: Condition | None = None
    signatures: list[Signature] = []
    rules: list[Rule] = []
    confused_with: list[Confusion] = []
    fixes: list[Fix] = Field(min_length=1)
    sources: list[Source] = Field(min_length=1)
    examples: list[Example] = Field(min_length=2)

    @field_validator("rules", "fixes", "sources")
    @classmethod
    def _ids_are_unique(cls, items: list[Rule] | list[Fix] | list[Source]) -> list[Rule] | list[Fix] | list[Source]:
        ids = [item.id for item in items]
        if len(ids) != len(set(ids)):
            raise ValueError(f"an id stands twice: {sorted(ids)}")
        return items

    @model_validator(mode="after")
    def _sources_exist(self) -> Self:
        known = {source.id for source in self.sources} | {""}
        cited = {item.source for item in (*self.rules, *self.signatures)} | {fix.effect.source for fix in self.fixes}
        if missing := cited - known:
            raise ValueError(f"unknown sources: {', '.join(sorted(missing))}")
        return self


# libyaml reads the shipped entries in a third of a second, the loader in Python takes three.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Dumper(yaml.SafeDumper):
    """Block style, long texts as folded paragraphs, keys in the order of the schema."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def parse(text: str) -> EntryFile:
    """The entry that a YAML text holds.

    Raises:
        yaml.YAMLError: not YAML.
        pydantic.ValidationError: not an entry; each error names its key.
    """
    return EntryFile.model_validate(yaml.load(text, Loader=_LOADER))  # noqa: S506  both are safe


def dump(entry: EntryFile) -> str:
    """The canonical text of an entry: `dump(parse(text)) == text` for every shipped file."""
    return as_yaml(entry.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def as_yaml(data: Any) -> str:
    """Data in the form of the files, also of an entry that is not sound yet."""
    return yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)


def load_folder(folder: Path) -> list[EntryFile]:
    """All entries of a folder, by slug.

    Raises:
        ValueError: a file that is no entry, or whose name is not its slug.
    """
    entries = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            entry = parse(path.read_text("utf-8"))
        except (yaml.YAMLError, ValueError) as error:
            raise ValueError(f"{path.name}: {error}") from error
        if entry.slug != path.stem:
            raise ValueError(f"{path.name}: holds the entry {entry.slug!r}")
        entries.append(entry)
    return entries
