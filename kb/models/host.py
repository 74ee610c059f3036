"""Enrolled machines and the engines seen on them."""

from __future__ import annotations

import datetime as dt
import secrets

from django.conf import settings
from django.db import models
from django.utils import timezone


def new_host_id() -> str:
    """Of fixed length, so that no queue name is the prefix of another."""
    return secrets.token_hex(6)


class HostQuerySet(models.QuerySet["Host"]):
    def active(self) -> HostQuerySet:
        return self.filter(revoked_at=None)


class Host(models.Model):
    id = models.CharField(primary_key=True, max_length=12, default=new_host_id, editable=False)
    name = models.CharField(max_length=80, unique=True)
    public_key = models.TextField(help_text="PEM; results of this host are checked with it.")
    enrolled_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_seen = models.DateTimeField(null=True, blank=True)
    worker_version = models.CharField(max_length=40, blank=True)
    catalogue = models.JSONField(default=list, blank=True, help_text="The probes that its worker offers.")
    about = models.JSONField(default=dict, blank=True, help_text="What its worker says of the machine.")

    objects = HostQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        permissions = [
            ("run_probe", "Can run passive and active probes"),
            ("run_disruptive", "Can run disruptive probes"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def queue(self) -> str:
        return f"probe.{self.id}"

    @property
    def online(self) -> bool:
        silent = dt.timedelta(seconds=settings.HOST_SILENT_AFTER_S)
        return self.last_seen is not None and timezone.now() - self.last_seen < silent

    def probe_document(self, name: str) -> dict | None:
        return next((probe for probe in self.catalogue if probe["name"] == name), None)


class Engine(models.Model):
    host = models.ForeignKey(Host, related_name="engines", on_delete=models.CASCADE)
    address = models.CharField(max_length=120)
    name = models.CharField(max_length=40)
    version = models.CharField(max_length=60, blank=True)
    served_model = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(default=list)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["host", "address"]
        constraints = [models.UniqueConstraint(fields=["host", "address"], name="one_engine_an_address")]

    def __str__(self) -> str:
        return f"{self.name} {self.address}"
