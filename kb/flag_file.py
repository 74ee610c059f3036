"""The schema of a flag file: the launch flags and environment variables of one engine, by version. Pure.

    catalogue() -> {"vllm": FlagFile, ...}
    vllm = catalogue()["vllm"]
    vllm.standing(vllm.find("--swap_space"), "0.18.0") -> "removed"

One YAML file an engine in `kb/flags/`. Whether a flag exists in a version is known for the versions whose source was read;
between two of them that disagree it is unknown, never guessed.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, StringConstraints, model_validator

from kb.condition import Strict, version_key
from kb.entry_file import Both, Text
from kb.versions import within

FOLDER = Path(__file__).parent / "flags"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RELEASE = re.compile(r"\d+(?:\.\d+){0,2}")
_UNRELEASED = re.compile(r"dev|rc|\d(?:a|b)\d|\+g")
Version = Annotated[str, StringConstraints(pattern=r"^[0-9][0-9a-z.]*$")]


Standing = Literal["exists", "not_yet", "removed", "unknown"]


class Default(Strict):
    """The value that holds where nothing is passed, in a comma list of version bounds."""

    value: str
    versions: str = ""


class Change(Strict):
    """What became different in a version although the flag stayed."""

    version: Version
    text: Both


class Replacement(Strict):
    """What to use instead; `flag` is empty where nothing takes its place."""

    flag: str = ""
    note: Both | None = None


class Flag(Strict):
    """A launch flag (`--name`) or an environment variable (`NAME`).

    Attributes:
        aliases: other spellings, short forms included.
        type: int, float, bool, str, list or json; "" where the source does not say.
        meaning: in our own words, None where only the name and its versions were looked up.
        first: the oldest version read that has it; "" where the oldest one read has it already.
        removed: the first version read that lacks it again; "" while it exists.
        after_removal: what passing it does then: the server does not start, or nothing happens.
        sources: beside those of the file.
    """

    name: Text
    aliases: list[str] = []
    type: Literal["", "int", "float", "bool", "str", "list", "json"] = ""
    meaning: Both | None = None
    first: Version | Literal[""] = ""
    defaults: list[Default] = []
    changes: list[Change] = []
    removed: Version | Literal[""] = ""
    replaced_by: Replacement | None = None
    after_removal: Literal["error", "ignored"] = "error"
    sources: list[str] = []

    @property
    def is_variable(self) -> bool:
        return not self.name.startswith("-")

    @property
    def names(self) -> list[str]:
        return [self.name, *self.aliases]

    def in_release(self, version: str) -> Standing:
        """How it stands in a version that was read."""
        key = version_key(version)
        if self.first and key < version_key(self.first):
            return "not_yet"
        return "removed" if self.removed and key >= version_key(self.removed) else "exists"

    def default(self, version: str) -> str:
        """The default in a version, "" where it is not known."""
        return next((default.value for default in self.defaults if within(version, default.versions)), "")


class Conflict(Strict):
    """Flags that contradict each other, or a flag that does nothing or harm by itself.

    Attributes:
        given: flags that must all be there, each as `--name` or `--name value`.
        without: flags of which none is there.
        versions: where it holds.
    """

    given: list[Text] = Field(min_length=1)
    without: list[Text] = []
    versions: str = ""
    text: Both
    source: Text


class FlagFile(Strict):
    """The flags of one engine.

    Attributes:
        engine: as the fact `engine.name` has it.
        read: the versions whose source was read, oldest first; empty where the engine has no such versions.
        complete: whether every flag of the server command is listed, so that another name is a mistake.
        prefix: how the engine's own environment variables begin.
        sources: where names, versions and defaults were read.
    """

    engine: Text
    title: Text
    read: list[Version] = []
    complete: bool = False
    prefix: str = ""
    sources: list[Text] = Field(min_length=1)
    flags: list[Flag] = Field(min_length=1)
    conflicts: list[Conflict] = []

    @model_validator(mode="after")
    def _names_are_unique(self) -> FlagFile:
        names = [name for flag in self.flags for name in flag.names]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"named twice: {', '.join(twice)}")
        return self

    @cached_property
    def by_name(self) -> dict[str, Flag]:
        return {_spelt(name): flag for flag in self.flags for name in flag.names}

    def find(self, written: str) -> Flag | None:
        """The flag of a spelling: underscores, `--no-`, `--config.key` and a prefix that fits one flag alone are understood."""
        name = _spelt(written)
        for spelling in (name, name.partition(".")[0], name.replace("--no-", "--", 1)):
            if spelling in self.by_name:
                return self.by_name[spelling]
        meant = {id(flag): flag for known, flag in self.by_name.items() if _abbreviates(name, known)}
        return next(iter(meant.values())) if len(meant) == 1 else None

    def abbreviates_any(self, written: str) -> bool:
        """Whether it begins the name of a flag; argparse takes such a beginning where it fits one flag alone."""
        return any(_abbreviates(_spelt(written), known) for known in self.by_name)

    def standing(self, flag: Flag, version: str) -> Standing:
        """Whether a version has a flag; unknown between two versions read that disagree."""
        answers = {flag.in_release(release) for release in self._releases(version)}
        return answers.pop() if len(answers) == 1 else "unknown"

    def lacks(self, flag: Flag, version: str) -> bool:
        """Whether a version is known to lack a flag; a variable may have been read before it was declared."""
        standing = self.standing(flag, version)
        return standing == "removed" or (standing == "not_yet" and not flag.is_variable)

    def _releases(self, version: str) -> list[str]:
        """The versions read that a stated one can stand for: itself, all of "0.6", or its two neighbours."""
        found = _RELEASE.search(version)
        if not found or not self.read:
            return []
        key = version_key(found[0])
        same = [release for release in self.read if version_key(release)[: len(key)] == key]
        older = [release for release in self.read if version_key(release) < key]
        newer = [release for release in self.read if version_key(release) > key]
        if same and not _UNRELEASED.search(version):
            return same
        return older[-1:] + (same or newer[:1])


def _spelt(written: str) -> str:
    """One spelling for all: vLLM takes underscores for dashes, a short flag stays as it is."""
    if not written.startswith("--"):
        return written
    return "--" + written[2:].replace("_", "-")


def _abbreviates(name: str, known: str) -> bool:
    return name.startswith("--") and len(name) > len("--x") and known.startswith(name)


@cache
def catalogue() -> dict[str, FlagFile]:
    """The flag files that come with the package, by engine.

    Raises:
        ValueError: a file that is none; the message names it.
    """
    files = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        try:
            file = FlagFile.model_validate(yaml.load(path.read_text("utf-8"), Loader=_LOADER))  # noqa: S506  safe
        except (yaml.YAMLError, ValueError) as error:
            raise ValueError(f"{path.name}: {error}") from error
        files[file.engine] = file
    return files
