"""The answer to a case: facts in, everything that the page, the API and the terminal show out. Pure.

    assess(submission, knowledge, facts=..., probe_infos=...) -> Assessment

The same function judges before and after probing, in the browser and in the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from kb import facts as reading
from kb import findings as seen
from kb import normal as speed
from kb.cards import card_facts
from kb.facts.redact import redact
from kb.fixes import rank_fixes
from kb.flag_check import lacking
from kb.judgement import (
    Assessment,
    Contribution,
    Finding,
    Meaning,
    NextStep,
    ProbeInfo,
    RankedCause,
    RankedFix,
    Submission,
    encodable,
)
from kb.knowledge import Knowledge
from kb.plan import next_steps
from kb.ranking import rank
from probes.facts import Fact, FactSet

__all__ = [
    "Assessment", "Contribution", "Finding", "Meaning", "NextStep", "ProbeInfo", "RankedCause", "RankedFix",
    "Submission", "assess", "redacted",
]  # fmt: skip


def redacted(submission: Submission) -> tuple[Submission, int]:
    """The submission without secrets, and how many were taken out."""
    cleaned = {name: redact(encodable(text)) for name, text in submission.parts().items()}
    texts = {name: text for name, (text, _) in cleaned.items()}
    parts = Submission(texts["symptom"], texts["command"], texts["log"], texts["nvidia_smi"])
    return parts, sum(count for _, count in cleaned.values())


def _confidence(submission: Submission) -> Literal["calibrated", "uncalibrated"]:
    """The percentages were measured on 109 reports in people's words; nobody has closed cases of measurements alone yet."""
    return "calibrated" if submission.text.strip() else "uncalibrated"


def assess(
    submission: Submission,
    knowledge: Knowledge,
    *,
    facts: Iterable[Fact] | None = None,
    probe_infos: Iterable[ProbeInfo] = (),
) -> Assessment:
    """Judge a case.

    Args:
        submission: what was pasted. Whoever gives `facts` has taken the secrets out before reading it (`redacted`).
        facts: everything that is stated or measured, with corrections applied. None: redact and read the submission.
        probe_infos: the probes that could be run where the case comes from.
    """
    if facts is None:
        submission, _ = redacted(submission)
        facts = reading.extract(submission)
    known = FactSet(list(facts))
    known.add(lacking(known))
    known.add(card_facts(known))
    normal = speed.judge(known)
    if normal is not None:
        known.add(normal.facts)
    findings = seen.findings(known)
    causes, none = rank(known, submission, knowledge)
    return Assessment(
        facts=known, normal=normal, findings=findings, verdict=seen.verdict(known, normal, findings, causes, none),
        causes=causes, none=none, fixes=rank_fixes(causes, knowledge, known, none),
        next_steps=next_steps(causes, knowledge, known, tuple(probe_infos)), confidence=_confidence(submission),
    )  # fmt: skip
