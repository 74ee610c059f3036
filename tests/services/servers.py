"""Real PostgreSQL and Redis for a test session, on free ports, with their data in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def wait_for_port(port: int, process: subprocess.Popen, seconds: float = 60) -> None:
    """Until something answers on `port`; fails at once when the process has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args} ended with {process.returncode}")
        with socket.socket() as sock:
            sock.settimeout(1)
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing answers on port {port} after {seconds} s")


@contextmanager
def running(argv: list[str], port: int | None = None, **options) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        if port:
            wait_for_port(port, process)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """URL of an empty Redis."""
    port = free_port()
    argv = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    with running(argv, port):
        yield f"redis://127.0.0.1:{port}/0"


def _postgres_tool(name: str) -> str:
    """Debian keeps the server's programs out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name) or name


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """URL of an empty database. PostgreSQL refuses to run as root, so it then runs as the user `postgres`."""
    port, data = free_port(), folder / "data"
    as_user: dict = {}
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        as_user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        for parent in folder.parents:
            if parent.stat().st_uid == 0 and str(parent).startswith("/tmp/"):
                parent.chmod(0o755)
    subprocess.run(
        [_postgres_tool("initdb"), "-D", data, "-U", "infermary", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"],
        check=True, capture_output=True, cwd=folder, **as_user,
    )  # fmt: skip
    argv = [_postgres_tool("postgres"), "-D", str(data), "-p", str(port), "-k", str(folder), "-c", "fsync=off"]
    with running(argv, port, cwd=folder, **as_user):
        subprocess.run(
            [_postgres_tool("createdb"), "-h", "127.0.0.1", "-p", str(port), "-U", "infermary", "infermary"], check=True
        )
        yield f"postgres://infermary@127.0.0.1:{port}/infermary"
