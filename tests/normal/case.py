"""Facts of a case, written short: `case(gpu__name="RTX 4090")`."""

from __future__ import annotations

from kb.findings import findings, verdict
from kb.judgement import Finding
from kb.normal import Normal, judge
from probes.facts import Fact, FactSet, Origin, Provenance


def case(origin: Origin = "text", **facts: object) -> FactSet:
    """A tuple is (value, low, high)."""
    stated = FactSet()
    for name, value in facts.items():
        middle, low, high = value if isinstance(value, tuple) else (value, None, None)
        stated.add([Fact(name.replace("__", "."), middle, Provenance(origin), low=low, high=high)])
    return stated


def assessed(facts: FactSet) -> tuple[Normal | None, list[Finding], str]:
    """What the caller does: judge, add the computed facts, find, give the verdict; without a ranking."""
    normal = judge(facts)
    if normal:
        facts.add(normal.facts)
    found = findings(facts)
    return normal, found, verdict(facts, normal, found)
