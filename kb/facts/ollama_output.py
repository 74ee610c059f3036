"""What Ollama says: its log, `ollama ps`, `ollama show` and the timings of `--verbose`. Pure.

    qwen3:32b  030ee887880f  24 GB  38%/62% CPU/GPU  8192  4 minutes from now   -> engine.offloaded_gib = 8.5
    eval rate:            7.99 tokens/s                                        -> decode.tokens_per_s = 7.99
    msg="inference compute" ... library=cpu                                    -> engine.device = cpu

Sizes of `ollama ps` are powers of 1000. What a setting of the log has at its default is left out.
"""

from __future__ import annotations

import re2

from kb.facts.collect import GIB_PER_MIB, Collector, go_seconds, number
from kb.facts.flags import add_flag
from kb.facts.gpu_names import gpu_mentions
from kb.facts.model_names import add_model, quant_of
from probes.facts import Fact

KIND = "ollama_output"
MOST_LINES = 500

_PS_HEAD = re2.compile(r"(?m)^NAME +ID +SIZE +PROCESSOR +(?:CONTEXT +)?UNTIL *\r?$")
_PS = re2.compile(
    r"(?m)^([\w./:-]{2,120}) {2,40}([0-9a-f]{8,16}) {2,20}([\d.]{1,8}) (GB|MB) {2,20}(?:(\d{1,3})%/(\d{1,3})% CPU/GPU|100% (CPU|GPU))(?: {2,20}(\d{3,8}))?(?: {2,}\S[^\n]{0,60})?\r?$"
)
_TIMING = re2.compile(
    r"(?m)^[ \t>]{0,8}(total duration|load duration|prompt eval count|prompt eval duration|prompt eval rate|eval count|eval duration|eval rate): {1,20}"
    r"([\d.]{1,20}(?:(?:h|m|s|ms|µs|us)[\d.a-zµ]{0,30})?)(?: token\(s\)| tokens/s)?\r?$"
)
_TIMES = {"prompt eval rate": "prefill.tokens_per_s", "eval rate": "decode.tokens_per_s", "prompt eval count": "load.prompt_tokens", "eval count": "load.output_tokens"}  # fmt: skip
_SHOW = re2.compile(
    r"(?m)^ {2,8}(architecture|parameters|context length|quantization|num_ctx|num_gpu) {2,30}(\S{1,40}) *\r?$"
)
_SETTINGS = re2.compile(r"msg=\"server config\" env=\"map\[([^\n]*)")
_SETTING = re2.compile(r"(?:^|[ \[])([A-Z][A-Z_]{3,40}):([^\s\]\"]{0,80})")
# Values that the log prints where nobody set anything (envconfig of Ollama).
_DEFAULTS = {
    "OLLAMA_KEEP_ALIVE": "5m0s", "OLLAMA_CONTEXT_LENGTH": "4096", "OLLAMA_MAX_QUEUE": "512", "OLLAMA_LOAD_TIMEOUT": "5m0s",
    "OLLAMA_DEBUG": "INFO", "OLLAMA_HOST": "http://127.0.0.1:11434",
}  # fmt: skip
_TELLING = {
    "OLLAMA_NUM_PARALLEL", "OLLAMA_KEEP_ALIVE", "OLLAMA_CONTEXT_LENGTH", "OLLAMA_MAX_LOADED_MODELS", "OLLAMA_FLASH_ATTENTION",
    "OLLAMA_KV_CACHE_TYPE", "OLLAMA_GPU_OVERHEAD", "OLLAMA_SCHED_SPREAD", "OLLAMA_LLM_LIBRARY", "OLLAMA_MAX_QUEUE", "OLLAMA_HOST",
    "OLLAMA_MULTIUSER_CACHE", "CUDA_VISIBLE_DEVICES", "HSA_OVERRIDE_GFX_VERSION", "HIP_VISIBLE_DEVICES",
}  # fmt: skip
_COMPUTE = re2.compile(r"msg=\"inference compute\" [^\n]{0,20}?id=(\S{1,60})([^\n]{0,600})")
_LAYERS = re2.compile(r"layers\.requested=-?\d{1,5} layers\.model=(\d{1,5}) layers\.offload=(\d{1,5})")
_RUNNER = re2.compile(r"msg=\"starting (?:llama server|runner)\" cmd=\"([^\"\n]{1,1000})\"")
_RUNNER_FLAG = re2.compile(r"--(ctx-size|n-gpu-layers|threads|parallel|kv-cache-type) (\S{1,20})")
_TRUNCATED = re2.compile(r"msg=\"truncating input prompt\" limit=(\d{1,8}) prompt=(\d{1,8})")
_LISTENING = re2.compile(r"msg=\"Listening on \S{1,60} \(version ([\w.+-]{3,40})\)\"")
_LOGGED = (_SETTINGS, _COMPUTE, _LAYERS, _RUNNER, _TRUNCATED, _LISTENING)


def recognise(text: str) -> float:
    return 0.9 if any(pattern.search(text) for pattern in (_PS, _TIMING, *_LOGGED)) or _is_shown(text) else 0.0


def _is_shown(text: str) -> bool:
    return len({match.group(1) for _, match in zip(range(MOST_LINES), _SHOW.finditer(text), strict=False)}) > 2


def claimed(text: str) -> list[tuple[int, int]]:
    patterns = [_PS_HEAD, _PS, _TIMING, *_LOGGED] + ([_SHOW] if _is_shown(text) else [])
    return [
        match.span()
        for pattern in patterns
        for _, match in zip(range(MOST_LINES), pattern.finditer(text), strict=False)
    ]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    for _, match in zip(range(16), _PS.finditer(text), strict=False):
        _add_loaded(collector, match)
    _add_timings(collector)
    if _is_shown(text):
        _add_shown(collector)
    _add_log(collector)
    if collector.facts:
        first = collector.facts[0].provenance
        collector.add("engine.name", "ollama", (first.start, first.end))
    return collector.facts


def _add_loaded(collector: Collector, match: object) -> None:
    """A line of `ollama ps`: the model, where it lies, and its context."""
    add_model(collector, match.group(1), match.span(1))
    size = (number(match.group(3)) or 0.0) * (1e9 if match.group(4) == "GB" else 1e6) / 2**30
    on_cpu = 100 if match.group(7) == "CPU" else int(match.group(5) or 0)
    place = match.span(7) if match.group(7) else (match.start(5), match.end(6) + 1)
    collector.add("engine.device", "cpu" if on_cpu == 100 else "gpu", place)
    if on_cpu:
        collector.add("engine.offloaded_gib", round(size * on_cpu / 100, 2), place)
    if match.group(8):
        collector.add("engine.max_model_len", number(match.group(8)), match.span(8))


def _add_timings(collector: Collector) -> None:
    """The last block counts: the first one after a load is often slower."""
    latest = {
        match.group(1): match for _, match in zip(range(MOST_LINES), _TIMING.finditer(collector.text), strict=False)
    }
    for label, match in latest.items():
        if label in _TIMES:
            collector.add(_TIMES[label], number(match.group(2)), match.span())
        elif label == "total duration":
            collector.add("latency.e2e_s", go_seconds(match.group(2)), match.span())


def _add_shown(collector: Collector) -> None:
    for _, match in zip(range(MOST_LINES), _SHOW.finditer(collector.text), strict=False):
        label, value, span = match.group(1), match.group(2), match.span()
        if label == "parameters" and value[-1:] in ("B", "M"):
            amount = number(value[:-1])
            collector.add("model.params_b", amount if value[-1] == "B" or amount is None else amount / 1000, span)
        elif label == "context length":
            collector.add("model.max_position", number(value), span)
        elif label == "quantization":
            collector.add(
                "model.quant", {"F16": "fp16", "BF16": "bf16", "F32": "fp32"}.get(value) or quant_of(value), span
            )
        elif label in ("num_ctx", "num_gpu"):
            add_flag(collector, label, value, span)


def _add_log(collector: Collector) -> None:
    text = collector.text
    for _, match in zip(range(4), _SETTINGS.finditer(text), strict=False):
        _add_settings(collector, match)
    for index, match in zip(range(32), _COMPUTE.finditer(text), strict=False):
        _add_compute(collector, match, index)
    for match in list(_RUNNER.finditer(text))[-1:]:
        for flag in _RUNNER_FLAG.finditer(match.group(1)):
            span = (match.start(1) + flag.start(), match.start(1) + flag.end())
            name = "cache-type-k" if flag.group(1) == "kv-cache-type" else flag.group(1)
            add_flag(collector, name, flag.group(2), span, "llama.cpp")
    for match in list(_LAYERS.finditer(text))[-1:]:
        collector.add("engine.gpu_layers", int(match.group(2)), match.span())
        if match.group(2) == "0":
            collector.add("engine.device", "cpu", match.span())
    for match in list(_TRUNCATED.finditer(text))[-1:]:
        collector.add("engine.max_model_len", int(match.group(1)), match.span(1))
        collector.add("load.prompt_tokens", int(match.group(2)), match.span(2))
    if match := _LISTENING.search(text):
        collector.add("engine.version", match.group(1), match.span(1))


def _add_settings(collector: Collector, match: object) -> None:
    for setting in _SETTING.finditer(match.group(1)):
        name, value = setting.group(1), setting.group(2)
        if name in _TELLING and value not in ("", "0", "false", _DEFAULTS.get(name)):
            span = (match.start(1) + setting.start(1), match.start(1) + setting.end(2))
            collector.add("engine.env", f"{name}={value}", span)


def _add_compute(collector: Collector, match: object, index: int) -> None:
    """A device that Ollama found; a processor alone means that it found no card."""
    rest, span = match.group(2), match.span()
    library = re2.search(r"library=(\w{2,12})", rest)
    if library and library.group(1).lower() == "cpu":
        collector.add("engine.device", "cpu", span)
        collector.add("gpu.visible", False, span)
        return
    named = re2.search(r"(?:description|name)=\"([^\"]{3,60})\"", rest)
    total = re2.search(r" total=\"([\d.]{1,12}) (GiB|MiB)\"", rest)
    capability = re2.search(r"compute=(\d{1,2}\.\d)\b", rest)
    subject = f"gpu:{index}"
    collector.add("gpu.visible", True, span)
    for mention in gpu_mentions(named.group(1))[:1] if named else []:
        collector.add("gpu.name", mention.name, span, subject=subject)
    if total:
        collector.add("gpu.memory_total_gib", (number(total.group(1)) or 0.0) * (GIB_PER_MIB if total.group(2) == "MiB" else 1), span, subject=subject)  # fmt: skip
    if capability and library and library.group(1).lower() == "cuda":
        collector.add("gpu.compute_capability", float(capability.group(1)), span, subject=subject)
