"""The engine's own /metrics, read several times over a window; counters as differences, gauges as means.

Raw, of a vLLM server under load (series shortened):

    {"subject": "engine:127.0.0.1:8000", "status": 200, "engine": "vllm", "window_s": 10.0, "scrapes": 6, "reset": false,
     "series": ["vllm:num_requests_running", "vllm:generation_tokens_total", "vllm:request_queue_time_seconds_count",
                "vllm:request_queue_time_seconds_sum"],
     "gauges": [{"running": {"0": 4.0}, "waiting": {"0": 12.0}, "kv_usage": {"0": 0.02}}],
     "differences": {"vllm:generation_tokens_total": 1500.0, "vllm:request_queue_time_seconds_sum": 40.0,
                     "vllm:request_queue_time_seconds_count": 8.0},
     "info": {"enable_prefix_caching": "True"}, "asleep": false, "lora": null}

gives metrics.state = ok, metrics.requests_waiting = 12, metrics.output_tokens_per_s = 150, metrics.queue_mean_s = 5.
"""

from __future__ import annotations

import time
from typing import Any

from pydantic import Field

from probes import scrape
from probes.adapter import COUNTERS, ESSENTIAL, Adapter, adapters
from probes.context import address
from probes.facts import Fact
from probes.http import Page, get
from probes.spec import Context, Parameters, Probe, Reading
from probes.statements import Statements, mean, rounded

EVERY_S = 2.0
"""Between two scrapes: gauges are means of these, and a counter that falls in between is noticed."""
UNKNOWN_SHOWN = 12


class Metrics(Parameters):
    engine: str = Field("", max_length=120, description='"host:port" of the engine; empty for the only one there is')
    seconds: float = Field(10.0, ge=1, le=120, description="window, s")


def measure(params: Metrics, context: Context) -> Reading:
    url = context.engine_url(params.engine)
    subject = f"engine:{address(url)}"
    started, scrapes, times = time.monotonic(), [], []
    while True:
        page = get(f"{url}/metrics")
        times.append(time.monotonic() - started)
        unusable = _unusable(page)
        if unusable:
            raw = {"subject": subject, "status": page.status, "error": page.error, "state": unusable}
            return Reading(judge(raw), raw, missing=[_reason(unusable, page)])
        scrapes.append(scrape.parse(page.text))
        context.progress(times[-1] / params.seconds, "读取 /metrics", "reading /metrics")
        left = params.seconds - (time.monotonic() - started)
        if left <= 0 and len(scrapes) > 1:
            break
        time.sleep(max(0.05, min(EVERY_S, left)))
    raw = {"subject": subject, "status": 200} | scrape.compare(scrapes, times[-1] - times[0])
    facts = judge(raw)
    return Reading(facts, raw, _series(times, raw["gauges"]), _missing(raw))


def _unusable(page: Page) -> str:
    """The state of a page from which nothing can be read, "" of a good one."""
    if page.status == 0:
        return "unreachable"
    if page.status in (404, 501):
        return "empty"
    if page.status != 200:
        return "failing"
    try:
        found = scrape.parse(page.text)
    except scrape.NotMetricsError:
        return "foreign"
    return "empty" if not found.series else "" if found.engine else "foreign"


def _reason(state: str, page: Page) -> tuple[str, str]:
    said = page.error or f"HTTP {page.status}"
    return {
        "unreachable": (f"引擎没有回应 /metrics：{said}。", f"The engine does not answer /metrics: {said}."),
        "failing": (f"/metrics 返回错误：{said}。", f"/metrics answers with an error: {said}."),
        "empty": (
            f"引擎没有提供任何指标（{said}）；有的引擎要用启动参数打开，例如 SGLang 的 --enable-metrics。",
            f"The engine publishes no metrics ({said}); some need a launch flag, such as SGLang's --enable-metrics.",
        ),
        "foreign": ("/metrics 不是任何已知引擎的指标。", "/metrics holds no series of any engine known here."),
    }[state]  # fmt: skip


def _missing(raw: dict[str, Any]) -> list[tuple[str, str]]:
    missing = []
    if _is_renamed(raw):
        missing.append((
            "这个版本的指标名不在已知之列，没有数值可用；请报告引擎版本。",
            "The series of this version have other names than those known here; please report the engine's version.",
        ))  # fmt: skip
    if raw["reset"]:
        missing.append((
            "窗口内计数器归零（引擎重启过），速率和均值不可用，请再测一次。",
            "A counter fell in the window (the engine restarted): no rates and means, measure again.",
        ))  # fmt: skip
    return missing


def _series(times: list[float], gauges: list[dict[str, dict[str, float]]]) -> dict[str, list[tuple[float, float]]]:
    names = {
        "running": "metrics.requests_running",
        "waiting": "metrics.requests_waiting",
        "kv_usage": "metrics.kv_usage",
    }
    return {
        name: [(round(t, 2), sum(at[role].values())) for t, at in zip(times, gauges, strict=True) if role in at]
        for role, name in names.items()
    }


def judge(raw: dict[str, Any]) -> list[Fact]:
    said = Statements("engine.metrics", raw["subject"])
    if "state" in raw:
        said.state("metrics.state", raw["state"])
        return said.facts
    adapter = adapters()[raw["engine"]]
    said.state("metrics.state", _state(raw))
    said.state("metrics.engine", raw["engine"])
    said.state("metrics.window_s", raw["window_s"])
    said.state("metrics.counter_reset", raw["reset"])
    said.state("metrics.engine_asleep", raw["asleep"])
    said.state("metrics.lora_running", raw["lora"])
    if _is_renamed(raw):
        for name in raw["series"][:UNKNOWN_SHOWN]:
            said.state("metrics.unknown_series", name)
    _judge_gauges(said, raw["gauges"])
    # A window without any work says nothing about errors, preemptions or the prefix cache.
    if not raw["reset"] and _state(raw) == "ok":
        _judge_counters(said, raw, adapter)
        _judge_means(said, raw, adapter)
    _judge_info(said, raw["info"])
    return said.facts


def _is_renamed(raw: dict[str, Any]) -> bool:
    return not any(role in ESSENTIAL for role in scrape.names_in_use(adapters()[raw["engine"]], raw["series"]))


def _state(raw: dict[str, Any]) -> str:
    if _is_renamed(raw):
        return "renamed"
    busy = any(sum(at.get(role, {}).values()) for at in raw["gauges"] for role in ("running", "waiting", "throughput"))
    return "ok" if busy or any(raw["differences"].values()) or raw["reset"] else "idle"


def _gauge_mean(gauges: list[dict[str, dict[str, float]]], role: str, pick: Any = sum) -> float | None:
    return mean([pick(at[role].values()) for at in gauges if at.get(role)])


def _judge_gauges(said: Statements, gauges: list[dict[str, dict[str, float]]]) -> None:
    said.state("metrics.requests_running", rounded(_gauge_mean(gauges, "running")))
    said.state("metrics.requests_waiting", rounded(_gauge_mean(gauges, "waiting")))
    said.state("metrics.waiting_for_capacity", rounded(_gauge_mean(gauges, "waiting_capacity")))
    # The fullest replica counts: it preempts and delays, however empty the others are.
    said.state("metrics.kv_usage", rounded(_gauge_mean(gauges, "kv_usage", max), 4))
    by_replica: dict[str, list[float]] = {}
    for at in gauges:
        for replica, value in at.get("running", {}).items():
            by_replica.setdefault(replica, []).append(value)
    means = [sum(values) / len(values) for values in by_replica.values()]
    if len(means) > 1 and max(means) > 0:
        # Fewer than one request counts as one, so that an empty replica gives a finite ratio.
        said.state("metrics.engine_imbalance", round(max(means) / max(1.0, min(means)), 2))


def _judge_counters(said: Statements, raw: dict[str, Any], adapter: Adapter) -> None:
    names = scrape.names_in_use(adapter, raw["series"])
    moved = {role: raw["differences"].get(names[role]) for role in COUNTERS if role in names}
    window = raw["window_s"] or 1.0
    rate = {role: value / window for role, value in moved.items() if value is not None}
    said.state("metrics.prompt_tokens_per_s", rounded(rate.get("prompt_tokens"), 2))
    said.state(
        "metrics.output_tokens_per_s", rounded(rate.get("output_tokens", _gauge_mean(raw["gauges"], "throughput")), 2)
    )
    finished, preempted = moved.get("finished"), moved.get("preemptions")
    said.state("metrics.requests_finished", finished)
    said.state("metrics.preemptions", preempted)
    if finished:
        said.state("metrics.error_ratio", rounded(_errors(raw, names["finished"], finished), 4))
        said.state("metrics.preemptions_per_request", rounded(None if preempted is None else preempted / finished))
    queries, hits = moved.get("prefix_queries"), moved.get("prefix_hits")
    said.state("metrics.prefix_queries", queries)
    hit_rate = hits / queries if queries and hits is not None else _gauge_mean(raw["gauges"], "hit_rate")
    said.state("metrics.prefix_hit_rate", rounded(hit_rate, 4))
    if moved.get("drafted") and moved.get("accepted") is not None:
        said.state("metrics.spec_acceptance", rounded(moved["accepted"] / moved["drafted"], 4))


def _errors(raw: dict[str, Any], name: str, finished: float) -> float | None:
    """Share of finished requests that ended in an error; None if the engine does not tell how they ended."""
    reasons = [key for key in raw["differences"] if key.startswith(f"{name}{{")]
    return raw["differences"].get(f"{name}{{error}}", 0.0) / finished if reasons else None


MEANS = {
    "ttft": ("metrics.ttft_mean_s", 1), "tpot": ("metrics.tpot_mean_ms", 1000), "queue": ("metrics.queue_mean_s", 1),
    "prefill": ("metrics.prefill_mean_s", 1), "prompt_length": ("metrics.prompt_tokens_mean", 1),
    "output_length": ("metrics.output_tokens_mean", 1), "iteration_tokens": ("metrics.tokens_per_iteration", 1),
}  # fmt: skip


def _judge_means(said: Statements, raw: dict[str, Any], adapter: Adapter) -> None:
    names = scrape.names_in_use(adapter, raw["series"])
    for role, (fact, factor) in MEANS.items():
        name = names.get(role, "")
        count = raw["differences"].get(f"{name}_count")
        if count:
            said.state(
                fact, round(factor * raw["differences"][f"{name}_sum"] / count, 5), quote=f"{name} over {count:g}"
            )


def _judge_info(said: Statements, info: dict[str, str]) -> None:
    if info.get("enable_prefix_caching") in ("True", "False"):
        said.state("engine.prefix_caching", info["enable_prefix_caching"] == "True")
    said.state("engine.gpu_memory_utilization", _number(info.get("gpu_memory_utilization")))
    blocks, block = _number(info.get("num_gpu_blocks")), _number(info.get("block_size"))
    tokens = _number(info.get("kv_cache_size_tokens")) or (blocks * block if blocks and block else None)
    said.state("engine.kv_cache_tokens", int(tokens) if tokens else None)
    said.state("engine.max_concurrency", rounded(_number(info.get("kv_cache_max_concurrency")), 2))


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


PROBE = Probe(
    name="engine.metrics",
    zh="引擎指标", en="engine metrics",
    zh_about="在一个窗口内读几次引擎的 /metrics；不发推理请求。",
    en_about="Reads the engine's /metrics a few times over a window; sends no inference request.",
    mode="passive", seconds=11, limit_s=180,
    yields=(
        "metrics.state", "metrics.window_s", "metrics.engine", "metrics.unknown_series", "metrics.counter_reset",
        "metrics.requests_running", "metrics.requests_waiting", "metrics.waiting_for_capacity",
        "metrics.requests_finished", "metrics.error_ratio", "metrics.kv_usage", "metrics.preemptions",
        "metrics.preemptions_per_request", "metrics.prompt_tokens_per_s", "metrics.output_tokens_per_s",
        "metrics.ttft_mean_s", "metrics.tpot_mean_ms", "metrics.queue_mean_s", "metrics.prefill_mean_s",
        "metrics.prompt_tokens_mean", "metrics.output_tokens_mean", "metrics.prefix_queries", "metrics.prefix_hit_rate",
        "metrics.engine_imbalance", "metrics.lora_running", "metrics.spec_acceptance", "metrics.tokens_per_iteration",
        "metrics.engine_asleep", "engine.prefix_caching", "engine.gpu_memory_utilization", "engine.kv_cache_tokens",
        "engine.max_concurrency",
    ),
    parameters=Metrics, measure=measure, judge=judge,
)  # fmt: skip
