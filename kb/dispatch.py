"""Requests to the workers: signed, for one host, for a short time."""

from __future__ import annotations

from django.conf import settings

from infermary.celery import app
from kb.models import Host, Run
from probes import envelope


def site_key() -> str:
    return envelope.load_or_make_key(settings.SITE_KEY)


def _send(host: Host, task: str, token: str, expires_s: float) -> None:
    app.send_task(task, args=[token], queue=host.queue, expires=expires_s)


def send_run(run: Run) -> None:
    """The request lives as long as the run may wait in the queue; a worker that wakes up later refuses it."""
    seconds = (run.expires_at - run.created_at).total_seconds()
    token = envelope.sign_request(site_key(), run.host_id, str(run.pk), run.probe, run.parameters, seconds)
    _send(run.host, "probes.run", token, seconds)


def send_cancel(run: Run) -> None:
    token = envelope.sign_notice(site_key(), run.host_id, "cancel", str(run.pk))
    _send(run.host, "probes.cancel", token, 120)


def send_stored(host: Host, run_id: str) -> None:
    """Tell the worker that its result is kept, so that it may forget it."""
    token = envelope.sign_notice(site_key(), host.pk, "stored", run_id)
    _send(host, "probes.acknowledge", token, 3600)
