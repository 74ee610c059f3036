"""What a case turned out to be: who may say so, and what follows for the knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from kb import library
from kb.diagnose import NotAllowed, assessment
from kb.findings import rests_on_measurement
from kb.models import AuditEvent, Case, ConfirmedReport, Entry, Outcome, Revision

CURATE = "kb.change_entry"


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody says of a case's end; `slug` "" where no entry says it."""

    slug: str = ""
    other: str = ""
    fix: str = ""
    helped: bool | None = None
    before: float | None = None
    after: float | None = None
    unit: str = Outcome.Unit.TOKENS
    note: str = ""


@transaction.atomic
def close(case: Case, told: Told, user: Any, *, is_own: bool) -> Outcome:
    """Say, or say anew, what it was. Kept in the audit log each time.

    Raises:
        NotAllowed: neither one's own case nor a curator; or nothing said.
    """
    if not (is_own or user.has_perm(CURATE)):
        raise NotAllowed("只有提交人或维护者可以结案。", "Only who submitted the case, or a curator, can close it.")
    entry = Entry.objects.published().filter(slug=told.slug).first() if told.slug else None
    if entry is None and not told.other.strip():
        raise NotAllowed("请选择病因，或写明它是什么。", "Choose the cause, or write what it was.")
    fixes = {fix.id for fix in entry.file.fixes} if entry else set()
    person = user if user.is_authenticated else None
    outcome, _ = Outcome.objects.update_or_create(
        case=case,
        defaults={
            "entry": entry, "other": "" if entry else told.other.strip()[:300], "fix": told.fix if told.fix in fixes else "",
            "helped": told.helped, "before": told.before, "after": told.after, "unit": told.unit,
            "note": told.note.strip()[:2000], "by": person, "confirmed_by": person if person and person.has_perm(CURATE) else None,
        },
    )  # fmt: skip
    AuditEvent.record(
        user, "case.closed", case.token, entry=told.slug, other=outcome.other, fix=outcome.fix, helped=told.helped,
        before=told.before, after=told.after, unit=told.unit,
    )  # fmt: skip
    return outcome


@transaction.atomic
def reopen(case: Case, user: Any, *, is_own: bool) -> None:
    """Take the outcome back, and with it what it taught.

    Raises:
        NotAllowed: neither one's own case nor a curator.
    """
    if not (is_own or user.has_perm(CURATE)):
        raise NotAllowed("只有提交人或维护者可以这样做。", "Only who submitted the case, or a curator, can do this.")
    Outcome.objects.filter(case=case).delete()
    AuditEvent.record(user, "case.reopened", case.token)


def confirm(outcome: Outcome, user: Any) -> None:
    """A curator vouches for an outcome that somebody without an account told.

    Raises:
        NotAllowed: no right.
    """
    _need(user)
    outcome.confirmed_by = user
    outcome.save(update_fields=["confirmed_by", "at"])
    AuditEvent.record(user, "outcome.confirmed", outcome.case.token)


def keep_as_report(case: Case, user: Any) -> ConfirmedReport:
    """The case becomes a confirmed report of the entry that it was closed with.

    Raises:
        NotAllowed: no right, or not closed with an entry.
    """
    _need(user)
    outcome = Outcome.objects.filter(case=case).select_related("entry").first()
    if outcome is None or outcome.entry is None:
        raise NotAllowed("请先用某个病因结案。", "Close the case with a cause first.")
    report = ConfirmedReport.of_case(case, outcome.entry, user)
    AuditEvent.record(user, "report.kept", outcome.entry.slug, case=case.token)
    return report


@transaction.atomic
def draft_from(case: Case, user: Any) -> Revision:
    """A draft of a new entry that begins with what the case says: its words as phrase and example, its telling facts as
    conditions to be weighed, its outcome as title and fix.

    Raises:
        NotAllowed: no right.
    """
    _need(user)
    outcome = Outcome.objects.filter(case=case).first()
    what = (outcome.other or outcome.note) if outcome else ""
    lang = case.language[:2] if case.language[:2] in ("zh", "en") else "en"
    symptom = (case.text or case.log or case.command or case.nvidia_smi).strip()[:600]
    text = {"en": "", "zh": "", lang: what[:200]}
    body = {
        "kind": "slow", "frequency": "rare", "symptoms_of": _kinds(case), "title": text, "summary": {"en": "", "zh": "", lang: what},
        "phrases": {"en": [], "zh": [], lang: [symptom[:120]]}, "mechanism": {"en": "", "zh": ""},
        "rules": _rules(case), "fixes": [{"title": {"en": "", "zh": "", lang: (outcome.note if outcome else "")[:200]}}],
        "sources": [{"id": "case", "kind": "issue", "ref": f"case {case.token}"}], "signatures": [],
        "examples": [{"lang": lang, "symptom": symptom, "command": case.command[:600], "log": case.log[-600:]}],
    }  # fmt: skip
    revision = Revision.objects.create(body=body, reason=f"from case {case.token}", author=user)
    AuditEvent.record(user, "revision.from_case", case.token, revision=revision.pk)
    return revision


def suggested(case: Case) -> str:
    """Slug of the cause that something measured speaks for decisively and that leads, "" where none does."""
    causes = assessment(case).suspects
    known = library.knowledge().by_slug
    return causes[0].slug if causes and causes[0].slug in known and rests_on_measurement(causes[0]) else ""


def _kinds(case: Case) -> list[str]:
    kinds = [str(fact.value) for fact in case.stated() if fact.name == "symptom.kind"]
    return list(dict.fromkeys(kinds)) or ["slow"]


def _rules(case: Case) -> list[dict[str, Any]]:
    """A rule for each thing that was observed or configured, its level and reason left to the curator."""
    told = [fact for fact in case.stated() if fact.name.startswith("observed.") and fact.value is True]
    return [
        {
            "id": fact.name.partition(".")[2].replace("_", "-"),
            "when": {"fact": fact.name},
            "level": 1,
            "group": "observed",
        }
        for fact in told[:6]
    ]


def _need(user: Any) -> None:
    if not user.has_perm(CURATE):
        raise NotAllowed("你没有这个权限；请联系管理员。", "You may not do this; ask an administrator for the right.")
