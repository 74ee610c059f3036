"""What a case turned out to be, and the reports that are kept as confirmed examples of an entry."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from kb.models.case import Case
from kb.models.entry import Entry

# Units in which more is better; in the others less is.
RATES = ("tok/s", "req/s")


class OutcomeQuerySet(models.QuerySet["Outcome"]):
    def counted(self) -> OutcomeQuerySet:
        """Those that teach: told by somebody with an account, or confirmed by a curator."""
        return self.filter(Q(by__isnull=False) | Q(confirmed_by__isnull=False))

    def confirmations(self) -> Counter[str]:
        """Slug -> how many accounts found the entry to be the cause.

        One account counts once an entry, however many cases it closes: a hundred false outcomes of one person weigh as one.
        """
        told = self.counted().filter(entry__isnull=False, helped=True).order_by()
        rows = told.values_list("entry__slug", "by", "confirmed_by").distinct()
        return Counter(slug for slug, _ in {(slug, by or confirmed) for slug, by, confirmed in rows})


class Outcome(models.Model):
    class Unit(models.TextChoices):
        TOKENS = "tok/s", "tok/s"
        REQUESTS = "req/s", "req/s"
        MILLISECONDS = "ms", "ms"
        SECONDS = "s", "s"

    case = models.OneToOneField(Case, related_name="outcome", on_delete=models.CASCADE)
    entry = models.ForeignKey(Entry, null=True, blank=True, related_name="outcomes", on_delete=models.SET_NULL)
    other = models.CharField(max_length=300, blank=True, help_text="What it was, where no entry says it.")
    fix = models.CharField(max_length=60, blank=True, help_text="Id of the entry's fix that was tried.")
    helped = models.BooleanField(null=True, blank=True, help_text="Whether the change cured it; null: not tried yet.")
    before = models.FloatField(null=True, blank=True)
    after = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=6, choices=Unit, default=Unit.TOKENS)
    note = models.TextField(blank=True, max_length=2000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(auto_now=True)

    objects = OutcomeQuerySet.as_manager()

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.case}: {self.entry or self.other or '?'}"

    @property
    def factor(self) -> float | None:
        """How many times better it became, None where not both speeds are known."""
        if not self.before or not self.after:
            return None
        return self.after / self.before if self.unit in RATES else self.before / self.after

    @property
    def counts(self) -> bool:
        return self.by_id is not None or self.confirmed_by_id is not None


class ConfirmedReport(models.Model):
    """A report whose cause is known, as the ranking compares new cases with it; secrets were taken out before."""

    entry = models.ForeignKey(Entry, related_name="reports", on_delete=models.CASCADE)
    also = models.ManyToManyField(Entry, related_name="+", blank=True)
    case = models.OneToOneField(Case, null=True, blank=True, related_name="report", on_delete=models.SET_NULL)
    source = models.CharField(max_length=200, blank=True, help_text="owner/repo#number, or a site and a title.")
    lang = models.CharField(max_length=2, default="en")
    symptom = models.TextField(blank=True)
    command = models.TextField(blank=True)
    log = models.TextField(blank=True)
    nvidia_smi = models.TextField(blank=True)
    root_cause = models.CharField(max_length=400, blank=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["entry", "source"], condition=~Q(source=""), name="one_report_a_source")
        ]

    def __str__(self) -> str:
        return self.source or str(self.case)

    @classmethod
    def of_case(cls, case: Case, entry: Entry, user: Any) -> ConfirmedReport:
        """The case as a report of `entry`; one that it was before moves to this entry."""
        texts = {"symptom": case.text, "command": case.command, "log": case.log, "nvidia_smi": case.nvidia_smi}
        report, _ = cls.objects.update_or_create(
            case=case, defaults=texts | {"entry": entry, "lang": case.language[:2], "added_by": user}
        )
        return report
