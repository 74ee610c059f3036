"""An entry as the site keeps it: the content of its file, its state, and every version of it."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from kb.entry_file import EntryFile, dump


class EntryQuerySet(models.QuerySet["Entry"]):
    def published(self) -> EntryQuerySet:
        return self.filter(status=Entry.Status.PUBLISHED)

    def overdue(self) -> EntryQuerySet:
        """Published, and to be read again by a day that has passed; the longest overdue first."""
        return self.published().filter(review_by__lt=timezone.localdate()).order_by("review_by")


class Entry(models.Model):
    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        REVIEW = "review", "In review"
        PUBLISHED = "published", "Published"
        RETIRED = "retired", "Retired"

    slug = models.SlugField(max_length=60, unique=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    kind = models.CharField(max_length=10)
    frequency = models.CharField(max_length=10)
    title_en = models.CharField(max_length=200)
    title_zh = models.CharField(max_length=200)
    body = models.JSONField(help_text="The entry file, as JSON; kb/entry_file.py is its schema.")
    sha256 = models.CharField(max_length=64)
    updated_at = models.DateTimeField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    review_by = models.DateField(null=True, blank=True, help_text="When somebody should read it again.")

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return self.slug

    @cached_property
    def file(self) -> EntryFile:
        return EntryFile.model_validate(self.body)

    @property
    def newest(self) -> EntryVersion | None:
        return self.versions.first()

    @classmethod
    @transaction.atomic
    def store(cls, file: EntryFile, author: Any = None, reason: str = "", status: str = Status.PUBLISHED) -> bool:
        """Keep `file` as the newest version; True if that changed anything."""
        digest = hashlib.sha256(dump(file).encode()).hexdigest()
        entry = cls.objects.select_for_update().filter(slug=file.slug).first() or cls(slug=file.slug)
        if entry.pk and entry.sha256 == digest and entry.status == status:
            return False
        entry.status, entry.kind, entry.frequency = status, file.kind, file.frequency
        entry.title_en, entry.title_zh = file.title.en, file.title.zh
        entry.body = file.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        entry.sha256, entry.updated_at = digest, timezone.now()
        entry.save()
        entry.versions.create(body=entry.body, author=author, reason=reason, sha256=digest)
        return True


class EntryVersion(models.Model):
    entry = models.ForeignKey(Entry, related_name="versions", on_delete=models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    reason = models.CharField(max_length=300, blank=True)
    sha256 = models.CharField(max_length=64)
    body = models.JSONField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.entry} {self.at:%Y-%m-%d %H:%M}"

    @cached_property
    def file(self) -> EntryFile:
        return EntryFile.model_validate(self.body)
