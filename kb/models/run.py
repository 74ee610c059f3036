"""One probe run. The row is the truth about it, never the broker.

queued -> running -> done          with an outcome and its reason
queued | running -> lost           nobody answered before `expires_at`
queued | running -> cancelled      the person said so
"""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from kb.models.case import Case
from kb.models.host import Host
from probes.facts import Fact


class RunQuerySet(models.QuerySet["Run"]):
    def open(self) -> RunQuerySet:
        return self.filter(state__in=Run.OPEN)

    def overdue(self) -> RunQuerySet:
        return self.open().filter(expires_at__lt=timezone.now())

    def end(self, run_id: str, state: str, **fields: Any) -> bool:
        """End an open run exactly once; False if it had ended before."""
        return bool(self.open().filter(pk=run_id).update(state=state, ended_at=timezone.now(), **fields))


class Run(models.Model):
    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        CANCELLED = "cancelled", "Cancelled"
        LOST = "lost", "Lost"

    OPEN = (State.QUEUED, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    case = models.ForeignKey(Case, null=True, blank=True, related_name="runs", on_delete=models.CASCADE)
    host = models.ForeignKey(Host, related_name="runs", on_delete=models.CASCADE)
    probe = models.CharField(max_length=60)
    parameters = models.JSONField(default=dict)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    outcome = models.CharField(max_length=12, blank=True)
    reason_en = models.TextField(blank=True)
    reason_zh = models.TextField(blank=True)
    progress = models.FloatField(default=0.0)
    step_en = models.CharField(max_length=200, blank=True)
    step_zh = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(default=list)
    raw = models.JSONField(default=dict)
    series = models.JSONField(default=dict)
    missing = models.JSONField(default=list)
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        indexes = [models.Index(fields=["state", "expires_at"])]

    def __str__(self) -> str:
        return f"{self.probe} on {self.host_id}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def measured(self) -> list[Fact]:
        """Its facts, each tied to this run."""
        return [Fact.from_json(data).moved(run=str(self.id)) for data in self.facts]

    @staticmethod
    def deadline(limit_s: float) -> dt.datetime:
        """When nobody can answer any more: time in the queue, the limit itself, and the way back."""
        return timezone.now() + dt.timedelta(seconds=2 * limit_s + 120)
