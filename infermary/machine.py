"""`infermary check`: runs the probes of this machine, and keeps or reads back what they measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from infermary.sources import Unreadable
from kb.judgement import ProbeInfo
from probes.spec import Result

PASSIVE = ("host.inventory", "gpu.state", "engine.discover", "engine.metrics")
ACTIVE = ("decode.single_stream",)


def measure(url: str, *, load: bool, lang: str, quiet: bool) -> list[Result]:
    """Run the passive probes, with `load` also those that send requests, one after another."""
    from probes.catalog import probes
    from probes.context import LocalContext
    from probes.runner import run

    catalogue = probes()
    context = LocalContext([url] if url else [])
    results = []
    for name in (*PASSIVE, *(ACTIVE if load else ())):
        if name not in catalogue:
            continue
        probe = catalogue[name]
        if not quiet:
            sys.stderr.write(f"… {probe.zh if lang == 'zh' else probe.en}\n")
        takes_engine = "engine" in probe.parameters.model_fields
        results.append(run(name, {"engine": url} if url and takes_engine else {}, context))
    return results


def probe_infos() -> tuple[ProbeInfo, ...]:
    """What the catalogue of this machine offers, for the plan."""
    from probes.catalog import probes

    return tuple(ProbeInfo(p.name, p.zh, p.en, tuple(p.yields), p.seconds, p.mode) for p in probes().values())


def brief(result: Result) -> dict[str, Any]:
    """How a run ended, without its raw reading."""
    data = result.to_json()
    return {key: data[key] for key in ("probe", "outcome", "reason_zh", "reason_en", "missing", "seconds")}


def save(results: list[Result], path: str) -> None:
    """Write the results as a bundle.

    Raises:
        Unreadable: the file cannot be written.
    """
    try:
        Path(path).write_text(json.dumps({"results": [r.to_json() for r in results]}, ensure_ascii=False), "utf-8")
    except OSError as error:
        raise Unreadable(f"写不了 {path}：{error.strerror}。", f"Cannot write {path}: {error.strerror}.") from None


def load(text: str, name: str) -> list[Result]:
    """The results of a bundle.

    Raises:
        Unreadable: it holds none.
    """
    try:
        return [Result.from_json(data) for data in json.loads(text)["results"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unreadable(f"{name} 不是测量结果包。", f"{name} is no bundle of measurements.") from None
