"""The machine around the cards: CPU, quota, memory, container, and how busy the CPU was over two seconds.

Raw:

    {"system": "linux", "kernel": "6.8.0-45-generic", "distribution": "Ubuntu 24.04.1 LTS", "wsl": false,
     "container": false, "hypervisor": true, "orchestrator": null, "cpu_model": "AMD EPYC 9554", "avx2": true,
     "affinity": 16, "total": 16, "quota": null, "governor": null, "numa_nodes": 1, "memory_total_gib": 125.6,
     "memory_available_gib": 110.2, "swap_used_gib": 0.0, "shm_gib": 62.8, "load": 0.4, "pressure_pct": 0.1,
     "busy_pct": 6.4, "steal_pct": 0.0, "throttled": [0, 0]}

gives host.cpu_cores = 16, host.cpu_cores_total = 16, host.virtualisation = vm, host.shm_gib = 62.8, ...
"""

from __future__ import annotations

import os
import platform
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from pydantic import Field

from probes import cgroup, processes
from probes.facts import Fact
from probes.spec import Context, Parameters, Probe, Reading
from probes.statements import Statements, rounded

GIB = 2**30


class Inventory(Parameters):
    seconds: float = Field(2.0, ge=0.5, le=30, description="window in which the CPU is watched, s")


def measure(params: Inventory, context: Context) -> Reading:
    before, throttled_before = psutil.cpu_times(), cgroup.throttled()
    context.progress(0.1, "观察 CPU", "watching the CPU")
    time.sleep(params.seconds)
    after, throttled = psutil.cpu_times(), cgroup.throttled()
    raw = _system() | _cpu() | _memory() | _busy(before, after)
    raw["throttled"] = [now - then for now, then in zip(throttled, throttled_before, strict=False)] or None
    return Reading(judge(raw), raw)


def _text(path: str) -> str:
    with suppress(OSError):
        return Path(path).read_text("utf-8", "replace")
    return ""


def _found(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1).strip() if match else None


def _system() -> dict[str, Any]:
    kernel = platform.release()
    return {
        "system": platform.system().lower(), "kernel": kernel,
        "distribution": _found(r'^PRETTY_NAME="?([^"\n]+)', _text("/etc/os-release")),
        "wsl": "microsoft" in kernel.lower(), "container": processes.in_container(), "orchestrator": _orchestrator(),
    }  # fmt: skip


def _orchestrator() -> str | None:
    signs = {"KUBERNETES_SERVICE_HOST": "kubernetes", "SLURM_JOB_ID": "slurm", "RAY_JOB_ID": "ray"}
    named = [name for variable, name in signs.items() if variable in os.environ]
    return named[0] if named else "docker" if Path("/.dockerenv").exists() else None


def _cpu() -> dict[str, Any]:
    info = _text("/proc/cpuinfo")
    flags = (_found(r"^flags\s*:(.*)", info) or "").split()
    return {
        "cpu_model": _found(r"^model name\s*:(.*)", info), "avx2": "avx2" in flags if flags else None,
        "hypervisor": "hypervisor" in flags, "affinity": len(os.sched_getaffinity(0)), "total": os.cpu_count(),
        "quota": cgroup.cpu_quota(), "load": round(os.getloadavg()[0], 2),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip() or None,
        "numa_nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or None,
        "pressure_pct": _number(_found(r"^some avg10=([\d.]+)", _text("/proc/pressure/cpu"))),
    }  # fmt: skip


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _memory() -> dict[str, Any]:
    memory, limit = psutil.virtual_memory(), cgroup.memory_limit()
    reading: dict[str, Any] = {
        "memory_total_gib": round(min(memory.total, limit or memory.total) / GIB, 2),
        "memory_available_gib": round(memory.available / GIB, 2),
        "swap_used_gib": round(psutil.swap_memory().used / GIB, 2), "shm_gib": None,
    }  # fmt: skip
    with suppress(OSError):
        shm = os.statvfs("/dev/shm")  # noqa: S108 - its size is asked for, nothing is written
        reading["shm_gib"] = round(shm.f_blocks * shm.f_frsize / GIB, 3)
    return reading


def _busy(before: Any, after: Any) -> dict[str, Any]:
    spent = {name: getattr(after, name) - getattr(before, name) for name in after._fields}
    # Guest time is contained in user time.
    total = sum(value for name, value in spent.items() if not name.startswith("guest"))
    if total <= 0:
        return {"busy_pct": None, "steal_pct": None}
    idle = spent["idle"] + spent.get("iowait", 0.0)
    return {
        "busy_pct": round(100 * (total - idle) / total, 1),
        "steal_pct": round(100 * spent.get("steal", 0.0) / total, 2),
    }


def judge(raw: dict[str, Any]) -> list[Fact]:
    said = Statements("host.inventory")
    if raw["system"] in ("linux", "windows"):
        said.state("host.os", raw["system"])
    cores = min(raw["affinity"], raw["quota"] or raw["affinity"])
    said.state("host.virtualisation", _virtualisation(raw))
    said.state("host.in_container", raw["container"])
    said.state("host.cpu_cores", round(cores, 2), quote=f"affinity {raw['affinity']}, quota {raw['quota']}")
    said.state("host.cpu_cores_total", raw["total"])
    if raw["load"] is not None and raw["total"]:
        said.state("host.load_per_core", rounded(raw["load"] / raw["total"]))
    said.state("host.cpu_throttled_ratio", _throttled_ratio(raw))
    for fact, key in PLAIN.items():
        said.state(fact, raw[key])
    return said.facts


PLAIN = {
    "host.kernel": "kernel", "host.distribution": "distribution", "host.orchestrator": "orchestrator",
    "host.cpu_model": "cpu_model", "host.cpu_flags_avx": "avx2", "host.governor": "governor",
    "host.numa_nodes": "numa_nodes", "host.memory_total_gib": "memory_total_gib",
    "host.memory_available_gib": "memory_available_gib", "host.swap_used_gib": "swap_used_gib", "host.shm_gib": "shm_gib",
    "host.cpu_pressure_pct": "pressure_pct", "host.cpu_utilization_pct": "busy_pct", "host.steal_pct": "steal_pct",
}  # fmt: skip


def _virtualisation(raw: dict[str, Any]) -> str:
    return "wsl2" if raw["wsl"] else "container" if raw["container"] else "vm" if raw["hypervisor"] else "none"


def _throttled_ratio(raw: dict[str, Any]) -> float | None:
    """Share of the scheduler's periods in which the quota stopped this cgroup; None without a quota or a period."""
    periods, throttled = raw["throttled"] or (0, 0)
    return round(throttled / periods, 4) if raw["quota"] and periods else None


PROBE = Probe(
    name="host.inventory",
    zh="主机概况", en="the host",
    zh_about="读取 /proc 和 /sys，观察 CPU 两秒；不产生负载。",
    en_about="Reads /proc and /sys and watches the CPU for two seconds; puts no load on anything.",
    mode="passive", seconds=2.5, limit_s=60,
    yields=(
        "host.os", "host.virtualisation", "host.in_container", "host.cpu_cores", "host.cpu_cores_total",
        "host.load_per_core", "host.cpu_throttled_ratio", *PLAIN,
    ),
    parameters=Inventory, measure=measure, judge=judge,
)  # fmt: skip
