"""A condition as rows of a form, and back. Pure.

Rows are joined by `all` or `any`; rows that share a group letter are bracketed and joined the other way round. What does
not fit that (a bracket within a bracket, a negated bracket) is one row that keeps the condition as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from kb.condition import All, AnyOf, Condition, Not, Op, Test
from probes.vocabulary import fact_types
from probes.vocabulary.declare import Value

OPS: tuple[str, ...] = get_args(Op)
_TRUTHS = {"true": True, "yes": True, "是": True, "": True, "false": False, "no": False, "否": False}
# What a browser sends back of a kept condition; no shipped one is a fifth as long.
_KEPT_MOST = 4000
_CONDITION: TypeAdapter[Condition] = TypeAdapter(Condition)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the form: a comparison, or `kept`, the JSON of a condition that rows cannot show."""

    fact: str = ""
    op: str = "is"
    value: str = ""
    negated: bool = False
    group: str = ""
    kept: str = ""

    @property
    def empty(self) -> bool:
        return not (self.fact or self.value or self.kept)


@dataclass(frozen=True, slots=True)
class Rows:
    join: str
    rows: tuple[Row, ...]


def parsed(data: Any) -> Condition | None:
    """The condition that the data of an entry holds, None where it is none."""
    try:
        return _CONDITION.validate_python(data)
    except (ValidationError, ValueError, RecursionError):
        return None


def to_rows(data: Any) -> Rows:
    """The rows that show a condition; whatever they cannot say back exactly is kept."""
    if not data:
        return Rows("all", ())
    condition = parsed(data)
    if condition is None:
        return _unsound(data)
    rows = _split(condition)
    if parsed(to_data(rows.join, rows.rows)) == condition:
        return rows
    return Rows("all", (_kept(condition),))


def to_data(join: str, rows: tuple[Row, ...]) -> dict[str, Any] | None:
    """The condition that the rows say, as the data of an entry; None without a row."""
    inner = "any" if join == "all" else "all"
    parts: list[Any] = []
    groups: dict[str, list[Any]] = {}
    for row in rows:
        if row.empty:
            continue
        if not row.group:
            parts.append(_part(row))
        elif row.group in groups:
            groups[row.group].append(_part(row))
        else:
            groups[row.group] = [_part(row)]
            parts.append(groups[row.group])
    joined = [_joined(inner, part) if isinstance(part, list) else part for part in parts]
    return _joined(join, joined) if joined else None


def _joined(join: str, parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else {join: parts}


def _split(condition: Condition) -> Rows:
    join, parts = ("any", condition.any) if isinstance(condition, AnyOf) else ("all", [condition])
    if isinstance(condition, All):
        parts = condition.all
    inner = AnyOf if join == "all" else All
    rows, letters = [], iter(ascii_uppercase)
    for part in parts:
        if isinstance(part, inner):
            letter = next(letters, "Z")
            rows += [_row(one, letter) for one in (part.any if isinstance(part, AnyOf) else part.all)]
        else:
            rows.append(_row(part, ""))
    return Rows(join, tuple(rows))


def _row(part: Condition, group: str) -> Row:
    negated = isinstance(part, Not)
    test = part.not_ if isinstance(part, Not) else part
    if not isinstance(test, Test):
        return _kept(part, group)
    shown = "" if test.op == "known" else value_text(test.value)
    row = Row(test.fact, test.op, shown, negated, group)
    return row if parsed(_part(row)) == part else _kept(part, group)


def _kept(part: Condition, group: str = "") -> Row:
    data = part.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return Row(group=group, kept=json.dumps(data, ensure_ascii=False))


def _unsound(data: Any) -> Rows:
    """What somebody typed and is no condition, row by row, so that it can be mended where it stands."""
    join = "any" if isinstance(data, dict) and "any" in data else "all"
    parts = data.get(join, [data]) if isinstance(data, dict) else [data]
    rows: list[Row] = []
    letters = iter(ascii_uppercase)
    for part in parts if isinstance(parts, list) else [parts]:
        inner = part.get("any" if join == "all" else "all") if isinstance(part, dict) else None
        letter = next(letters, "Z") if isinstance(inner, list) else ""
        rows += [_typed(one, letter) for one in (inner if isinstance(inner, list) else [part])]
    return Rows(join, tuple(rows))


def _typed(part: Any, group: str) -> Row:
    negated = isinstance(part, dict) and set(part) == {"not"}
    test = part["not"] if negated else part
    if isinstance(test, dict) and isinstance(test.get("fact"), str):
        shown = "" if test.get("op") == "known" else value_text(test.get("value", True))
        return Row(test["fact"], str(test.get("op", "is")), shown, negated, group)
    return Row(group=group, kept=json.dumps(part, ensure_ascii=False)[:_KEPT_MOST])


def _part(row: Row) -> Any:
    if row.kept:
        return _unkept(row.kept)
    test: dict[str, Any] = {"fact": row.fact, "op": row.op or "is"}
    if row.op != "known":
        test["value"] = value_of(row.fact, row.op, row.value)
    return {"not": test} if row.negated else test


def _unkept(text: str) -> Any:
    try:
        return json.loads(text[:_KEPT_MOST])
    except (ValueError, RecursionError):
        return {"fact": text[:80]}


def value_text(value: Any) -> str:
    """A value as it stands in the field; a list with commas."""
    if isinstance(value, list):
        return ", ".join(value_text(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def value_of(fact: str, op: str, text: str) -> Value | list[Value]:
    """What was typed, as the type of the fact; what cannot be of that type stays text, and the schema says so."""
    if op == "in":
        return [_scalar(fact, part.strip()) for part in text.replace("，", ",").split(",") if part.strip()]
    return _scalar(fact, text.strip())


def _scalar(fact: str, text: str) -> Value:
    declared = fact_types().get(fact)
    kind = declared.kind if declared else "str"
    if kind == "bool":
        return _TRUTHS.get(text.lower(), text)
    if kind == "str":
        return text
    return number_or_text(text)


def number_or_text(text: str) -> int | float | str:
    """A finite number that a person would write; everything else stays as it was typed."""
    for number in (int, float):
        try:
            value = number(text)
        except ValueError:
            continue
        return value if len(text) < 40 and math.isfinite(value) else text
    return text


def row_of(fields: Mapping[str, str]) -> Row:
    """A row from what a form sent."""
    known = {name: fields[name].strip() for name in ("fact", "op", "value", "group", "kept") if name in fields}
    return Row(negated=bool(fields.get("negated")), **known)
