"""Draft, review, publish, restore, retire: the only place that changes what the site says of a cause."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction

from kb.diagnose import NotAllowed
from kb.entry_form import checked, normal
from kb.entry_merge import merge
from kb.models import AuditEvent, Comment, Entry, EntryVersion, Revision

State = Revision.State
SUGGEST, PUBLISH = "kb.add_revision", "kb.change_entry"


class Overtaken(Exception):
    """Somebody else saved the same draft in between."""


def begin(
    entry: Entry | None, body: Mapping[str, Any], reason: str, author: Any, base: EntryVersion | None
) -> Revision:
    """A new draft, made from what was read as `base`.

    Raises:
        NotAllowed: no right to suggest.
    """
    _need(author, SUGGEST)
    return Revision.objects.create(entry=entry, base=base, body=_kept(body), reason=reason[:300], author=author)


@transaction.atomic
def save(revision: Revision, body: Mapping[str, Any], reason: str, user: Any, edition: int) -> Revision:
    """Keep what was typed into a draft. A change of a draft that waits for review takes it back to its author.

    Raises:
        NotAllowed: somebody else's draft. Overtaken: `edition` is not the newest any more.
    """
    locked = Revision.objects.select_for_update().get(pk=revision.pk)
    if not locked.may_edit(user):
        raise NotAllowed("这份草稿不是你的，或已经发布。", "This draft is not yours, or is published already.")
    if locked.edition != edition:
        raise Overtaken
    locked.body, locked.reason, locked.conflicts = _kept(body), reason[:300], []
    locked.edition, locked.state = edition + 1, State.DRAFT
    locked.save()
    return locked


@transaction.atomic
def submit(revision: Revision, user: Any) -> None:
    """Send a sound draft to the reviewers.

    Raises:
        NotAllowed: not one's own draft, something in it is wrong, or it has no reason.
    """
    locked = Revision.objects.select_for_update().get(pk=revision.pk)
    if not locked.may_edit(user):
        raise NotAllowed("这份草稿不是你的，或已经发布。", "This draft is not yours, or is published already.")
    _sound(locked)
    locked.state, locked.decision, locked.decided_by = State.REVIEW, "", None
    locked.save()
    AuditEvent.record(user, "revision.submitted", locked.slug, revision=locked.pk)


@transaction.atomic
def publish(revision: Revision, user: Any) -> Entry:
    """Make a draft the newest version of its entry.

    Raises:
        NotAllowed: no right, the two-person rule, something wrong in it, or its base is not the newest version any more.
    """
    _need(user, PUBLISH)
    locked = Revision.objects.select_for_update(of=("self",)).select_related("entry", "base").get(pk=revision.pk)
    if not locked.is_open:
        raise NotAllowed("这份草稿已经发布。", "This draft is published already.")
    if settings.TWO_PERSON_RULE and locked.author_id == user.pk:
        raise NotAllowed(
            "按双人规则，请由另一位维护者发布。", "By the two-person rule, another curator must publish it."
        )
    if locked.entry:
        Entry.objects.select_for_update().get(pk=locked.entry_id)
    if locked.stale:
        raise NotAllowed(
            "在此期间有人发布了新版本；请先变基（合并那些修改）。",
            "Another version was published in between; rebase this draft on it first.",
        )
    file = _sound(locked)
    if locked.entry is None and Entry.objects.filter(slug=file.slug).exists():
        raise NotAllowed(f"已有名为 {file.slug} 的病因。", f"There is an entry named {file.slug} already.")
    Entry.store(file, author=locked.author, reason=locked.reason)
    entry = Entry.objects.get(slug=file.slug)
    locked.entry, locked.state, locked.decided_by = entry, State.PUBLISHED, user
    locked.save()
    AuditEvent.record(user, "entry.published", entry.slug, revision=locked.pk, sha256=entry.sha256)
    return entry


@transaction.atomic
def reject(revision: Revision, user: Any, why: str) -> None:
    """Send a draft back to its author.

    Raises:
        NotAllowed: no right, no reason given, or not under review.
    """
    _need(user, PUBLISH)
    locked = Revision.objects.select_for_update().get(pk=revision.pk)
    if locked.state != State.REVIEW:
        raise NotAllowed("它不在评审中。", "It is not under review.")
    if not why.strip():
        raise NotAllowed("请写明退回的理由。", "Say why it is sent back.")
    locked.state, locked.decided_by, locked.decision = State.REJECTED, user, why.strip()[:300]
    locked.save()
    AuditEvent.record(user, "revision.rejected", locked.slug, revision=locked.pk, why=locked.decision)


@transaction.atomic
def rebase(revision: Revision, user: Any) -> Revision:
    """Bring what was published in between into a draft. What both changed stays as the draft has it, and is listed.

    Raises:
        NotAllowed: not one's own draft.
    """
    locked = Revision.objects.select_for_update(of=("self",)).select_related("entry", "base").get(pk=revision.pk)
    if not locked.may_edit(user) or locked.entry is None:
        raise NotAllowed("这份草稿不是你的，或已经发布。", "This draft is not yours, or is published already.")
    newest = locked.entry.newest
    base = locked.base.body if locked.base else {}
    merged, conflicts = merge(base, newest.body, locked.body)
    locked.body, locked.base, locked.edition = merged, newest, locked.edition + 1
    locked.conflicts = [{"path": c.path, "theirs": c.theirs, "mine": c.mine} for c in conflicts]
    locked.state = State.DRAFT
    locked.save()
    return locked


@transaction.atomic
def restore(version: EntryVersion, user: Any, reason: str) -> Entry:
    """An old version becomes the newest one.

    Raises:
        NotAllowed: no right, no reason, or the two-person rule: then it must be a draft like any other.
    """
    _need(user, PUBLISH)
    if settings.TWO_PERSON_RULE:
        raise NotAllowed("按双人规则，请把它作为草稿送审。", "By the two-person rule, send it to review as a draft.")
    _reason(reason)
    entry = Entry.objects.select_for_update().get(pk=version.entry_id)
    Entry.store(version.file, author=user, reason=reason[:300])
    AuditEvent.record(user, "entry.restored", entry.slug, version=version.pk, why=reason[:300])
    return entry


@transaction.atomic
def retire(entry: Entry, user: Any, reason: str) -> None:
    """Take an entry out of ranking and lists; its versions stay, and restoring one brings it back.

    Raises:
        NotAllowed: no right, or no reason.
    """
    _need(user, PUBLISH)
    _reason(reason)
    locked = Entry.objects.select_for_update().get(pk=entry.pk)
    Entry.store(locked.file, author=user, reason=reason[:300], status=Entry.Status.RETIRED)
    AuditEvent.record(user, "entry.retired", entry.slug, why=reason[:300])


def entrust(entry: Entry, user: Any, owner: Any, review_by: dt.date | None) -> None:
    """Say who keeps an entry right, and by when it is to be read again.

    Raises:
        NotAllowed: no right.
    """
    _need(user, PUBLISH)
    entry.owner, entry.review_by = owner, review_by
    entry.save(update_fields=["owner", "review_by"])
    named = owner.get_username() if owner else ""
    AuditEvent.record(user, "entry.entrusted", entry.slug, owner=named, review_by=str(review_by or ""))


@transaction.atomic
def discard(revision: Revision, user: Any) -> None:
    """Throw a draft away.

    Raises:
        NotAllowed: somebody else's, or published.
    """
    locked = Revision.objects.select_for_update().get(pk=revision.pk)
    if not locked.may_edit(user):
        raise NotAllowed("这份草稿不是你的，或已经发布。", "This draft is not yours, or is published already.")
    AuditEvent.record(user, "revision.discarded", locked.slug, revision=locked.pk)
    locked.delete()


def comment(revision: Revision, user: Any, text: str) -> Comment:
    """Raises NotAllowed without the right to suggest, or without a text."""
    _need(user, SUGGEST)
    if not text.strip():
        raise NotAllowed("评论是空的。", "The comment is empty.")
    return revision.comments.create(author=user, text=text.strip()[:4000])


def _kept(body: Mapping[str, Any]) -> dict[str, Any]:
    """A sound body as the database keeps every entry; another one as it was typed."""
    file = checked(body).file
    return normal(file) if file else dict(body)


def _sound(revision: Revision) -> Any:
    file = checked(revision.body).file
    if file is None:
        raise NotAllowed("草稿里还有错误，请先改正。", "Something in the draft is still wrong; mend it first.")
    if revision.entry and file.slug != revision.entry.slug:
        raise NotAllowed("病因的短名不能改。", "The short name of an entry cannot change.")
    _reason(revision.reason)
    return file


def _reason(reason: str) -> None:
    if not reason.strip():
        raise NotAllowed("请写明修改的理由。", "Say why it is changed.")


def _need(user: Any, permission: str) -> None:
    if not user.has_perm(permission):
        raise NotAllowed("你没有这个权限；请联系管理员。", "You may not do this; ask an administrator for the right.")
