"""One pasted scrape of /metrics. Pure.

A single scrape gives gauges and configuration labels only: counters are totals since the server started, and a rate needs
two scrapes. A series that no engine of ours explains is said to be unknown.

    vllm:num_requests_running{engine="0",model_name="m"} 3.0   -> metrics.requests_running 3
    vllm:cache_config_info{...,enable_prefix_caching="True"} 1 -> engine.prefix_caching true
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from kb.facts.flags import add_flag
from probes.facts import Fact

KIND = "prometheus_text"
MOST_SAMPLES = 20_000
MOST_UNKNOWN = 20

_SAMPLE = re2.compile(
    r"(?m)^([a-zA-Z_:][\w:]{2,100})(?:\{([^\n]*)\})?[ \t]+([-+]?[0-9.eE+-]{1,30}|NaN|\+Inf)(?:[ \t]+\d{1,16})?[ \t\r]*$"
)
_COMMENT = re2.compile(r"(?m)^# (?:HELP|TYPE) [a-zA-Z_:][\w:]{2,100}[^\n]*$")
_SERIES = re2.compile(
    r"(?m)^(?:vllm:|sglang[:_]|tgi_|llamacpp:|lmdeploy:|aphrodite:|trtllm_|nv_(?:inference|trt_llm|gpu)_)\w{2,100}[{ \t]"
)
_LABEL = re2.compile(r"(\w{1,60})=\"([^\"\n]{0,300})\"")
_PREFIXES = {
    "vllm:": "vllm", "sglang:": "sglang", "sglang_": "sglang", "tgi_": "tgi", "llamacpp:": "llama.cpp", "lmdeploy:": "lmdeploy", "aphrodite:": "aphrodite",
    "trtllm_": "tensorrt-llm", "nv_": "triton",
}  # fmt: skip
# gauge -> (fact, factor); old and new names of one thing side by side
GAUGES: dict[str, tuple[str, float]] = {
    "vllm:num_requests_running": ("metrics.requests_running", 1), "vllm:num_requests_waiting": ("metrics.requests_waiting", 1),
    "vllm:kv_cache_usage_perc": ("metrics.kv_usage", 1), "vllm:gpu_cache_usage_perc": ("metrics.kv_usage", 1),
    "sglang:num_running_reqs": ("metrics.requests_running", 1), "sglang:num_queue_reqs": ("metrics.requests_waiting", 1),
    "sglang:token_usage": ("metrics.kv_usage", 1), "sglang:cache_hit_rate": ("metrics.prefix_hit_rate", 1),
    "sglang:gen_throughput": ("metrics.output_tokens_per_s", 1), "tgi_batch_current_size": ("metrics.requests_running", 1),
    "tgi_queue_size": ("metrics.requests_waiting", 1), "llamacpp:requests_processing": ("metrics.requests_running", 1),
    "llamacpp:requests_deferred": ("metrics.requests_waiting", 1), "llamacpp:kv_cache_usage_ratio": ("metrics.kv_usage", 1),
    "llamacpp:predicted_tokens_seconds": ("decode.tokens_per_s", 1), "llamacpp:prompt_tokens_seconds": ("prefill.tokens_per_s", 1),
    "vllm:gpu_prefix_cache_hit_rate": ("metrics.prefix_hit_rate", 1), "vllm:avg_generation_throughput_toks_per_s": ("metrics.output_tokens_per_s", 1),
    "vllm:avg_prompt_throughput_toks_per_s": ("metrics.prompt_tokens_per_s", 1),
    "lmdeploy:num_requests_running": ("metrics.requests_running", 1), "lmdeploy:num_requests_waiting": ("metrics.requests_waiting", 1),
    "lmdeploy:gpu_cache_usage_perc": ("metrics.kv_usage", 1), "trtllm_num_requests_running": ("metrics.requests_running", 1),
    "trtllm_num_requests_waiting": ("metrics.requests_waiting", 1), "trtllm_kv_cache_utilization": ("metrics.kv_usage", 1),
}  # fmt: skip
# TensorRT-LLM behind Triton puts what it counts into a label.
LABELLED: dict[tuple[str, str], str] = {
    ("nv_trt_llm_request_metrics", 'request_type="scheduled"'): "metrics.requests_running",
    ("nv_trt_llm_request_metrics", 'request_type="waiting"'): "metrics.requests_waiting",
    ("nv_trt_llm_kv_cache_block_metrics", 'kv_cache_block_type="fraction"'): "metrics.kv_usage",
}  # fmt: skip
# Stems of series that are explained by two scrapes, or are of no interest.
_KNOWN = re2.compile(
    r"^(?:vllm:(?:e2e_request|time_to_first|time_per_output|inter_token|request_|iteration_tokens|prompt_tokens|generation_tokens|num_|gpu_|cpu_|kv_|"
    r"prefix_cache|external_prefix|mm_cache|engine_sleep|lora_requests|cache_config|spec_decode|estimated_|avg_|corrupted|healthy)|"
    r"sglang[:_]|tgi_|llamacpp:|lmdeploy:|aphrodite:|trtllm_|nv_|python_|process_|http_)"
)
_CONFIG_LABELS = {"num_gpu_blocks_override", "gpu_memory_utilization", "enable_prefix_caching", "cache_dtype"}
_RENAMED_LABELS = {"cache_dtype": "kv_cache_dtype"}


def recognise(text: str) -> float:
    return 0.95 if _COMMENT.search(text) or _SERIES.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    spans = [
        match.span()
        for pattern in (_SAMPLE, _COMMENT)
        for _, match in zip(range(MOST_SAMPLES), pattern.finditer(text), strict=False)
    ]
    return sorted(spans)


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "metrics")
    sums: dict[str, list[tuple[float, tuple[int, int]]]] = {}
    unknown: dict[str, tuple[int, int]] = {}
    for _, match in zip(range(MOST_SAMPLES), _SAMPLE.finditer(text), strict=False):
        name = match.group(1)
        gauge = GAUGES.get(name) or _labelled(name, match.group(2) or "")
        if gauge and (value := number(match.group(3))) is not None:
            fact, factor = gauge
            sums.setdefault(fact, []).append((value * factor, match.span()))
        elif name == "vllm:cache_config_info":
            _read_config(collector, match)
        elif name == "vllm:engine_sleep_state" and 'sleep_state="awake"' in (match.group(2) or ""):
            collector.add("metrics.engine_asleep", number(match.group(3)) == 0, match.span())
        elif not _KNOWN.search(name):
            unknown.setdefault(_family(name), match.span(1))
        _add_engine(collector, match)
    _add_gauges(collector, sums)
    for family, span in list(unknown.items())[:MOST_UNKNOWN]:
        collector.add("metrics.unknown_series", family, span)
    return collector.facts


def _labelled(name: str, labels: str) -> tuple[str, float] | None:
    found = (fact for (series, label), fact in LABELLED.items() if series == name and label in labels)
    fact = next(found, None)
    return (fact, 1) if fact else None


def _family(name: str) -> str:
    for ending in ("_bucket", "_count", "_sum", "_created", "_total"):
        name = name.removesuffix(ending)
    return name


def _add_engine(collector: Collector, match: object) -> None:
    if collector.has("metrics.engine"):
        return
    for prefix, engine in _PREFIXES.items():
        if match.group(1).startswith(prefix):
            collector.add("metrics.engine", engine, match.span(1))
            collector.add("engine.name", engine, match.span(1))
            for label, value in _LABEL.findall(match.group(2) or ""):
                if label == "model_name" and value:
                    collector.add("engine.served_model", value, match.span(2))


def _add_gauges(collector: Collector, sums: dict[str, list[tuple[float, tuple[int, int]]]]) -> None:
    """Requests add up over replicas; of a share, the fullest replica counts."""
    for fact, readings in sums.items():
        values = [value for value, _ in readings]
        combined = max(values) if fact in ("metrics.kv_usage", "metrics.prefix_hit_rate") else sum(values)
        collector.add(fact, combined, readings[-1][1])


def _read_config(collector: Collector, match: object) -> None:
    start = match.start(2)
    for label in _LABEL.finditer(match.group(2) or ""):
        name, value, span = label.group(1), label.group(2), (start + label.start(), start + label.end())
        if name == "kv_cache_size_tokens":
            collector.add("engine.kv_cache_tokens", number(value), span)
        elif name == "kv_cache_max_concurrency":
            collector.add("engine.max_concurrency", number(value), span)
        elif name in _CONFIG_LABELS and value != "None":
            add_flag(collector, _RENAMED_LABELS.get(name, name), value, span)
