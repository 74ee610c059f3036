"""A thread and the claims made in it, each with a verdict and why."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from kb.models.case import Case
from kb.models.entry import Entry
from kb.models.run import Run


class Thread(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    title_en = models.CharField(max_length=200)
    title_zh = models.CharField(max_length=200)
    about_en = models.TextField()
    about_zh = models.TextField()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug


class Claim(models.Model):
    class Verdict(models.TextChoices):
        RIGHT = "right", "Right"
        VERSION_BOUND = "right-but-version-bound", "Right for some versions"
        DEPENDS = "depends", "Depends"
        MISLEADING = "misleading", "Misleading"
        WRONG = "wrong", "Wrong"
        NOT_AN_OPTION = "not-a-real-option", "No such option"

    class Kind(models.TextChoices):
        SYMPTOM = "symptom", "Symptom"
        CAUSE = "cause", "Cause"
        FIX = "fix", "Fix"
        STEP = "diagnostic-step", "Diagnostic step"
        NUMBER = "number", "Expectation or number"
        FACT = "fact", "Fact"

    thread = models.ForeignKey(Thread, related_name="claims", on_delete=models.CASCADE)
    key = models.SlugField(max_length=20, unique=True)
    kind = models.CharField(max_length=20, choices=Kind)
    verdict = models.CharField(max_length=30, choices=Verdict)
    statement_en = models.TextField()
    statement_zh = models.TextField()
    reason_en = models.TextField()
    reason_zh = models.TextField()
    check_en = models.TextField(blank=True, help_text="How to test it.")
    check_zh = models.TextField(blank=True)
    versions = models.CharField(max_length=200, blank=True)
    said_by = models.PositiveIntegerField(help_text="Distinct replies that make the claim.")
    sources = models.JSONField(default=list)
    entries = models.ManyToManyField(Entry, related_name="claims", blank=True)
    edition = models.PositiveIntegerField(default=0, help_text="Counts the edits on the site; 0: as it was shipped.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key

    def get_absolute_url(self) -> str:
        return f"/claims/{self.key}/"

    @property
    def content(self) -> dict[str, Any]:
        """What an edit can change, as plain data."""
        return {name: getattr(self, name) for name in CLAIM_FIELDS} | {
            "entries": sorted(self.entries.values_list("slug", flat=True))
        }


CLAIM_FIELDS = (
    "kind", "verdict", "statement_en", "statement_zh", "reason_en", "reason_zh", "check_en", "check_zh", "versions", "said_by",
    "sources",
)  # fmt: skip


class ClaimVersion(models.Model):
    """A claim as it was before or after an edit; the first is the one that was shipped."""

    claim = models.ForeignKey(Claim, related_name="editions", on_delete=models.CASCADE)
    edition = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    reason = models.CharField(max_length=300, blank=True)
    content = models.JSONField()

    class Meta:
        ordering = ["-edition"]
        constraints = [models.UniqueConstraint(fields=["claim", "edition"], name="one_claim_version_an_edition")]

    def __str__(self) -> str:
        return f"{self.claim} {self.edition}"


class Evidence(models.Model):
    """A measurement that bears on a claim: what was measured where, the figure, and whether it speaks for the claim."""

    class Speaks(models.TextChoices):
        FOR = "for", "For it"
        AGAINST = "against", "Against it"
        NEITHER = "neither", "Shows the conditions"

    claim = models.ForeignKey(Claim, related_name="evidence", on_delete=models.CASCADE)
    speaks = models.CharField(max_length=8, choices=Speaks)
    what_en = models.CharField(max_length=300)
    what_zh = models.CharField(max_length=300)
    value = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=20, blank=True)
    setting = models.CharField(max_length=300, blank=True, help_text="Card, engine and version, model, load.")
    source = models.CharField(max_length=200, blank=True)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    case = models.ForeignKey(Case, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "evidence"

    def __str__(self) -> str:
        return f"{self.claim}: {self.what_en}"
