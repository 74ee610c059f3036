"""Starts the real vLLM on the CPU and puts load on it, for tests."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

READY_S = 240
KV_BYTES = 256 * 1024 * 1024
LEFTOVERS = (("/dev/shm", "psm_*"), ("/dev/shm", "vllm_dist_*"), ("/tmp", "vllm_dist_*"))


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; its model is served as "m"."""

    address: str
    pid: int
    log: Path

    @property
    def url(self) -> str:
        return f"http://{self.address}"


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@contextmanager
def serving(vllm: Path, model: Path, log: Path, *flags: str, **environment: str) -> Iterator[Server]:
    """`vllm serve MODEL` with these flags until the block ends. One thread a worker, eager, 256 MiB of KV cache."""
    port, before = free_port(), _leftovers()
    argv = [str(vllm), "serve", str(model), "--host", "127.0.0.1", "--port", str(port), "--served-model-name", "m"]
    argv += ["--enforce-eager", *flags]
    if not any(flag.startswith("--kv-cache-memory-bytes") for flag in flags):
        argv += ["--kv-cache-memory-bytes", str(KV_BYTES)]
    quiet = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as output:
        process = subprocess.Popen(
            argv, stdout=output, stderr=subprocess.STDOUT, env=os.environ | quiet | environment, start_new_session=True
        )
    try:
        _wait_until_ready(process, port, log)
        yield Server(f"127.0.0.1:{port}", process.pid, log)
    finally:
        _stop(process)
        for path in _leftovers() - before:
            with suppress(OSError):
                path.unlink()


def _leftovers() -> set[Path]:
    return {path for folder, pattern in LEFTOVERS for path in Path(folder).glob(pattern)}


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with suppress(httpx.HTTPError):
            if httpx.get(f"http://127.0.0.1:{port}/health", timeout=5, trust_env=False).status_code == 200:
                return
        time.sleep(0.3)
    raise RuntimeError(f"vLLM did not get ready:\n{log.read_text()[-3000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(20)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _wait_until_working(server: Server) -> None:
    running, deadline = re.compile(r"^vllm:num_requests_running.* [1-9]", re.MULTILINE), time.monotonic() + 60
    while not running.search(httpx.get(f"{server.url}/metrics", timeout=60, trust_env=False).text):
        if time.monotonic() > deadline:
            raise TimeoutError("the load did not reach the server")
        time.sleep(0.1)


@contextmanager
def load(server: Server, streams: int, words: int, tokens: int, model: str = "m") -> Iterator[None]:
    """That many requests at once, each followed by the next, while the block runs."""
    stop = threading.Event()

    def keep_asking(number: int) -> None:
        body = {"model": model, "max_tokens": tokens, "ignore_eos": True, "temperature": 0}
        with httpx.Client(timeout=120, trust_env=False) as http:
            count = 0
            while not stop.is_set():
                count += 1
                # The beginning differs each time, so that nothing comes from the prefix cache.
                prompt = f"{number} {count} " + "def value(self): return 1\n" * (words // 6)
                http.post(f"{server.url}/v1/completions", json=body | {"prompt": prompt}).raise_for_status()

    threads = [threading.Thread(target=keep_asking, args=(number,)) for number in range(streams)]
    for thread in threads:
        thread.start()
    try:
        _wait_until_working(server)
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
