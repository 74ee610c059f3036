"""A probe's parameters as a form, from the JSON schema in its catalogue document. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    kind: str  # integer, number, boolean, string
    about: str
    default: Any
    choices: tuple[Any, ...]
    minimum: float | None
    maximum: float | None

    @property
    def step(self) -> str:
        return "1" if self.kind == "integer" else "any"


class WrongValue(ValueError):
    """A field that does not hold what it must; its name."""


def _field(name: str, schema: Mapping[str, Any]) -> Field:
    # A parameter that may be left out is written as `anyOf` of its type and null.
    inner = next((option for option in schema.get("anyOf", ()) if option.get("type") != "null"), schema)
    return Field(
        name, inner.get("type", "string"), schema.get("description", ""), schema.get("default"),
        tuple(inner.get("enum", ())), inner.get("minimum", inner.get("exclusiveMinimum")),
        inner.get("maximum", inner.get("exclusiveMaximum")),
    )  # fmt: skip


def fields(document: Mapping[str, Any]) -> list[Field]:
    """The parameters a person may set; the engine is chosen apart, from those of the host."""
    properties = document["parameters"].get("properties", {})
    return [_field(name, schema) for name, schema in properties.items() if name != "engine"]


def takes_engine(document: Mapping[str, Any]) -> bool:
    return "engine" in document["parameters"].get("properties", {})


def parameters(document: Mapping[str, Any], data: Mapping[str, str]) -> dict[str, Any]:
    """What the form says, typed; a field left empty is left to the probe.

    Raises:
        WrongValue: a number is due, or one of the choices.
    """
    said = {}
    for field in fields(document):
        text = data.get(f"p-{field.name}", "").strip()
        if text:
            said[field.name] = _typed(field, text)
    return said


def _typed(field: Field, text: str) -> Any:
    if field.choices:
        if text not in map(str, field.choices):
            raise WrongValue(field.name)
        return next(choice for choice in field.choices if str(choice) == text)
    if field.kind == "boolean":
        return text == "true"
    if field.kind not in ("integer", "number"):
        return text[:200]
    try:
        value = int(text) if field.kind == "integer" else float(text)
    except ValueError:
        raise WrongValue(field.name) from None
    low, high = field.minimum, field.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        raise WrongValue(field.name)
    return value
