"""Whether a condition can hold at all, found by trying the values that its own comparisons tell apart. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from kb.condition import All, AnyOf, Condition, Not, Test
from probes.facts import Fact, Provenance
from probes.vocabulary import fact_type
from probes.vocabulary.declare import FactType, Value

Literal_ = tuple[Test, bool]
# Alternatives looked at of one condition; the shipped ones have at most a dozen.
MOST = 500
_NOWHERE = Provenance("user", "check")


def comparisons(condition: Condition) -> list[Test]:
    """The single comparisons of a condition, in order."""
    match condition:
        case Test():
            return [condition]
        case All():
            return [test for part in condition.all for test in comparisons(part)]
        case AnyOf():
            return [test for part in condition.any for test in comparisons(part)]
        case Not():
            return comparisons(condition.not_)


def can_hold(conditions: list[Condition], *, negated: bool = False) -> bool:
    """Whether some values of the facts make all conditions true; `negated`: make them false."""
    options = product(*(list(_alternatives(one, wanted=not negated)) for one in conditions))
    return any(_consistent([literal for part in option for literal in part]) for option in islice(options, MOST))


def _alternatives(condition: Condition, *, wanted: bool) -> Iterator[list[Literal_]]:
    """The ways to make a condition come out as wanted, each a list of comparisons that must come out so."""
    match condition:
        case Test():
            yield [(condition, wanted)]
        case Not():
            yield from _alternatives(condition.not_, wanted=not wanted)
        case All() | AnyOf():
            parts = condition.all if isinstance(condition, All) else condition.any
            ways = [list(islice(_alternatives(part, wanted=wanted), MOST)) for part in parts]
            if isinstance(condition, All) == wanted:
                for choice in islice(product(*ways), MOST):
                    yield [literal for part in choice for literal in part]
            else:
                yield from (way for part in ways for way in part)


def _consistent(literals: list[Literal_]) -> bool:
    by_fact: dict[str, list[Literal_]] = {}
    for test, wanted in literals:
        by_fact.setdefault(test.fact, []).append((test, wanted))
    return all(_fact_can(fact_type(name), wanted) for name, wanted in by_fact.items())


def _fact_can(declared: FactType, literals: list[Literal_]) -> bool:
    """A fact that can hold several values (flags seen, one value a GPU) can meet each comparison with another one."""
    several = declared.many or declared.name.startswith("gpu.")
    values = list(_candidates(declared, [test for test, _ in literals]))
    if several:
        denied = [one for one in literals if not one[1]]
        return all(any(_meets(declared, value, [one, *denied]) for value in values) for one in literals)
    return any(_meets(declared, value, literals) for value in values)


def _meets(declared: FactType, value: Value, literals: list[Literal_]) -> bool:
    fact = Fact(declared.name, value, _NOWHERE)
    return all(test.op == "known" or test.holds(fact) == wanted for test, wanted in literals)


def _candidates(declared: FactType, tests: list[Test]) -> Iterator[Value]:
    """Values of the fact's type, at least one on each side of every comparison."""
    named = [value for test in tests for value in (test.value if isinstance(test.value, list) else [test.value])]
    if declared.kind == "bool":
        yield from (True, False)
    elif declared.kind == "str":
        yield from declared.choices or _strings(named)
    else:
        step = 1 if declared.kind == "int" else 1e-6
        numbers = {float(value) for value in named} | {0.0}
        tried = {near for number in numbers for near in (number - step, number, number + step)}
        yield from (declared.coerce(value) for value in sorted(tried) if _in_range(declared, value))


def _strings(named: list[Value]) -> Iterator[str]:
    texts = [str(value) for value in named]
    yield from ("something else", "0", "99999.0", " ".join(texts), *texts)
    yield from (f"{text}.1" for text in texts)


def _in_range(declared: FactType, value: float) -> bool:
    """No quantity of the vocabulary is negative but a temperature; a share of time of one thing ends at 100."""
    if value < 0:
        return declared.unit == "°C"
    return declared.unit != "%" or value <= 100
