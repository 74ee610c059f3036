"""The broker between site and workers: Redis, or a folder where no server is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# At least twice the longest probe's limit plus two minutes: a shorter one lets a second worker start the same
# message while the first still works on it. It must be equal everywhere: the shortest wins.
VISIBILITY_TIMEOUT_S = 3600
POLL_S = 0.2


RESULTS = "results"
"""The queue on which all workers report."""


def queue_of(host: str) -> str:
    """The queue of one host's worker."""
    return f"probe.{host}"


def broker_settings(url: str, folder: Path, side: str = "site") -> dict[str, Any]:
    """Celery settings for the broker at `url`; "" for kombu's file-system transport in `folder`.

    The same on both sides. No result backend, no remote control, JSON only. On Redis each `side` keeps its
    unacknowledged messages under keys of its own, so that no host needs the right to read another's.
    """
    common: dict[str, Any] = {
        "task_serializer": "json",
        "accept_content": ["json"],
        "result_backend": None,
        "task_ignore_result": True,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "broker_connection_retry_on_startup": True,
        "task_create_missing_queues": True,
    }
    if url:
        options: dict[str, Any] = {"visibility_timeout": VISIBILITY_TIMEOUT_S, "socket_keepalive": True}
        options |= {f"{key}_key": f"{key}.{side}" for key in ("unacked", "unacked_index", "unacked_mutex")}
        return common | {"broker_url": url, "broker_transport_options": options}
    for name in ("messages", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
        "polling_interval": POLL_S,
    }
    return common | {"broker_url": "filesystem://localhost//", "broker_transport_options": options}
