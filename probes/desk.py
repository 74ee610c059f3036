"""The worker's desk: takes verified requests, runs them outside of Celery's tasks, and reports to the site.

Probes that only look run two at a time, probes that put load on an engine one after another. A task only leaves its
request here, so that a cancellation gets through at any time.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from probes import envelope, nvml, own_version
from probes.catalog import catalog_document, probes
from probes.child import run_in_child
from probes.runner import without_data
from probes.spec import NoData, Result
from probes.spool import SeenFolder, Spool

PROGRESS_EVERY_S = 1.0
BODY_LIMIT = envelope.REPORT_LIMIT * 3 // 4 - 2048
"""Bytes of a result: in the token they grow by a third, and the claims around them take a little."""
STALE_AFTER_S = 120
"""Progress and heartbeats older than this are dropped by the site's consumer."""
QUEUE_LIMIT = 32
"""Requests that may wait; more are refused."""

log = logging.getLogger(__name__)


class Configuration(BaseModel):
    """The worker's configuration file; enrolment writes it.

    Attributes:
        host: the host's id. broker: URL of Redis, "" for files in `broker_folder`.
        key: file of this host's private key. site_public_key: PEM text.
        spool: folder for results that wait. engines: addresses allowed besides those found here.
        heartbeat_s, resend_s: how often it shows that it lives, and sends results again that nobody confirmed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    broker: str = ""
    broker_folder: Path = Path("broker")
    key: Path
    site_public_key: str
    spool: Path
    engines: tuple[str, ...] = ()
    heartbeat_s: float = Field(30.0, ge=1)
    resend_s: float = Field(60.0, ge=1)


@dataclass(slots=True)
class Job:
    """One accepted request."""

    run: str
    probe: str
    params: dict[str, Any]
    cancelled: threading.Event
    reported_at: float = 0.0


class Desk:
    """`send(token, expires=seconds or None)` puts a token on the site's queue; if it raises, what is spooled is sent
    again later."""

    def __init__(self, configuration: Configuration, send: Callable[..., Any]) -> None:
        self.configuration = configuration
        self.send = send
        self.private = envelope.load_or_make_key(configuration.key)
        self.spool = Spool(configuration.spool)
        self.seen = SeenFolder(configuration.spool / "seen")
        self.jobs: dict[str, Job] = {}
        self.looking = ThreadPoolExecutor(2, "look")
        self.loading = ThreadPoolExecutor(1, "load")
        self.stopping = threading.Event()
        self.started_at = time.time()

    def accept(self, token: str) -> None:
        """Start the run that `token` asks for."""
        try:
            request = envelope.verify_request(token, *self._addressee, self.seen)
            is_new = self.spool.begin(request.run, request.probe)
        except (envelope.Rejected, ValueError) as error:
            log.warning("a request was refused: %s", error)
            return
        if not is_new:
            return
        if len(self.jobs) >= QUEUE_LIMIT:
            zh, en = "worker 上排队的探针太多，请稍后再试。", "Too many probes wait on this worker; try again later."
            self.finish(request.run, without_data(request.probe, "refused", zh, en))
            return
        job = self.jobs[request.run] = Job(request.run, request.probe, request.params, threading.Event())
        probe = probes().get(request.probe)
        (self.looking if probe is None or probe.mode == "passive" else self.loading).submit(self._work, job)

    def cancel(self, token: str) -> None:
        """Break off the run that `token` names."""
        run = self._noticed(token, "cancel")
        if run in self.jobs:
            self.jobs[run].cancelled.set()

    def acknowledge(self, token: str) -> None:
        """The site has stored the result of the run that `token` names."""
        run = self._noticed(token, "stored")
        if run:
            self.spool.acknowledge(run)

    @property
    def _addressee(self) -> tuple[str, str]:
        return self.configuration.site_public_key, self.configuration.host

    def _noticed(self, token: str, kind: str) -> str:
        """The run that a notice is about, "" (and a line in the log) if it must not be acted upon."""
        try:
            return envelope.verify_notice(token, *self._addressee, kind).run
        except envelope.Rejected as error:
            log.warning("a notice was refused: %s", error)
            return ""

    def _work(self, job: Job) -> None:
        try:
            if job.cancelled.is_set():
                result = without_data(job.probe, "cancelled", "已取消。", "Cancelled.")
            else:
                self._report_progress(job, 0.0, "开始", "started")
                result = run_in_child(
                    job.probe, job.params, self.configuration.engines,
                    lambda share, zh, en: self._report_progress(job, share, zh, en), job.cancelled,
                )  # fmt: skip
            if not self.stopping.is_set():
                self.finish(job.run, result)
        except Exception:
            log.exception("run %s", job.run)
        finally:
            self.jobs.pop(job.run, None)

    def _report_progress(self, job: Job, share: float, zh: str, en: str) -> None:
        now = time.monotonic()
        if now - job.reported_at >= PROGRESS_EVERY_S:
            job.reported_at = now
            self._try_report("progress", job.run, {"share": round(share, 3), "zh": zh[:200], "en": en[:200]})

    def finish(self, run: str, result: Result) -> None:
        """Keep the result on disk, then send it."""
        content = small_enough(result.to_json())
        self.spool.finish(run, content)
        self._try_report("result", run, content)

    def _try_report(self, kind: str, run: str, body: dict[str, Any]) -> None:
        """Send; what cannot be sent now is sent again from the spool, or was only progress."""
        try:
            token = envelope.sign_report(self.private, self.configuration.host, kind, run, body)
            self.send(token, expires=None if kind == "result" else STALE_AFTER_S)
        except Exception as error:
            # Whatever the transport raises: the spool holds the result.
            log.warning("%s of %s could not be sent: %s", kind, run or "this host", error)

    def send_waiting(self) -> None:
        """Send every result again that the site has not confirmed."""
        for run, result in self.spool.waiting():
            self._try_report("result", run, result)

    def report_interrupted(self) -> None:
        """Runs that were under way when the worker ended did not finish: say so."""
        for run, name in self.spool.interrupted():
            self.finish(run, without_data(
                name, "failed", "测量途中 worker 重启了，请再测一次。", "The worker restarted while it measured; measure again."
            ))  # fmt: skip

    def heartbeat(self) -> None:
        body = {
            "version": own_version(), "catalogue": catalog_document(),
            "about": {"gpus": gpu_names(), "running": sorted(self.jobs), "since": round(self.started_at)},
        }  # fmt: skip
        self._try_report("heartbeat", "", body)

    def keep(self) -> None:
        """Until `close`: show that the worker lives, and send what waits."""
        self.report_interrupted()
        resend_at = 0.0
        while not self.stopping.is_set():
            self.heartbeat()
            if time.monotonic() >= resend_at:
                self.send_waiting()
                resend_at = time.monotonic() + self.configuration.resend_s
            self.stopping.wait(self.configuration.heartbeat_s)

    def close(self) -> None:
        """Stop all runs; the next start reports them as interrupted."""
        self.stopping.set()
        for job in list(self.jobs.values()):
            job.cancelled.set()
        for pool in (self.looking, self.loading):
            pool.shutdown(wait=True, cancel_futures=True)


def small_enough(content: dict[str, Any]) -> dict[str, Any]:
    """The result, without its curves or its raw reading if it would not fit into a report."""
    for part, empty in (("series", {}), ("raw", {})):
        if len(json.dumps(content)) > BODY_LIMIT:
            dropped = [f"结果太大，去掉了 {part}。", f"The result was too large; its {part} was left out."]
            content = content | {part: empty, "missing": [*content["missing"], dropped]}
    return content


def gpu_names() -> list[str]:
    try:
        with nvml.opened() as cards:
            return [str(nvml.ask("nvmlDeviceGetName", card)) for card in cards]
    except NoData:
        return []
