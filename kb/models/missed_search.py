"""Searches that found nothing: each is a line for the glossary, or a cause that nobody wrote down yet."""

from __future__ import annotations

from django.db import models
from django.db.models import F

from kb.facts.redact import redact

LONGEST = 200
# Whoever can open the page can add rows; the oldest of the rarest go first.
MOST_KEPT = 5_000


class MissedSearchQuerySet(models.QuerySet["MissedSearch"]):
    def note(self, text: str, language: str) -> None:
        """Count a search that found nothing, its secrets blacked out."""
        words = redact(" ".join(text.replace("\x00", " ").split())[:LONGEST])[0][:LONGEST]
        if not any(character.isalnum() for character in words):
            return
        row, made = self.get_or_create(words=words, language=language)
        self.filter(pk=row.pk).update(count=F("count") + 1)
        row.save(update_fields=["last_seen"])
        if made and (surplus := self.count() - MOST_KEPT) > 0:
            rarest = self.exclude(pk=row.pk).order_by("count", "last_seen").values_list("pk", flat=True)[:surplus]
            self.filter(pk__in=list(rarest)).delete()


class MissedSearch(models.Model):
    words = models.CharField(max_length=LONGEST)
    language = models.CharField(max_length=7, help_text="Of the page on which it was searched.")
    count = models.PositiveIntegerField(default=0)
    last_seen = models.DateTimeField(auto_now=True)

    objects = MissedSearchQuerySet.as_manager()

    class Meta:
        ordering = ["-count", "-last_seen"]
        verbose_name_plural = "missed searches"
        constraints = [models.UniqueConstraint(fields=["words", "language"], name="one_missed_search_a_language")]

    def __str__(self) -> str:
        return self.words
