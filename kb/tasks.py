"""What the site does outside of a page view. Each task is idempotent."""

from __future__ import annotations

import logging

from celery import shared_task
from django.utils import timezone

from kb import diagnose, dispatch, library
from kb.models import Host, Run
from probes import envelope
from probes.spec import Result

log = logging.getLogger(__name__)


@shared_task(name="kb.receive")
def receive(token: str) -> None:
    """A message of a worker: heartbeat, progress or result, checked against the key of the host it names."""
    try:
        host = Host.objects.active().get(pk=envelope.claimed_host(token))
        message = envelope.verify_report(token, host.public_key, host.pk)
    except (Host.DoesNotExist, envelope.Rejected) as error:
        log.warning("a message was refused: %s", error)
        return
    Host.objects.filter(pk=host.pk).update(last_seen=timezone.now())
    match message.kind:
        case "heartbeat":
            _heartbeat(host, message.body)
        case "progress" if _is_of(host, message.run):
            diagnose.record_progress(message.run, message.body["share"], message.body["zh"], message.body["en"])
        case "result":
            if _is_of(host, message.run):
                diagnose.record_result(message.run, Result.from_json(message.body))
            dispatch.send_stored(host, message.run)


def _is_of(host: Host, run_id: str) -> bool:
    """A host speaks only of runs that were asked of it."""
    return Run.objects.filter(pk=run_id, host=host).exists()


def _heartbeat(host: Host, body: dict) -> None:
    Host.objects.filter(pk=host.pk).update(
        worker_version=str(body.get("version", ""))[:40],
        catalogue=body.get("catalogue", []),
        about=body.get("about", {}),
    )


@shared_task(name="kb.end_lost_runs")
def end_lost_runs() -> None:
    diagnose.end_lost_runs()


@shared_task(name="kb.learn")
def learn() -> None:
    library.learn()
