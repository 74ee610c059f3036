"""A thread and the claims made in it, each with a verdict and why."""

from __future__ import annotations

from django.db import models

from kb.models.entry import Entry


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
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key
