"""The worker of a GPU host: listens on the host's own queue, and needs nothing but the broker.

    python -m probes.worker --config worker.json

The file may also be named by INFERMARY_WORKER_CONFIG. The worker runs in the foreground until SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
from pathlib import Path

from celery import Celery, bootsteps
from kombu import Queue
from pydantic import ValidationError

from probes.broker import RESULTS, broker_settings, queue_of
from probes.desk import Configuration, Desk
from probes.envelope import Rejected

VARIABLE = "INFERMARY_WORKER_CONFIG"


def make_app(configuration: Configuration) -> Celery:
    """The Celery app of one host: three tasks, each takes one signed token."""
    app = Celery("infermary-worker")
    app.conf.update(broker_settings(configuration.broker, configuration.broker_folder, configuration.host))
    queue = queue_of(configuration.host)
    app.conf.update(
        task_queues=[Queue(queue, routing_key=queue)], task_default_queue=queue, worker_pool="threads",
        worker_concurrency=2, worker_hijack_root_logger=False,
    )  # fmt: skip
    desk = Desk(configuration, lambda token, **options: app.send_task("kb.receive", [token], queue=RESULTS, **options))
    app.task(desk.accept, name="probes.run")
    app.task(desk.cancel, name="probes.cancel")
    app.task(desk.acknowledge, name="probes.acknowledge")
    app.steps["worker"].add(_keeping(desk))
    return app


def _keeping(desk: Desk) -> type[bootsteps.StartStopStep]:
    """A step of the worker's life: the desk's own thread starts and ends with it."""

    class Keeping(bootsteps.StartStopStep):
        requires = frozenset({"celery.worker.components:Pool"})

        def start(self, worker: object) -> None:
            threading.Thread(target=desk.keep, name="keep", daemon=True).start()

        def stop(self, worker: object) -> None:
            desk.close()

    return Keeping


def read_configuration(path: Path) -> Configuration:
    """The configuration in the JSON file `path`; relative paths in it are relative to the file.

    Raises:
        SystemExit: it cannot be read; the message says what to do.
    """
    try:
        found = Configuration.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValidationError) as error:
        raise SystemExit(
            f"{path} is no configuration of a worker; enrol the host again on the site.\n{error}"
        ) from None
    here = path.resolve().parent
    places = {name: here / getattr(found, name) for name in ("key", "spool", "broker_folder")}
    return found.model_copy(update=places)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m probes.worker", description=__doc__.splitlines()[0])
    parser.add_argument("--config", default=os.environ.get(VARIABLE), help=f"configuration file (or ${VARIABLE})")
    chosen = parser.parse_args(arguments).config
    if not chosen:
        parser.error(f"name the configuration file: --config FILE, or set {VARIABLE}")
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    try:
        app = make_app(read_configuration(Path(chosen)))
    except Rejected as error:
        raise SystemExit(str(error)) from None
    app.worker_main(["worker", "--loglevel=WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"])


if __name__ == "__main__":
    main()
