"""A case: one submission and all that followed, and its ranking over time."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import models

from kb import recording as recordings
from kb.judgement import Submission
from probes.facts import Fact, Provenance


def new_token() -> str:
    """A case has no number to count up: who knows the link may read it."""
    return secrets.token_urlsafe(9)


class CaseQuerySet(models.QuerySet["Case"]):
    def of(self, user: Any, session_key: str | None) -> CaseQuerySet:
        """The person's own cases; staff see all."""
        if user.is_staff:
            return self
        if user.is_authenticated:
            return self.filter(owner=user)
        return self.filter(owner=None, session_key=session_key) if session_key else self.none()


class Case(models.Model):
    token = models.CharField(max_length=16, unique=True, default=new_token, editable=False)
    language = models.CharField(max_length=7, default="en")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    session_key = models.CharField(max_length=40, blank=True)
    text = models.TextField(blank=True)
    command = models.TextField(blank=True)
    log = models.TextField(blank=True)
    nvidia_smi = models.TextField(blank=True)
    redactions = models.PositiveIntegerField(default=0)
    facts = models.JSONField(default=list, help_text="What the text says.")
    recording = models.JSONField(default=dict, help_text="What probes measured elsewhere, as kb/recording.py reads it.")
    corrections = models.JSONField(default=dict, help_text="Fact name -> the person's value, null for removed.")
    engine = models.CharField(max_length=120, blank=True, help_text="Address of the engine that the case is about.")
    revision = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True, db_index=True)

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.token

    def get_absolute_url(self) -> str:
        return f"/case/{self.token}/"

    @property
    def submission(self) -> Submission:
        return Submission(self.text, self.command, self.log, self.nvidia_smi)

    @property
    def title(self) -> str:
        """The first words, for lists."""
        if self.recording:
            return recordings.of(self.recording).title(self.language)
        words = " ".join((self.text or self.log or self.command or self.nvidia_smi).split())
        return words[:80] + ("…" if len(words) > 80 else "")

    def may_edit(self, user: Any, session_key: str | None) -> bool:
        return Case.objects.of(user, session_key).filter(pk=self.pk).exists()

    def stated(self) -> list[Fact]:
        """What the text and the person say, corrections and removals applied."""
        said = [Fact.from_json(data) for data in self.facts if data["name"] not in self.corrections]
        corrected = [
            Fact(name, value, Provenance("user", "correction"))
            for name, value in self.corrections.items()
            if value is not None
        ]
        return said + corrected


class Ranking(models.Model):
    """What was answered at one moment, kept as it was: entries and weights may change afterwards."""

    case = models.ForeignKey(Case, related_name="rankings", on_delete=models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)
    because_en = models.CharField(max_length=200)
    because_zh = models.CharField(max_length=200)
    result = models.JSONField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.case} {self.at:%H:%M:%S}"


class Suspect(models.Model):
    """One of the three first causes of a case as it stands, so that they can be counted an entry."""

    case = models.ForeignKey(Case, related_name="suspects", on_delete=models.CASCADE)
    slug = models.SlugField(max_length=60, db_index=True)
    place = models.PositiveSmallIntegerField()
    measured = models.BooleanField(help_text="Something measured speaks for it decisively.")

    class Meta:
        ordering = ["case", "place"]
        constraints = [models.UniqueConstraint(fields=["case", "place"], name="one_suspect_a_place")]

    def __str__(self) -> str:
        return f"{self.case} {self.place}. {self.slug}"
