"""The signature catalogue: lines that engines and libraries print, and what each leads to. Pure.

One YAML file of this folder an engine or library, found by looking in the folder.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

import re2
import yaml
from pydantic import Field, StringConstraints, model_validator

from kb.condition import Strict
from kb.entry_file import Both, Level, Signature, Slug, Text
from probes.vocabulary import fact_type
from probes.vocabulary.declare import Value

FOLDER = Path(__file__).parent


class Line(Strict):
    """One line that a tool prints.

    Attributes:
        id: file and name; unique in the catalogue.
        pattern: RE2 expression, searched without regard to case.
        example: a line as it is printed; the pattern matches it.
        causes: cause -> how much more likely the line makes it (see `Signature.level`).
        facts: fact -> value that the line states.
        note: why a line that looks like trouble is none; it then leads to no cause.
        chain: `last` for the closing line of a chain of errors: the cause stands above it, so it leads nowhere.
        versions: where it is printed, as in `Signature`; "" for anywhere.
        engine: of its file.
        source: the file and version that print it, the manual that lists it, or `repo#number`.
    """

    id: Slug
    pattern: Text
    example: Text
    causes: dict[Slug, Level] = {}
    facts: dict[str, Value] = {}
    note: Both | None = None
    chain: Literal["last"] | None = None
    source: Text
    versions: str = ""
    engine: str = ""

    @model_validator(mode="after")
    def _leads_where_it_says(self) -> Self:
        if not re2.search("(?i)" + self.pattern, self.example):
            raise ValueError(f"{self.id}: {self.pattern!r} does not match its example {self.example!r}")
        if bool(self.causes or self.facts) + bool(self.note) + bool(self.chain) != 1:
            raise ValueError(f"{self.id}: give causes and facts, or a note, or chain: last")
        for name, value in self.facts.items():
            fact_type(name).coerce(value)
        return self

    def signatures(self) -> list[tuple[str, Signature]]:
        """(cause, signature) for each cause, as entries have them; without source, which would be one of the entry's own."""
        common = {"pattern": self.pattern, "example": self.example, "engine": self.engine, "versions": self.versions}
        return [(slug, Signature.model_construct(level=level, **common)) for slug, level in self.causes.items()]


class File(Strict):
    """One file of the catalogue; `engine` is empty for what every engine prints."""

    engine: Annotated[str, StringConstraints(max_length=40)] = ""
    signatures: list[Line] = Field(min_length=1)


def load(folder: Path) -> list[Line]:
    """The lines of all files of a folder.

    Raises:
        ValueError: a file that is no catalogue, an id that stands twice or does not begin with its file's name.
    """
    lines: dict[str, Line] = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            file = File.model_validate(yaml.load(path.read_text("utf-8"), Loader=_LOADER))  # noqa: S506  both are safe
        except (yaml.YAMLError, ValueError, KeyError) as error:
            raise ValueError(f"{path.name}: {error}") from error
        for line in file.signatures:
            if line.id in lines or not line.id.startswith(path.stem):
                raise ValueError(
                    f"{path.name}: the id {line.id!r} stands twice, or does not begin with the file's name"
                )
            lines[line.id] = line.model_copy(update={"engine": file.engine})
    return list(lines.values())


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def shipped() -> tuple[Line, ...]:
    """The catalogue that comes with the package."""
    return tuple(load(FOLDER))
