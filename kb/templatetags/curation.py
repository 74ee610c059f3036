"""The parts of the entry form and of a comparison in the templates."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.utils.text import Truncator

from kb import explain
from kb.condition_rows import OPS, Row, parsed
from kb.entry_file import as_yaml
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
def pair(said: tuple[str, str]) -> str:
    """A text that comes as (zh, en)."""
    return said[0] if language() == "zh" else said[1]


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
def as_text(value: Any) -> str:
    """A value of an entry as it is read: a text plainly, "–" for none, all else as in the file."""
    if value is None or isinstance(value, str):
        return value or "–"
    return as_yaml(value)


# What tells one row of a list from the others, beside its id.
_TELLING = ("when", "title", "pattern", "run", "ref", "slug", "symptom")


@register.filter
def heading(row: list[Field]) -> dict[str, str]:
    """Id of a row of a list, and in a few words what it says."""
    by_name = {field.name: field for field in row}
    telling = next((by_name[name] for name in _TELLING if name in by_name), None)
    named = by_name.get("id")
    return {"id": str(named.value or "") if named else "", "says": _few_words(telling)}


def _few_words(field: Field | None) -> str:
    if field is None or not field.value:
        return ""
    if field.kind == "condition":
        return sentence(field.value)
    text = field.value.get(language(), "") if isinstance(field.value, dict) else field.value
    return Truncator(text).chars(90)


@register.filter
def open_at_first(row: list[Field]) -> bool:
    """A row unfolds where something in it is wrong, or nothing is written yet."""
    below = [one for field in row for one in field.walk()]
    written = any(one.value for one in below if one.kind in ("line", "text", "lines") and one.name != "lang")
    return not written or any(one.errors for one in below)
