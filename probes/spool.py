"""What a worker keeps on disk: which runs are under way, results that wait for the site, requests already seen.

A run is marked before it starts and its result is written before it is sent, so that a restart at any moment loses
nothing: results are sent again until the site says that they are stored, and a run that a restart interrupted is
reported as failed. All writes are a new file moved into place.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

RUN_ID = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


class Spool:
    """The folder `place`, made for its owner only."""

    def __init__(self, place: Path) -> None:
        self.running, self.results = place / "running", place / "results"
        for folder in (self.running, self.results):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def begin(self, run: str, probe: str) -> bool:
        """Mark a run as under way; False if it already is, or has a result that waits.

        Raises:
            ValueError: not an id of a run.
        """
        if not RUN_ID.match(run):
            raise ValueError(f"not an id of a run: {run[:80]!r}")
        if (self.results / f"{run}.json").exists() or (self.running / f"{run}.json").exists():
            return False
        _write(self.running / f"{run}.json", {"probe": probe})
        return True

    def finish(self, run: str, result: dict[str, Any]) -> None:
        """Keep the result until `acknowledge`."""
        _write(self.results / f"{run}.json", result)
        (self.running / f"{run}.json").unlink(missing_ok=True)

    def acknowledge(self, run: str) -> None:
        """The site has stored the result: forget it."""
        if RUN_ID.match(run):
            (self.results / f"{run}.json").unlink(missing_ok=True)

    def waiting(self) -> list[tuple[str, dict[str, Any]]]:
        """Results that the site has not confirmed, the oldest first."""
        return _read_all(self.results)

    def interrupted(self) -> list[tuple[str, str]]:
        """Runs that were under way when the worker ended, with their probe."""
        return [(run, str(content.get("probe", ""))) for run, content in _read_all(self.running)]


class SeenFolder:
    """Ids of requests that were acted upon, one file each until it expires."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir(parents=True, exist_ok=True, mode=0o700)

    def first_time(self, jti: str, until: float) -> bool:
        """Whether this id comes for the first time; two processes that ask at once get one yes."""
        self._forget_expired()
        path = self.place / hashlib.sha256(jti.encode()).hexdigest()
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        os.utime(path, (until, until))
        return True

    def _forget_expired(self) -> None:
        now = time.time()
        for path in self.place.iterdir():
            with suppress(OSError):
                # A file is dated by its expiry; one just made by another process bears the present time for a moment.
                if path.stat().st_mtime < now - 60:
                    path.unlink()


def _write(path: Path, content: dict[str, Any]) -> None:
    beside = path.with_suffix(".new")
    with beside.open("w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _read_all(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime):
        # One that another thread has just acknowledged, or that a full disk left empty, is passed over.
        with suppress(OSError, ValueError):
            found.append((path.stem, json.loads(path.read_text("utf-8"))))
    return found
