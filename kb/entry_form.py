"""An entry as the fields of a form, and back. Pure.

Both ways walk the schema of `kb.entry_file`, so that a key added there is a field here. What was typed comes back as it
was, sound or not: the schema alone says what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Literal, Protocol, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from kb.condition import Test
from kb.condition_rows import Row, Rows, number_or_text, row_of, to_data, to_rows
from kb.entry_file import Both, EntryFile

Kind = Literal["line", "text", "lines", "choice", "checks", "number", "both", "group", "rows", "condition"]
# Short strings; every other one may go over several lines.
_ONE_LINE = {"slug", "id", "group", "source", "engine", "versions", "seen"}
_ABSENT = object()


class Sent(Protocol):
    """What a form sent: Django's QueryDict, or anything like it."""

    def __iter__(self) -> Iterator[str]: ...
    def getlist(self, key: str) -> list[str]: ...


@dataclass(slots=True)
class Field:
    """One field of the form.

    Attributes:
        path: where its value stands in the entry, "rules.0.why.zh"; its name in the form.
        owner: class of the schema that it belongs to, for its label.
        children: of a pair or group. rows: of a list, each the fields of one item.
        condition: of a condition, its rows.
        errors: what the schema says of it.
    """

    name: str
    path: str
    owner: str
    kind: Kind
    required: bool
    value: Any = None
    choices: tuple[Any, ...] = ()
    children: list[Field] = field(default_factory=list)
    rows: list[list[Field]] = field(default_factory=list)
    condition: Rows | None = None
    errors: list[Any] = field(default_factory=list)

    def walk(self) -> Iterator[Field]:
        """The field and all below it."""
        yield self
        for child in [*self.children, *(one for row in self.rows for one in row)]:
            yield from child.walk()


def fields(body: Mapping[str, Any], model: type[BaseModel] = EntryFile, prefix: str = "") -> list[Field]:
    """The fields that show `body`, in the order of the schema."""
    return [_field(model, name, info, body, prefix) for name, info in model.model_fields.items()]


def _field(model: type[BaseModel], name: str, info: FieldInfo, body: Any, prefix: str) -> Field:
    kind, inner = kind_of(name, info.annotation)
    default = None if info.is_required() else info.default
    value = body.get(name, default) if isinstance(body, Mapping) else default
    made = Field(name, prefix + name, model.__name__, kind, info.is_required(), value)
    match kind:
        case "both" | "group":
            made.children = fields(value or {}, inner, made.path + ".")
        case "rows":
            items = value if isinstance(value, list) else []
            made.rows = [fields(item, inner, f"{made.path}.{n}.") for n, item in enumerate(items)]
        case "condition":
            made.condition = to_rows(value)
        case "choice" | "checks":
            made.choices = inner
        case "lines":
            made.value = "\n".join(map(str, value)) if isinstance(value, list) else value
    return made


def kind_of(name: str, annotation: Any) -> tuple[Kind, Any]:
    """How a key of the schema is asked for, and the class or the choices behind it."""
    if _mentions(annotation, Test):
        return "condition", None
    if get_origin(annotation) is list:
        (item,) = get_args(annotation)
        if isinstance(item, type) and issubclass(item, BaseModel):
            return "rows", item
        return ("checks", get_args(item)) if get_origin(item) is Literal else ("lines", None)
    one = next(part for part in (_parts(annotation)) if part is not NoneType)
    if get_origin(one) is Literal:
        return "choice", get_args(one)
    if isinstance(one, type) and issubclass(one, BaseModel):
        return ("both" if one is Both else "group"), one
    if one in (int, float):
        return "number", one
    return ("line" if name in _ONE_LINE else "text"), None


def _parts(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if NoneType in get_args(annotation) else (annotation,)


def _mentions(annotation: Any, wanted: type) -> bool:
    if get_origin(annotation) is list:
        return False
    return annotation is wanted or any(_mentions(part, wanted) for part in get_args(annotation))


def read(sent: Sent, model: type[BaseModel] = EntryFile, prefix: str = "") -> dict[str, Any]:
    """What the form says, as the data of an entry; an optional field left empty is not in it."""
    body = {}
    for name, info in model.model_fields.items():
        value = _read(sent, name, info, prefix + name)
        if value is not _ABSENT:
            body[name] = value
    return body


def _read(sent: Sent, name: str, info: FieldInfo, path: str) -> Any:
    kind, inner = kind_of(name, info.annotation)
    match kind:
        case "both" | "group":
            return read(sent, inner, path + ".")
        case "rows":
            return [read(sent, inner, f"{path}.{n}.") for n in _indices(sent, path)]
        case "condition":
            data = read_condition(sent, path)
            return _ABSENT if data is None else data
        case "checks":
            return [value for value in sent.getlist(path) if value in inner]
        case "lines":
            return [line.strip() for line in _text(sent, path).split("\n") if line.strip()]
    text = _text(sent, path)
    if text.strip() == "" and not info.is_required():
        return _ABSENT
    if kind == "choice":
        return next((choice for choice in inner if str(choice) == text), text)
    return number_or_text(text.strip()) if kind == "number" else text


def read_condition(sent: Sent, path: str) -> Any:
    """The condition whose rows stand under `path` in the form, None without one."""
    return to_data(_text(sent, f"{path}.join") or "all", condition_rows(sent, path))


def condition_rows(sent: Sent, path: str) -> tuple[Row, ...]:
    """The rows as they were sent, also empty ones."""
    below = f"{path}.rows."
    names = ("fact", "op", "value", "group", "kept", "negated")
    return tuple(
        row_of({name: _text(sent, f"{below}{n}.{name}") for name in names}) for n in _indices(sent, f"{path}.rows")
    )


def _indices(sent: Sent, path: str) -> list[int]:
    pattern = re.compile(re.escape(path) + r"\.([0-9]{1,4})\.")
    return sorted({int(found[1]) for key in sent if (found := pattern.match(key))})


def _text(sent: Sent, path: str) -> str:
    """The last value sent, with the line ends that the files have, and without what no database stores."""
    values = sent.getlist(path)
    return values[-1].replace("\r\n", "\n").replace("\x00", "") if values else ""


@dataclass(slots=True)
class Form:
    """The fields with what the schema says of them.

    Attributes:
        errors: of the entry as a whole, as pydantic gives them. file: the entry, None while anything is wrong.
    """

    fields: list[Field]
    errors: list[Any]
    file: EntryFile | None

    @property
    def by_path(self) -> dict[str, Field]:
        return {one.path: one for top in self.fields for one in top.walk()}

    @property
    def wrong(self) -> list[Field]:
        return [one for top in self.fields for one in top.walk() if one.errors]


def checked(body: Mapping[str, Any]) -> Form:
    """The form of `body`, each error beside its field."""
    form = Form(fields(body), [], None)
    try:
        form.file = EntryFile.model_validate(body)
    except ValidationError as wrong:
        _place(form, wrong)
    return form


def _place(form: Form, wrong: ValidationError) -> None:
    """Put each error on the deepest field that its location names; the union's own tags in it are no fields."""
    known = form.by_path
    for error in wrong.errors(include_url=False):
        steps = [str(step) for step in error["loc"]]
        paths = (".".join(steps[:n]) for n in range(len(steps), 0, -1))
        found = next((known[path] for path in paths if path in known), None)
        (found.errors if found else form.errors).append(error)


def normal(file: EntryFile) -> dict[str, Any]:
    """The data of an entry as the database keeps it."""
    return file.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def rearranged(body: dict[str, Any], action: str, target: str) -> dict[str, Any]:
    """`body` with a row added, removed or moved up: what the buttons of the form do.

    Args:
        action: add, remove or up.
        target: path of a list ("rules") to add to, of an item ("rules.2") for the others. One that leads nowhere
            changes nothing.
    """
    steps = target.split(".")
    holder: Any = body
    last = len(steps) if action == "add" else len(steps) - 1
    for step in steps[:last]:
        holder = _step(holder, step, make=action == "add")
    if not isinstance(holder, list):
        return body
    if action == "add":
        holder.append({})
    elif steps[-1].isdecimal() and int(steps[-1]) < len(holder):
        _move(holder, int(steps[-1]), action)
    return body


def _step(holder: Any, step: str, *, make: bool) -> Any:
    if isinstance(holder, dict):
        return holder.setdefault(step, []) if make else holder.get(step)
    if isinstance(holder, list) and step.isdecimal() and int(step) < len(holder):
        return holder[int(step)]
    return None


def _move(rows: list[Any], at: int, action: str) -> None:
    row = rows.pop(at)
    if action == "up":
        rows.insert(max(at - 1, 0), row)
