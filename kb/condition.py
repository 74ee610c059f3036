"""Conditions on facts, three-valued: a missing fact is unknown, never false. Pure.

{fact: engine.enforce_eager, op: is, value: true}
{all: [...]}   {any: [...]}   {not: {...}}
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
    model_validator,
)

from probes.facts import Fact, FactSet
from probes.vocabulary import UnknownFactError, fact_type
from probes.vocabulary.declare import Value

Op = Literal["is", "is-not", "<", "<=", ">", ">=", "in", "contains", "version<", "version>=", "known"]
Truth = bool | None


def version_key(text: str) -> tuple[int, ...]:
    """`0.9.0.post1` -> (0, 9, 0, 1); digits only, so that versions of any engine compare."""
    numbers, current = [], ""
    for char in text + ".":
        if char.isdigit():
            current += char
        elif current:
            numbers.append(int(current))
            current = ""
    return tuple(numbers)


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Test(Strict):
    """One comparison with one fact. `contains` is for free text, without regard to case; `known` asks only
    whether anybody stated the fact (it is true or unknown, never false)."""

    __test__ = False
    fact: str
    op: Op = "is"
    value: Value | list[Value] = True

    @model_validator(mode="after")
    def _fits_the_vocabulary(self) -> Test:
        try:
            declared = fact_type(self.fact)
        except UnknownFactError:
            raise ValueError(f"unknown fact {self.fact!r}") from None
        if isinstance(self.value, list) and self.op != "in":
            raise ValueError("only `in` takes a list")
        if self.op in ("is", "is-not"):
            declared.coerce(self.value)
        elif self.op == "in":
            if not isinstance(self.value, list):
                raise ValueError("`in` takes a list")
            for value in self.value:
                declared.coerce(value)
        elif self.op in ("<", "<=", ">", ">="):
            if declared.kind not in ("int", "float"):
                raise ValueError(f"{self.fact} is not a number")
            declared.coerce(self.value)
        return self

    @model_serializer(mode="wrap")
    def _with_the_number_one(self, default: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """1 == True, so that the number would be left out as the default and come back as a truth."""
        data = default(self)
        return data if self.value is True else data | {"value": self.value}

    def holds(self, fact: Fact) -> bool:
        value, wanted = fact.value, self.value
        match self.op:
            case "known":
                return True
            case "is":
                return value == wanted
            case "is-not":
                return value != wanted
            case "in":
                return value in wanted  # type: ignore[operator]
            case "contains":
                return str(wanted).lower() in str(value).lower()
            case "version<":
                return version_key(str(value)) < version_key(str(wanted))
            case "version>=":
                return version_key(str(value)) >= version_key(str(wanted))
            case "<":
                return value < wanted  # type: ignore[operator]
            case "<=":
                return value <= wanted  # type: ignore[operator]
            case ">":
                return value > wanted  # type: ignore[operator]
            case _:
                return value >= wanted  # type: ignore[operator]

    def truth(self, facts: FactSet) -> Truth:
        """True if any stated value holds, False if some were stated and none holds, None if none was stated."""
        stated = facts.holding(self.fact)
        return any(self.holds(f) for f in stated) if stated else None

    def support(self, facts: FactSet) -> list[Fact]:
        return facts.holding(self.fact)


class All(Strict):
    all: list[Condition] = Field(min_length=1)

    def truth(self, facts: FactSet) -> Truth:
        parts = [part.truth(facts) for part in self.all]
        if any(part is False for part in parts):
            return False
        return None if any(part is None for part in parts) else True

    def support(self, facts: FactSet) -> list[Fact]:
        return [fact for part in self.all for fact in part.support(facts)]


class AnyOf(Strict):
    any: list[Condition] = Field(min_length=1)

    def truth(self, facts: FactSet) -> Truth:
        parts = [part.truth(facts) for part in self.any]
        if any(part is True for part in parts):
            return True
        return None if any(part is None for part in parts) else False

    def support(self, facts: FactSet) -> list[Fact]:
        true = [part for part in self.any if part.truth(facts)]
        return [fact for part in true or self.any for fact in part.support(facts)]


class Not(Strict):
    not_: Condition = Field(alias="not")
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    def truth(self, facts: FactSet) -> Truth:
        inner = self.not_.truth(facts)
        return None if inner is None else not inner

    def support(self, facts: FactSet) -> list[Fact]:
        return self.not_.support(facts)


def _which(data: Any) -> str:
    """The kind of condition that data is; what is none goes to the plain test, which says so."""
    if not isinstance(data, (dict, BaseModel)):
        return "test"
    keys = data if isinstance(data, dict) else data.model_dump(by_alias=True)
    return next((key for key in ("all", "any", "not") if key in keys), "test")


Condition = Annotated[
    Annotated[Test, Tag("test")] | Annotated[All, Tag("all")] | Annotated[AnyOf, Tag("any")] | Annotated[Not, Tag("not")],
    Discriminator(_which),
]  # fmt: skip
for model in (All, AnyOf, Not):
    model.model_rebuild()


def fact_names(condition: Condition) -> list[str]:
    """The facts that a condition reads, in order, without repeats."""
    match condition:
        case Test():
            names = [condition.fact]
        case All():
            names = [name for part in condition.all for name in fact_names(part)]
        case AnyOf():
            names = [name for part in condition.any for name in fact_names(part)]
        case Not():
            names = fact_names(condition.not_)
    return list(dict.fromkeys(names))
