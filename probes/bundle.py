"""What the probes of one host collected, as one JSON file that can be carried and judged again.

    {"format": "infermary-bundle", "version": 1, "host": "gpu-box-1", "made_at": "2026-12-01T10:02:00+00:00",
     "infermary": "0.1.0", "origin": "", "results": [Result, ...]}

`results` keeps every raw reading, so that a newer version can make its own facts of it.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from probes import own_version
from probes.catalog import probes
from probes.spec import Result

FORMAT = "infermary-bundle"
VERSION = 1
SIZE_LIMIT = 16 * 1024 * 1024
"""A result has at most 256 KiB; nobody carries more than a few dozen."""

log = logging.getLogger(__name__)


class UnreadableBundleError(ValueError):
    """The file is no bundle; the message says why, as (zh, en)."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(en)
        self.zh, self.en = zh, en


@dataclass(frozen=True, slots=True)
class Bundle:
    """Results of one host. `origin` says where they come from if not from the probes themselves."""

    results: list[Result]
    host: str = ""
    made_at: str = ""
    infermary: str = ""
    origin: str = ""


def save(path: Path, results: list[Result], host: str = "", origin: str = "") -> None:
    """Write a bundle.

    Raises:
        OSError: the file cannot be written.
    """
    content = {
        "format": FORMAT, "version": VERSION, "host": host, "origin": origin, "infermary": own_version(),
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"), "results": [result.to_json() for result in results],
    }  # fmt: skip
    path.write_text(json.dumps(content, ensure_ascii=False) + "\n", "utf-8")


def load(path: Path) -> Bundle:
    """Read a bundle.

    Raises:
        OSError: the file cannot be read.
        UnreadableBundleError: it is no bundle, of a later version, or too large.
    """
    if path.stat().st_size > SIZE_LIMIT:
        raise UnreadableBundleError("文件太大，不是测量包。", "The file is too large for a bundle.")
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError:
        raise UnreadableBundleError("文件不是 JSON。", "The file is not JSON.") from None
    return from_json(content)


def from_json(content: Any) -> Bundle:
    """The bundle in a parsed JSON document.

    Raises:
        UnreadableBundleError: it is none, or of a later version.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UnreadableBundleError("这不是 Infermary 的测量包。", "This is no bundle of Infermary.")
    if content.get("version") != VERSION:
        raise UnreadableBundleError(
            "测量包的版本更新，请先升级 Infermary。", "The bundle is newer; upgrade Infermary first."
        )
    try:
        results = [Result.from_json(data) for data in content["results"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableBundleError(f"测量包内容有误：{error}。", f"The bundle's content is wrong: {error}.") from None
    known = {key: str(content.get(key, "")) for key in ("host", "made_at", "infermary", "origin")}
    return Bundle(results, **known)


def judged_again(results: list[Result]) -> list[Result]:
    """The results with facts made anew of their raw readings; what cannot be judged again keeps its facts."""
    return [_judged_again(result) for result in results]


def _judged_again(result: Result) -> Result:
    probe = probes().get(result.probe)
    if probe is None or not result.raw:
        return result
    try:
        facts = probe.judge(result.raw)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # A raw reading of another version of the probe: the facts made then still stand.
        log.warning("%s cannot be judged again: %r", result.probe, error)
        return result
    return replace(result, facts=[fact.moved(at=result.started_at) for fact in facts])
