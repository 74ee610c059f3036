"""A proposed version of an entry, from the first draft to the decision, and what people said of it.

draft -> review -> published | rejected       a rejected one may be edited and sent in again
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from kb.models.entry import Entry, EntryVersion


class RevisionQuerySet(models.QuerySet["Revision"]):
    def open(self) -> RevisionQuerySet:
        return self.exclude(state=Revision.State.PUBLISHED)

    def waiting(self) -> RevisionQuerySet:
        """For the reviewers, the longest waiting first."""
        return self.filter(state=Revision.State.REVIEW).order_by("updated_at")


class Revision(models.Model):
    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        REVIEW = "review", "In review"
        PUBLISHED = "published", "Published"
        REJECTED = "rejected", "Rejected"

    entry = models.ForeignKey(Entry, null=True, blank=True, related_name="revisions", on_delete=models.CASCADE)
    base = models.ForeignKey(EntryVersion, null=True, blank=True, related_name="+", on_delete=models.SET_NULL)
    body = models.JSONField(default=dict, help_text="As it was typed, sound or not yet.")
    conflicts = models.JSONField(default=list, help_text="What a rebase could not settle: path, theirs, mine.")
    reason = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="revisions")
    edition = models.PositiveIntegerField(default=0, help_text="Counts the saves, so that none is overwritten unseen.")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decision = models.CharField(max_length=300, blank=True, help_text="Why it was rejected.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.slug or 'new'} #{self.pk}"

    def get_absolute_url(self) -> str:
        return f"/drafts/{self.pk}/"

    @property
    def slug(self) -> str:
        return self.entry.slug if self.entry else str(self.body.get("slug", ""))

    @property
    def title(self) -> dict[str, str]:
        """In both languages; a title may still be missing."""
        title: Any = self.body.get("title")
        title = title if isinstance(title, dict) else {}
        return {code: str(title.get(code) or self.slug or "–") for code in ("en", "zh")}

    @property
    def is_open(self) -> bool:
        return self.state != self.State.PUBLISHED

    @property
    def stale(self) -> bool:
        """Another version was published since it was begun."""
        newest = self.entry.newest if self.entry else None
        return self.is_open and newest is not None and newest.pk != self.base_id

    def may_edit(self, user: Any) -> bool:
        """The author, and whoever may publish."""
        return (
            self.is_open and user.is_authenticated and (self.author_id == user.pk or user.has_perm("kb.change_entry"))
        )


class Comment(models.Model):
    revision = models.ForeignKey(Revision, related_name="comments", on_delete=models.CASCADE)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(auto_now_add=True)
    text = models.TextField(max_length=4000)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.revision} {self.at:%Y-%m-%d %H:%M}"
