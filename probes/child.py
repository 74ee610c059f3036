"""Runs one probe in a fresh process, so that it can be cancelled, cut off at its time limit, or crash alone."""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from probes import runner
from probes.catalog import probes
from probes.context import LocalContext, Progress
from probes.spec import Result

POLL_S = 0.2
GRACE_S = 2.0
"""Time a cancelled probe gets to end by itself, at its next progress report."""


def run_in_child(
    name: str,
    params: dict[str, Any],
    engines: Sequence[str] = (),
    on_progress: Progress = lambda share, zh, en: None,
    cancelled: threading.Event | None = None,
    limit_s: float | None = None,
) -> Result:
    """Run a probe in a process of its own. Always returns a result.

    Args:
        engines: addresses allowed besides those found on this machine.
        cancelled: set from another thread to break off.
        limit_s: hard limit in seconds instead of the probe's own.
    """
    probe = probes().get(name)
    if probe is None:
        return runner.run(name, params, LocalContext(engines))
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_child, args=(theirs, name, params, tuple(engines)), daemon=True
    )
    process.start()
    theirs.close()
    try:
        return _attend(ours, name, on_progress, cancelled or threading.Event(), limit_s or probe.limit_s)
    finally:
        _end(process)
        ours.close()


def _child(pipe: Connection, name: str, params: dict[str, Any], engines: tuple[str, ...]) -> None:
    """The child's side: reports progress, and takes any message from the parent as the wish to cancel."""
    context = LocalContext(engines, lambda share, zh, en: _send(pipe, {"progress": [share, zh, en]}), pipe.poll)
    _send(pipe, {"result": runner.run(name, params, context).to_json()})


def _send(pipe: Connection, content: dict[str, Any]) -> None:
    pipe.send_bytes(json.dumps(content).encode())


def _attend(pipe: Connection, name: str, on_progress: Progress, cancelled: threading.Event, limit_s: float) -> Result:
    started, told = time.monotonic(), 0.0
    while True:
        now = time.monotonic()
        if cancelled.is_set() and not told:
            told = now
            _tell_to_stop(pipe)
        if told and now - told > GRACE_S:
            return _without_data(name, "cancelled", "已取消。", "Cancelled.", now - started)
        if now - started > limit_s:
            return _without_data(
                name, "timed_out", f"超过时限 {limit_s:g} 秒，已中止。", f"Stopped at its limit of {limit_s:g} s.", now - started
            )  # fmt: skip
        try:
            if pipe.poll(POLL_S):
                content = json.loads(pipe.recv_bytes())
                if "result" in content:
                    return Result.from_json(content["result"])
                on_progress(*content["progress"])
        except (EOFError, OSError):
            return _without_data(
                name, "failed", "探针的进程意外结束。", "The probe's process ended unexpectedly.", time.monotonic() - started
            )  # fmt: skip


def _tell_to_stop(pipe: Connection) -> None:
    try:
        pipe.send_bytes(b"cancel")
    except OSError:
        return


def _without_data(name: str, outcome: Any, zh: str, en: str, seconds: float) -> Result:
    return Result(name, outcome, zh, en, seconds=round(seconds, 3))


def _end(process: Any) -> None:
    process.join(0.5)
    if process.is_alive():
        process.terminate()
        process.join(GRACE_S)
    if process.is_alive():
        process.kill()
        process.join()
