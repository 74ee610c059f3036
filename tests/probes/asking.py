"""Runs a probe in a test and looks at its facts."""

from __future__ import annotations

from typing import Any

from probes.context import LocalContext
from probes.facts import Fact
from probes.runner import run
from probes.spec import Result


def measured(name: str, engine: str = "", **params: Any) -> Result:
    """The result of a probe; `engine` is allowed and, where the probe takes one, named."""
    named = {"engine": engine} if engine else {}
    return run(name, params | named, LocalContext([engine] if engine else []))


def values(facts: list[Fact], subject: str | None = None) -> dict[str, Any]:
    """The facts as a dictionary; of a fact stated several times, the last one."""
    return {fact.name: fact.value for fact in facts if subject is None or fact.subject == subject}


def every(facts: list[Fact], name: str) -> list[Any]:
    return [fact.value for fact in facts if fact.name == name]
