"""Processes of this machine, read through psutil and /proc. The edge: touches the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from probes.adapter import Adapter, adapters

ENV_ALLOWED = re.compile(
    r"^(VLLM|SGLANG|SGL|OLLAMA|LLAMA|NCCL|CUDA|TORCH|PYTORCH|OMP|MKL|NVIDIA|RAY|GLOO|HF_HUB_OFFLINE|TOKENIZERS)(_|$)"
)
SECRET = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)
HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class EngineProcess:
    """The main process of one running engine."""

    adapter: Adapter
    process: psutil.Process
    argv: list[str]

    @property
    def family(self) -> list[psutil.Process]:
        """The process and all its descendants that still live."""
        with suppress(psutil.Error):
            return [self.process, *self.process.children(recursive=True)]
        return []


def engines() -> list[EngineProcess]:
    """The engines that run here and can be seen; a process below another engine process is part of that one."""
    found = list(_matching())
    pids = {item.process.pid for item in found}
    return [item for item in found if not pids & _ancestors(item.process)]


def _matching() -> Iterator[EngineProcess]:
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            argv = process.cmdline()
            for adapter in adapters().values():
                if argv and adapter.recognise(argv):
                    yield EngineProcess(adapter, process, argv)
                    break


def _ancestors(process: psutil.Process) -> set[int]:
    with suppress(psutil.Error):
        return {parent.pid for parent in process.parents()}
    return set()


def engine_addresses() -> list[str]:
    """ "127.0.0.1:port" of every engine that runs here."""
    return [f"127.0.0.1:{port(engine)}" for engine in engines()]


def port(engine: EngineProcess) -> int:
    """The port it listens on: as asked for on the command line, else the one it holds open, else its default."""
    asked = option(engine.argv, "--port")
    if asked.isdigit():
        return int(asked)
    listening = sorted(set(_listening(engine.family)))
    if engine.adapter.default_port in listening or not listening:
        return engine.adapter.default_port
    return listening[0]


def option(argv: list[str], flag: str) -> str:
    """The value of `--flag value` or `--flag=value`, "" without it."""
    for index, word in enumerate(argv):
        if word == flag and index + 1 < len(argv):
            return argv[index + 1]
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
    return ""


def _listening(family: list[psutil.Process]) -> Iterator[int]:
    for process in family:
        with suppress(psutil.Error):
            yield from (c.laddr.port for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN)


def without_secrets(argv: list[str]) -> list[str]:
    """The command line with the values of keys and tokens hidden."""
    shown, hide_next = [], False
    for word in argv:
        flag, equals, _ = word.partition("=")
        secret = word.startswith("-") and is_secret_flag(flag)
        if hide_next and not word.startswith("-"):
            shown.append(HIDDEN)
        else:
            shown.append(f"{flag}={HIDDEN}" if secret and equals else word[:300])
        # An option may take several keys, so all words up to the next option are hidden.
        hide_next = (secret and not equals) or (hide_next and not word.startswith("-"))
    return shown


def is_secret_flag(flag: str) -> bool:
    """ "--api-key" and "--hf-token", but not "--max-num-batched-tokens"."""
    return any(part in ("key", "token", "secret", "password") for part in re.split(r"[-_]+", flag.lower()))


def environment(process: psutil.Process) -> dict[str, str]:
    """Variables that change how an engine runs, without anything that may be a secret."""
    with suppress(psutil.Error):
        return {
            name: value[:120]
            for name, value in sorted(process.environ().items())
            if ENV_ALLOWED.match(name) and not SECRET.search(name)
        }
    return {}


def uses_gpu(family: list[psutil.Process]) -> bool | None:
    """Whether a GPU driver library is mapped into the engine; None if its maps may not be read."""
    readable = False
    for process in family:
        with suppress(OSError):
            maps = Path(f"/proc/{process.pid}/maps").read_text()
            readable = True
            if re.search(r"lib(cuda|amdhip64|hsa-runtime64)\.so", maps):
                return True
    return False if readable else None


def allowed_cpus(family: list[psutil.Process]) -> int | None:
    """CPUs that at least one of the engine's threads may use (engines pin single threads themselves)."""
    allowed = 0
    for process in family:
        for status in Path(f"/proc/{process.pid}/task").glob("*/status"):
            with suppress(OSError):
                found = re.search(r"^Cpus_allowed:\s*([0-9a-f,]+)", status.read_text(), re.MULTILINE)
                allowed |= int(found.group(1).replace(",", ""), 16) if found else 0
    return allowed.bit_count() or None


def thread_times(family: list[psutil.Process]) -> dict[str, tuple[str, int, int]]:
    """ "pid/tid" -> name, nanoseconds on a CPU, nanoseconds spent waiting for one, from /proc/PID/task/TID/schedstat."""
    times = {}
    for process in family:
        for task in Path(f"/proc/{process.pid}/task").glob("*"):
            with suppress(OSError, ValueError):
                ran, waited, _ = (task / "schedstat").read_text().split()
                times[f"{process.pid}/{task.name}"] = ((task / "comm").read_text().strip(), int(ran), int(waited))
    return times


def in_container() -> bool:
    """Whether this process runs in a container, which shows it only its own processes."""
    marks = ("/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io")
    return any(Path(mark).exists() for mark in marks)
