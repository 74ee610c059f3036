"""What an engine file declares: how to recognise the engine, where it answers, what its metrics mean. Pure."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from probes import engines

GAUGES = ("running", "waiting", "waiting_capacity", "kv_usage", "throughput", "hit_rate")
COUNTERS = (
    "prompt_tokens", "output_tokens", "preemptions", "finished", "prefix_queries", "prefix_hits", "drafted", "accepted",
)  # fmt: skip
HISTOGRAMS = ("ttft", "tpot", "queue", "prefill", "prompt_length", "output_length", "iteration_tokens")
ESSENTIAL = ("running", "output_tokens", "throughput", "output_length")
"""If an engine shows none of these, its metrics have other names than those known here."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """One engine.

    Attributes:
        name: value of the fact `engine.name`.
        recognise: whether a command line starts this engine's server.
        default_port: where it listens unless told otherwise.
        version_path, version_keys: GET path, and the keys under which its JSON answer may hold the version.
        metrics_prefix: how the names of its own series begin, "" if it has no metrics.
        metrics: role (see GAUGES, COUNTERS, HISTOGRAMS) -> names of all its versions, the newest first. A counter is
            named as its sample (with `_total`), a histogram without `_sum` and `_count`.
        replica_label: label that tells data-parallel replicas apart.
    """

    name: str
    recognise: Callable[[list[str]], bool]
    default_port: int
    version_path: str = ""
    version_keys: tuple[str, ...] = ("version",)
    metrics_prefix: str = ""
    metrics: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    replica_label: str = "engine"


@cache
def adapters() -> dict[str, Adapter]:
    """All engines by name, one file each in `probes/engines`."""
    modules = sorted(pkgutil.iter_modules(engines.__path__), key=lambda info: info.name)
    found = [importlib.import_module(f"{engines.__name__}.{info.name}").ADAPTER for info in modules]
    by_name = {adapter.name: adapter for adapter in found}
    if len(by_name) != len(found):
        raise ValueError("two files of probes/engines declare one engine")
    return by_name


def command_words(argv: list[str]) -> list[str]:
    """The words of a command line that name programs and modules: base names, without interpreters and options."""
    return [word.rsplit("/", 1)[-1] for word in argv[:6] if not word.startswith("-")]


def starts(words: list[str], *names: str) -> bool:
    """Whether these words stand one after another."""
    return any(tuple(words[index : index + len(names)]) == names for index in range(len(words)))
