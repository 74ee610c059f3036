"""The schema of a thread file: a public thread as we digested it, claim by claim. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import Field, field_validator, model_validator

from kb.condition import Strict
from kb.entry_file import Both, Slug, Text, as_yaml

Verdict = Literal["right", "right-but-version-bound", "depends", "misleading", "wrong", "not-a-real-option"]
ClaimKind = Literal["symptom", "cause", "fix", "diagnostic-step", "number", "fact"]


class ClaimFile(Strict):
    """One statement of the thread, in our words, and what became of it.

    Attributes:
        check: how to test it: what to measure, and which reading means what.
        versions: where the verdict holds, "" for everywhere.
        said_by: distinct replies that make the claim: popularity, not evidence.
        entries: slugs of the entries that it concerns, in the order of the alphabet.
    """

    key: Text
    kind: ClaimKind
    verdict: Verdict
    statement: Both
    reason: Both
    check: Both | None = None
    versions: str = ""
    said_by: int = Field(ge=1)
    sources: list[Text] = []
    entries: list[Slug] = []

    @field_validator("entries")
    @classmethod
    def _in_order(cls, entries: list[str]) -> list[str]:
        return sorted(entries)


class ThreadFile(Strict):
    slug: Slug
    title: Both
    about: Both
    claims: list[ClaimFile] = Field(min_length=1)

    @model_validator(mode="after")
    def _keys_are_unique(self) -> Self:
        keys = [claim.key for claim in self.claims]
        if len(keys) != len(set(keys)):
            raise ValueError("a claim's key stands twice")
        return self


def load_folder(folder: Path) -> list[ThreadFile]:
    """All threads of a folder.

    Raises:
        ValueError: a file that is no thread; the message names it.
    """
    threads = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            threads.append(ThreadFile.model_validate(yaml.safe_load(path.read_text("utf-8"))))
        except (yaml.YAMLError, ValueError) as error:
            raise ValueError(f"{path.name}: {error}") from error
    return threads


def dump(thread: ThreadFile) -> str:
    """The canonical text of a thread: `dump(parse(text)) == text` for every shipped file."""
    return as_yaml(thread.model_dump(mode="json", by_alias=True, exclude_defaults=True))
