"""`infermary check`: runs the probes of this machine, and keeps or reads back what they measured."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from infermary.sources import Unreadable
from kb.judgement import ProbeInfo
from probes import bundle
from probes.context import address
from probes.facts import Fact
from probes.spec import Result

PASSIVE = ("host.inventory", "gpu.state", "engine.discover", "engine.metrics")
ACTIVE = ("decode.single_stream",)


# Every engine listens on a port; without one, a mistyped word would pass for a host.
ENGINE_URL = re.compile(r"(https?://)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})(/\S*)?")


def checked_url(url: str) -> str:
    """The address of an engine as given.

    Raises:
        Unreadable: it is neither http(s)://host:port nor host:port.
    """
    given = ENGINE_URL.fullmatch(url)
    if not given or not 1 <= int(given[3]) <= 65535:
        raise Unreadable(
            f"{url!r} 不是引擎地址：请写成 http://主机:端口 或 主机:端口，例如 http://127.0.0.1:8000。",
            f"{url!r} is no engine address: write http://host:port or host:port, such as http://127.0.0.1:8000.",
        )
    return url


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


def facts_of(results: Iterable[Result], url: str = "") -> list[Fact]:
    """All facts, or with `url` those that are not about another engine."""
    wanted = f"engine:{address(url)}" if url else ""
    facts = [fact for result in results for fact in result.facts]
    return [fact for fact in facts if not wanted or fact.subject == wanted or not fact.subject.startswith("engine:")]


def probe_infos(done: Collection[str]) -> tuple[ProbeInfo, ...]:
    """What the catalogue of this machine offers beyond what was `done`, for the plan."""
    from probes.catalog import probes

    return tuple(
        ProbeInfo(p.name, p.zh, p.en, tuple(p.yields), p.seconds, p.mode)
        for p in probes().values() if p.name not in done
    )  # fmt: skip


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
        bundle.save(Path(path), results, platform.node())
    except OSError as error:
        raise Unreadable(f"写不了 {path}：{error.strerror}。", f"Cannot write {path}: {error.strerror}.") from None


def load(text: str, name: str) -> list[Result]:
    """The results of a bundle, with facts made anew of their raw readings.

    Raises:
        Unreadable: it is no bundle.
    """
    try:
        return bundle.judged_again(bundle.from_json(json.loads(text)).results)
    except bundle.UnreadableBundleError as error:
        raise Unreadable(f"{name}：{error.zh}", f"{name}: {error.en}") from None
    except (ValueError, RecursionError):
        raise Unreadable(f"{name} 不是 JSON。", f"{name} is not JSON.") from None
