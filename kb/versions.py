"""Version ranges such as ">=0.8.0,<0.11.0", as entries name them. Pure."""

from __future__ import annotations

import re

from kb.condition import version_key

_BOUND = re.compile(r"(>=|<|==)(.+)")


def within(version: str, versions: str) -> bool:
    """Whether `version` lies in a comma list of bounds; an empty list holds every version."""
    return all(_holds(version_key(version), bound) for bound in versions.split(",") if bound)


def _holds(key: tuple[int, ...], bound: str) -> bool:
    match = _BOUND.fullmatch(bound.strip())
    if match is None:
        raise ValueError(f"not a version bound: {bound!r}")
    other = version_key(match[2])
    if match[1] == "==":
        return key == other
    return key < other if match[1] == "<" else key >= other
