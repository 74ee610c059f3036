"""Two edits of one entry brought together: what only one side changed is taken, what both changed is named. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_MISSING = object()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides changed the value at `path`, each in its own way; None where a side removed it."""

    path: str
    theirs: Any
    mine: Any


def merge(base: Any, theirs: Any, mine: Any) -> tuple[Any, list[Conflict]]:
    """The merged data, in which mine stands where both changed, and every such place."""
    conflicts: list[Conflict] = []
    merged = _merge(base, theirs, mine, "", conflicts)
    return (None if merged is _MISSING else merged), conflicts


def _merge(base: Any, theirs: Any, mine: Any, path: str, conflicts: list[Conflict]) -> Any:
    if mine in (base, theirs) or theirs == base:
        return theirs if mine == base else mine
    if all(isinstance(side, dict) for side in (theirs, mine)):
        return _dicts(base if isinstance(base, dict) else {}, theirs, mine, path, conflicts)
    if all(_is_list(side) for side in (base, theirs, mine)):
        sides = [_by_id(side) for side in (base, theirs, mine)]
        if all(side is not None for side in sides):
            return list(_dicts(*sides, path, conflicts).values())
        if all(isinstance(item, str) for side in (base, theirs, mine) for item in side):
            return _lines(base, theirs, mine)
    shown = [None if side is _MISSING else side for side in (theirs, mine)]
    conflicts.append(Conflict(path, *shown))
    return mine


def _dicts(base: dict, theirs: dict, mine: dict, path: str, conflicts: list[Conflict]) -> dict:
    merged = {}
    for key in dict.fromkeys([*theirs, *mine]):
        below = f"{path}.{key}" if path else str(key)
        sides = [side.get(key, _MISSING) for side in (base, theirs, mine)]
        value = _merge(*sides, below, conflicts)
        if value is not _MISSING:
            merged[key] = value
    return merged


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _by_id(items: list[Any]) -> dict[str, Any] | None:
    """Rules, fixes and sources by their ids, confusions by their slugs; None for other lists."""
    keyed = {item.get("id") or item.get("slug"): item for item in items if isinstance(item, dict)}
    return keyed if len(keyed) == len(items) and None not in keyed else None


def _lines(base: list[str], theirs: list[str], mine: list[str]) -> list[str]:
    """Phrases: what either side removed goes, what either added stays."""
    removed = set(base) - set(mine)
    added = [line for line in mine if line not in base and line not in theirs]
    return [line for line in theirs if line not in removed] + added
