"""The parts of the entry form and of a comparison in the templates."""

from __future__ import annotations

import json
from typing import Any

from django import template

from kb import explain
from kb.condition_rows import OPS, Row, parsed
from kb.entry_form import Field
from kb.language import language
from kb.present import entry_words

register = template.Library()

_OPS = {
    "is": ("是", "is"), "is-not": ("不是", "is not"), "in": ("是其中之一", "is one of"), "contains": ("含有", "contains"),
    "version<": ("版本早于", "version before"), "version>=": ("版本不早于", "version from"), "known": ("已知", "is known"),
    "<": ("低于", "below"), "<=": ("不超过", "at most"), ">": ("高于", "above"), ">=": ("至少", "at least"),
}  # fmt: skip


@register.filter
def field_label(field: Field) -> str:
    return entry_words.label(field).get(language())


@register.filter
def field_hint(field: Field) -> str:
    said = entry_words.hint(field)
    return said.get(language()) if said else ""


@register.filter
def faults(errors: list[dict[str, Any]]) -> list[str]:
    """What is wrong, each thing once, in the reader's language."""
    return list(dict.fromkeys(entry_words.fault(error).get(language()) for error in errors))


@register.filter
def options(field: Field) -> list[tuple[Any, str, bool]]:
    """Value, name and whether it is chosen; chosen ones of several come first, in the order of the file."""
    chosen = field.value if isinstance(field.value, list) else [field.value]
    ordered = [*chosen, *field.choices] if field.kind == "checks" else field.choices
    known = [value for value in dict.fromkeys(ordered) if value in field.choices]
    return [(value, entry_words.choice(field, value).get(language()), value in chosen) for value in known]


@register.filter
def condition_rows(field: Field) -> list[Row]:
    """The rows of a condition and an empty one to write the next into."""
    return [*field.condition.rows, Row()]


@register.filter
def ops(row: Row) -> list[tuple[str, str, bool]]:
    place = 0 if language() == "zh" else 1
    return [(op, _OPS[op][place], op == row.op) for op in OPS]


@register.filter
def sentence(data: Any) -> str:
    """What a condition says; "" where it is none."""
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            return ""
    found = parsed(data) if data else None
    return explain.condition(found).get(language()) if found else ""


@register.filter
def value_at(row: list[Field], name: str) -> str:
    """The value of one field of a row, for its heading."""
    return next((str(field.value or "") for field in row if field.name == name), "")
