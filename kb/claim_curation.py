"""Changing a claim: its verdict follows the evidence, and every version is kept. The only place that changes a claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from kb.diagnose import NotAllowed
from kb.models import AuditEvent, Claim, ClaimVersion, Entry, Evidence, Thread
from kb.models.thread import CLAIM_FIELDS

CURATE, ADD = "kb.change_claim", "kb.add_claim"


class Overtaken(Exception):
    """Somebody else changed the claim in between."""


@dataclass(frozen=True, slots=True)
class Faults(Exception):
    """Field -> what is wrong with it, as (zh, en)."""

    by_field: Mapping[str, tuple[str, str]]


REQUIRED = ("statement_en", "statement_zh", "reason_en", "reason_zh")


def faults(content: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """What keeps the content of a claim from being stored."""
    found = {name: ("请填写。", "Write something here.") for name in REQUIRED if not str(content.get(name, "")).strip()}
    if bool(content.get("check_en")) != bool(content.get("check_zh")):
        found["check_en"] = ("两种语言要么都写，要么都不写。", "Write it in both languages, or in neither.")
    for name, choices in (("verdict", Claim.Verdict.values), ("kind", Claim.Kind.values)):
        if content.get(name) not in choices:
            found[name] = ("请选择一项。", "Choose one.")
    said_by = content.get("said_by")
    if not isinstance(said_by, int) or not 1 <= said_by <= 100_000:
        found["said_by"] = ("请填写从 1 开始的整数。", "A whole number from 1 on.")
    return found


@transaction.atomic
def change(claim: Claim, content: Mapping[str, Any], reason: str, user: Any, edition: int) -> Claim:
    """Store a new version of a claim; the one before, also the shipped one, stays readable.

    Raises:
        NotAllowed: no right, or no reason. Faults: a field is wrong. Overtaken: `edition` is not the newest any more.
    """
    _need(user, CURATE)
    if not reason.strip():
        raise NotAllowed("请写明修改的理由。", "Say why it is changed.")
    if wrong := faults(content):
        raise Faults(wrong)
    locked = Claim.objects.select_for_update().get(pk=claim.pk)
    if locked.edition != edition:
        raise Overtaken
    before = locked.content
    _keep_shipped(locked)
    _store(locked, content, reason, user)
    verdict = {"from": before["verdict"], "to": locked.verdict} if before["verdict"] != locked.verdict else {}
    AuditEvent.record(user, "claim.changed", locked.key, why=reason[:300], verdict=verdict)
    return locked


def _keep_shipped(claim: Claim) -> None:
    """Before its first change, what was shipped becomes the oldest version."""
    if not claim.editions.exists():
        claim.editions.create(edition=claim.edition, content=claim.content, reason="as shipped")


def _store(claim: Claim, content: Mapping[str, Any], reason: str, user: Any) -> None:
    for name in CLAIM_FIELDS:
        setattr(claim, name, content[name])
    claim.edition += 1
    claim.save()
    claim.entries.set(Entry.objects.filter(slug__in=content["entries"]))
    claim.editions.create(edition=claim.edition, content=claim.content, reason=reason.strip()[:300], author=user)


@transaction.atomic
def create(thread: Thread, key: str, content: Mapping[str, Any], reason: str, user: Any) -> Claim:
    """A claim that nobody shipped, as its first version.

    Raises:
        NotAllowed: no right. Faults: a field is wrong.
    """
    _need(user, ADD)
    if wrong := faults(content):
        raise Faults(wrong)
    claim = Claim(thread=thread, key=key)
    _store(claim, content, reason, user)
    AuditEvent.record(user, "claim.added", key, why=reason[:300], thread=thread.slug)
    return claim


@transaction.atomic
def said_again(claim: Claim, source: str, said_by: Callable[[int], int], user: Any) -> Claim:
    """Count that another thread says it, too: `said_by` turns the old number of replies into the new one, and `source` is added
    to the sources. All else stays as whoever wrote it last left it.

    Raises:
        NotAllowed: no right.
    """
    _need(user, ADD)
    locked = Claim.objects.select_for_update().get(pk=claim.pk)
    before = locked.content
    sources = before["sources"] if source in before["sources"] else [*before["sources"], source]
    content = before | {"said_by": said_by(locked.said_by), "sources": sources}
    if content != before:
        _keep_shipped(locked)
        _store(locked, content, f"said again: {source}", user)
        AuditEvent.record(user, "claim.said_again", locked.key, source=source, said_by=locked.said_by)
    return locked


def restore(version: ClaimVersion, user: Any, reason: str) -> Claim:
    """An old version becomes the newest one.

    Raises:
        NotAllowed: no right, or no reason.
    """
    return change(version.claim, version.content, reason, user, version.claim.edition)


def add_evidence(claim: Claim, user: Any, **fields: Any) -> Evidence:
    """A measurement that bears on the claim.

    Raises:
        NotAllowed: no right, or a part is missing: what in both languages, and where it comes from.
    """
    _need(user, CURATE)
    if not (fields.get("what_en", "").strip() and fields.get("what_zh", "").strip()):
        raise NotAllowed("请用两种语言写明测了什么。", "Say in both languages what was measured.")
    if not (fields.get("source", "").strip() or fields.get("run") or fields.get("case")):
        raise NotAllowed("请写明来源：出处、运行或病例。", "Say where it comes from: a source, a run or a case.")
    if fields.get("speaks") not in Evidence.Speaks.values:
        raise NotAllowed("请选择它支持还是反对。", "Choose whether it speaks for or against.")
    evidence = claim.evidence.create(by=user, **fields)
    AuditEvent.record(user, "evidence.added", claim.key, evidence=evidence.pk)
    return evidence


def remove_evidence(evidence: Evidence, user: Any) -> None:
    """Raises NotAllowed without the right."""
    _need(user, CURATE)
    AuditEvent.record(user, "evidence.removed", evidence.claim.key, what=evidence.what_en, value=evidence.value)
    evidence.delete()


def _need(user: Any, permission: str) -> None:
    if not user.has_perm(permission):
        raise NotAllowed("你没有这个权限；请联系管理员。", "You may not do this; ask an administrator for the right.")
