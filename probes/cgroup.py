"""CPU quota, throttling and memory limit of this process's control group, version 2 and version 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
NO_LIMIT = 2**60
"""Version 1 writes a huge number where there is no memory limit."""


def _folders(controller: str) -> Iterator[Path]:
    """The group's folder and those above it, as far as they can be seen; limits of all of them hold."""
    path = "/"
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, place = line.split(":", 2)
            if controllers == "" or controller in controllers.split(","):
                path = place
    parts = [part for part in path.split("/") if part and part != ".."]
    for base in (ROOT, ROOT / controller):
        for depth in range(len(parts), -1, -1):
            yield base.joinpath(*parts[:depth])


def _words(path: Path) -> list[str]:
    with suppress(OSError):
        return path.read_text().split()
    return []


def cpu_quota() -> float | None:
    """Cores that the quota allows, the smallest of all levels; None without a quota."""
    quotas = []
    for folder in _folders("cpu"):
        both = _words(folder / "cpu.max") or [
            *_words(folder / "cpu.cfs_quota_us"), *_words(folder / "cpu.cfs_period_us"),
        ]  # fmt: skip
        if len(both) == 2 and both[0].isdigit():
            quotas.append(int(both[0]) / int(both[1]))
    return round(min(quotas), 2) if quotas else None


def throttled() -> tuple[int, ...]:
    """Periods so far, and how many of them were throttled; () if the group does not count."""
    for folder in _folders("cpu"):
        words = _words(folder / "cpu.stat")
        counted = dict(zip(words[::2], words[1::2], strict=False))
        if "nr_periods" in counted:
            return int(counted["nr_periods"]), int(counted["nr_throttled"])
    return ()


def memory_limit() -> int | None:
    """Bytes that the group may use, None without a limit."""
    limits = []
    for folder in _folders("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            limits += [int(word) for word in _words(folder / name) if word.isdigit()]
    return min((limit for limit in limits if limit < NO_LIMIT), default=None)
