"""Bringing a host in: a key pair of its own, and the file from which its worker starts."""

from __future__ import annotations

import json
import os
from pathlib import Path

from django.conf import settings

from kb import dispatch
from kb.models import AuditEvent, Host
from probes import envelope


def enrol(name: str, folder: Path, user: object = None) -> tuple[Host, Path]:
    """The host `name` and the configuration file of its worker, both made if they are not there.

    The private key stays in `folder`, which belongs on the host; the site keeps the public one.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    private = envelope.load_or_make_key(folder / "host.pem")
    public = envelope.public_key(private)
    host = Host.objects.filter(name=name).first()
    if host is None:
        host = Host.objects.create(name=name, public_key=public)
        AuditEvent.record(user, "host.enrolled", host.pk, name=name)
    elif host.public_key != public:
        Host.objects.filter(pk=host.pk).update(public_key=public)
        AuditEvent.record(user, "host.key_replaced", host.pk, name=name)
    return host, write_configuration(host, folder)


def write_configuration(host: Host, folder: Path) -> Path:
    path = folder / "worker.json"
    content = {
        "host": host.pk,
        "broker": settings.REDIS_URL,
        "broker_folder": str(settings.VAR / "broker"),
        "key": str(folder / "host.pem"),
        "site_public_key": envelope.public_key(dispatch.site_key()),
        "spool": str(folder / "spool"),
        "engines": [],
    }
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(content, file, indent=2)
    return path
