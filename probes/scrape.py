"""Reads a /metrics page and compares pages of one window. Pure.

A counter counts only as its difference over the window, a histogram only as the mean of what the window added:
the totals since the server started say nothing about now.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from probes.adapter import COUNTERS, GAUGES, HISTOGRAMS, Adapter, adapters

OUTCOME_LABEL = "finished_reason"
INFO_SERIES = "vllm:cache_config_info"
INFO_LABELS = (
    "block_size", "cache_dtype", "enable_prefix_caching", "gpu_memory_utilization", "num_gpu_blocks",
    "kv_cache_size_tokens", "kv_cache_max_concurrency",
)  # fmt: skip
ASLEEP_SERIES = "vllm:engine_sleep_state"
ADAPTER_SERIES = "vllm:lora_requests_info"


class NotMetricsError(ValueError):
    """The page is not in the Prometheus text format."""


@dataclass(slots=True)
class Scrape:
    """One page, reduced to what an engine's file gives a meaning.

    Attributes:
        engine: whose names they are, "" if no engine's.
        series: names of all series of that engine (of the whole page if of none).
        gauges: role -> replica -> value.
        totals: counter or histogram sample name -> sum over its labels; `name{reason}` for a counter of requests by
            how they ended.
        info: labels of the cache configuration. asleep, lora: as the page says, None if it does not.
    """

    engine: str = ""
    series: set[str] = field(default_factory=set)
    gauges: dict[str, dict[str, float]] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    info: dict[str, str] = field(default_factory=dict)
    asleep: bool | None = None
    lora: bool | None = None


def parse(text: str) -> Scrape:
    """The page as a `Scrape`.

    Raises:
        NotMetricsError: it is something else, HTML say.
    """
    try:
        samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    except ValueError as error:
        raise NotMetricsError(str(error)) from error
    names = {sample.name for sample in samples}
    adapter = owner(names)
    if adapter is None:
        return Scrape(series=names)
    own = [sample for sample in samples if sample.name.startswith(adapter.metrics_prefix)]
    scrape = Scrape(adapter.name, {sample.name for sample in own})
    _read_roles(scrape, adapter, own)
    _read_extras(scrape, own)
    return scrape


def owner(names: set[str]) -> Adapter | None:
    """The engine whose prefix most of the names carry, None if none has any."""
    counted = [
        (sum(name.startswith(adapter.metrics_prefix) for name in names), adapter)
        for adapter in adapters().values()
        if adapter.metrics_prefix
    ]
    count, adapter = max(counted, key=lambda item: item[0])
    return adapter if count else None


def _read_roles(scrape: Scrape, adapter: Adapter, samples: Iterable[Any]) -> None:
    meaning = names_in_use(adapter, scrape.series)
    gauges = {meaning[role]: role for role in GAUGES if role in meaning}
    counted = {meaning[role] for role in COUNTERS if role in meaning}
    counted |= {f"{meaning[role]}{part}" for role in HISTOGRAMS if role in meaning for part in ("_sum", "_count")}
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    totals: dict[str, float] = defaultdict(float)
    for sample in samples:
        role = gauges.get(sample.name)
        if role and (role != "waiting_capacity" or sample.labels.get("reason") == "capacity"):
            found[role][sample.labels.get(adapter.replica_label, "0")] += sample.value
        if sample.name in counted:
            reason = sample.labels.get(OUTCOME_LABEL)
            totals[sample.name] += sample.value
            if reason:
                totals[f"{sample.name}{{{reason}}}"] += sample.value
    scrape.gauges = {role: dict(values) for role, values in found.items()}
    scrape.totals = dict(totals)


def names_in_use(adapter: Adapter, series: Iterable[str]) -> dict[str, str]:
    """Role -> the name under which this server's version publishes it."""
    present = set(series)
    return {
        role: next(name for name in names if name in present or f"{name}_sum" in present)
        for role, names in adapter.metrics.items()
        if any(name in present or f"{name}_sum" in present for name in names)
    }


def _read_extras(scrape: Scrape, samples: Iterable[Any]) -> None:
    lora: tuple[float, bool] | None = None
    for sample in samples:
        if sample.name == INFO_SERIES:
            scrape.info = {label: sample.labels[label] for label in INFO_LABELS if label in sample.labels}
        elif sample.name == ASLEEP_SERIES and sample.labels.get("sleep_state") == "awake":
            scrape.asleep = sample.value == 0
        elif sample.name == ADAPTER_SERIES:
            # The value is the time at which that combination of adapters was set: the latest one holds now.
            stated = (sample.value, bool(sample.labels.get("running_lora_adapters")))
            lora = max(lora or stated, stated)
    scrape.lora = lora[1] if lora else None


def compare(scrapes: list[Scrape], window_s: float) -> dict[str, Any]:
    """The raw reading of a window: differences of counters, gauges at each scrape, whether a counter fell."""
    first, last = scrapes[0], scrapes[-1]
    steps = itertools.pairwise(scrapes)
    fell = any(later.totals.get(name, 0.0) < value for one, later in steps for name, value in one.totals.items())
    return {
        "engine": last.engine, "window_s": round(window_s, 3), "scrapes": len(scrapes), "reset": fell,
        "series": sorted(name for name in last.series if not name.endswith(("_bucket", "_created"))),
        "gauges": [scrape.gauges for scrape in scrapes],
        "differences": {name: value - first.totals.get(name, 0.0) for name, value in last.totals.items()},
        "info": last.info, "asleep": last.asleep,
        "lora": any(scrape.lora for scrape in scrapes) if last.lora is not None else None,
    }  # fmt: skip
