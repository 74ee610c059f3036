"""A recording: what the probes of a host measured, carried as a file (`infermary check`, a run's page). Pure.

The format is that of `probes/bundle.py`; a recording is judged by the entries of the day on which it is read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from probes.spec import Result

FORMAT, VERSION = "infermary-bundle", 1
EXAMPLES = Path(__file__).parent / "examples"
# The mark stands at the beginning of every file that a bundle was written to.
HEAD = 200


class Unreadable(ValueError):
    """It says that it is a recording, and is broken."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Results of one host; `document` is the file's content."""

    document: dict[str, Any]
    results: tuple[Result, ...]

    @property
    def host(self) -> str:
        return str(self.document.get("host", ""))

    @property
    def origin(self) -> str:
        return str(self.document.get("origin", ""))

    def title(self, language: str) -> str:
        return str(self.document.get("title", {}).get(language, "")) or self.host


def read(text: str) -> Recording | None:
    """The recording in a text, None if it is something else.

    Raises:
        Unreadable: marked as a recording, but cut, altered or of a later version.
    """
    if not text.lstrip().startswith("{") or FORMAT not in text[:HEAD]:
        return None
    try:
        document = json.loads(text)
    except ValueError as error:
        raise Unreadable(str(error)) from error
    return of(document)


def of(document: dict[str, Any]) -> Recording:
    """The recording in a parsed file.

    Raises:
        Unreadable: broken, or of a later version.
    """
    if document.get("version") != VERSION:
        raise Unreadable("of another version")
    try:
        return Recording(document, tuple(Result.from_json(result) for result in document["results"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(str(error)) from error


@cache
def shipped() -> dict[str, Recording]:
    """The recordings that come with the package, by the name of their file."""
    found = {path.stem: read(path.read_text("utf-8")) for path in sorted(EXAMPLES.glob("*.json"))}
    return {name: recording for name, recording in found.items() if recording}
