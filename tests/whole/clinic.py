"""The whole product as `make run` starts it: site, receiver of results and worker, from the real Procfile."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.services.servers import free_port

ROOT = Path(__file__).parent.parent.parent
BIN = ROOT / ".venv/bin"


@dataclass(frozen=True)
class Clinic:
    url: str
    log: Path
    environment: dict[str, str]

    def manage(self, *arguments: str) -> str:
        argv = [BIN / "python", "manage.py", *arguments]
        done = subprocess.run(argv, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout


@contextmanager
def clinic(folder: Path, **settings: str) -> Iterator[Clinic]:
    """Prepare and start everything under `folder`; stop it as Ctrl-C does, and see that nothing stays behind."""
    port = free_port()
    environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")} | {
        "INFERMARY_VAR": str(folder), "ADDRESS": f"127.0.0.1:{port}", "LOCAL_OPERATOR": "1", "PORT": str(port),
    } | settings  # fmt: skip
    started = Clinic(f"http://127.0.0.1:{port}", folder / "log", environment)
    started.manage("prepare")
    with started.log.open("w") as output:
        process = subprocess.Popen(
            [BIN / "honcho", "start"], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        _wait_until_complete(started, process)
        yield started
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait_until_complete(started: Clinic, process: subprocess.Popen, seconds: float = 120) -> None:
    """Until the site answers and shows this machine's worker as online, where it shows hosts to us at all."""
    team = started.environment["LOCAL_OPERATOR"] == "0"
    path, sign = ("accounts/login/", "Infermary") if team else ("hosts/", "dot-on")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if sign in httpx.get(f"{started.url}/{path}?lang=en", timeout=5).text:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.5)
    raise RuntimeError(f"the clinic did not get ready:\n{started.log.read_text()[-3000:]}")
