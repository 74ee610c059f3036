"""What was seen and matters by itself, and the verdict on the case. Pure.

    findings(facts) -> list[Finding]
    verdict(facts, normal, findings, causes, none) -> "problem" | "suspected" | "no_data" | "healthy"

Never a false green: "healthy" needs a measurement of serving that is fine, and nothing abnormal, contradictory or left
unmeasured beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from kb.explain import likelihood
from kb.findings.contradictions import CONTRADICTIONS
from kb.findings.flags import FLAGS
from kb.findings.hardware import HARDWARE
from kb.findings.read import number
from kb.findings.serving import SERVING
from kb.judgement import Finding, RankedCause
from probes.facts import FactSet

__all__ = ["findings", "rests_on_measurement", "verdict"]

Verdict = Literal["problem", "healthy", "no_data", "suspected"]
# A cause more likely than not is a suspicion, whatever the measurements say.
SUSPICION = 0.5
# Likelihood ratio of the strongest step of the scale.
DECISIVE = likelihood(3)
# The cause that says that nothing is wrong.
NO_FAULT = {"expected-bandwidth-bound"}
# What a person may observe of a server that is fine.
HARMLESS = {"observed.expectation_unclear", "observed.fine_when_single"}


def findings(facts: FactSet) -> list[Finding]:
    """Everything abnormal, contradictory, unmeasured or fine, most important first."""
    order = ("contradiction", "abnormal", "not_measured", "fine", "note")
    found = [finding for rule in (*CONTRADICTIONS, *FLAGS, *SERVING, *HARDWARE) for finding in rule(facts)]
    return sorted(found, key=lambda finding: order.index(finding.kind))


def verdict(
    facts: FactSet, normal: Any, findings: Sequence[Finding], causes: Sequence[RankedCause] = (), none: float = 1.0
) -> Verdict:
    """The one word over a case.

    Args:
        normal: `kb.normal.Normal` or None. causes, none: the ranking; a leading cause is a suspicion, not a measurement.
    """
    kinds = {finding.kind for finding in findings}
    if "abnormal" in kinds:
        return "problem"
    faults = [cause for cause in causes if cause.slug not in NO_FAULT]
    first = max(faults, key=lambda cause: cause.probability, default=None)
    leading = first.probability if first else 0.0
    if first and leading >= SUSPICION and rests_on_measurement(first):
        return "problem"
    if "contradiction" in kinds or leading >= SUSPICION:
        return "suspected"
    if not _serving_is_fine(facts, normal):
        return "suspected" if causes and leading > none and _complains(facts) else "no_data"
    # Serving was measured and is fine so far as that goes; an open question or another complaint forbids "healthy".
    return "suspected" if "not_measured" in kinds or _complains_beside_speed(facts) else "healthy"


def rests_on_measurement(cause: RankedCause) -> bool:
    """A decisive rule of the cause rests on what a probe or the engine's own counters say."""
    decisive = (term for term in cause.contributions if term.kind == "rule" and (term.nominal or 0) >= DECISIVE)
    return any(
        term.facts and all(fact.provenance.origin in ("probe", "metrics") for fact in term.facts) for term in decisive
    )


def _serving_is_fine(facts: FactSet, normal: Any) -> bool:
    served = facts.value("metrics.state") == "ok" and (number(facts, "metrics.requests_finished") or 0) > 0
    return served or (normal is not None and normal.state == "normal" and _speed_counts(normal))


def _speed_counts(normal: Any) -> bool:
    """Prose names many speeds, of good days and of others' machines: what was not measured is never called fine. That the
    figures given are normal is said by `kb.normal`, whatever the verdict."""
    return normal.measured.fact.provenance.origin not in ("text", "user")


def _complains(facts: FactSet) -> bool:
    return bool(facts.all("symptom.kind"))


def _complains_beside_speed(facts: FactSet) -> bool:
    """A normal speed answers a complaint about speed, and no other one."""
    other = any(fact.value != "slow" for fact in facts.all("symptom.kind"))
    return other or any(
        fact.value is True and fact.name.startswith("observed.") and fact.name not in HARMLESS for fact in facts
    )
