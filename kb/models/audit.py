"""What was done, by whom, on what. Rows are only added; each carries the hash of the one before."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.conf import settings
from django.db import models, transaction


class AuditEvent(models.Model):
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    action = models.CharField(max_length=40)
    subject = models.CharField(max_length=120)
    detail = models.JSONField(default=dict)
    previous_sha256 = models.CharField(max_length=64, blank=True)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"

    @classmethod
    def record(cls, actor: Any, action: str, subject: str, **detail: Any) -> AuditEvent:
        """Add a row to the chain; `actor` None or anonymous for somebody without an account."""
        person = actor if getattr(actor, "is_authenticated", False) else None
        with transaction.atomic():
            last = cls.objects.select_for_update().order_by("-id").first()
            previous = last.sha256 if last else ""
            content = json.dumps([previous, action, subject, detail, person and person.pk], sort_keys=True)
            digest = hashlib.sha256(content.encode()).hexdigest()
            return cls.objects.create(
                actor=person, action=action, subject=subject, detail=detail, previous_sha256=previous, sha256=digest
            )
