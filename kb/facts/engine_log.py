"""Server logs: vLLM's start-up and throughput lines, and what other engines print of the same. Pure, line by line.

    INFO ... Initializing a V1 LLM engine (v0.24.0) with config: model='/m/q7b', ... enforce_eager=False, ...
    INFO ... GPU KV cache size: 2,085,488 tokens
    INFO ... Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 57.4 tokens/s, Running: 1 reqs, ...

    engine.version = 0.24.0, engine.kv_cache_tokens = 2085488, metrics.requests_running = 1, ...

Lines verified on logs of vLLM 0.20.2, 0.24.0 (GPU) and 0.32.0 (CPU).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import re2

from kb.facts.clean import Cleaned
from kb.facts.collect import Collector, number
from kb.facts.flags import add_flag, as_written
from kb.facts.gpu_names import gpu_mentions
from kb.facts.model_names import add_model
from probes.facts import Fact

KIND = "engine_log"

# A log repeats itself; beyond this many lines of one kind nothing new comes.
MOST_LINES = 2_000
LONGEST_LINE = 20_000
# What a throughput line says counts for the last minutes of the log.
LAST_THROUGHPUT_LINES = 30

_LINE = re2.compile(
    r"(?m)^(?:\([\w ]{1,40}pid=\d+\) ?|\[[^\]\n]{1,40}\] ?)?(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|WARN)\b.*$"
    r"|^\S{0,60} ?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d.*$|^\((?:APIServer|EngineCore|Worker|Engine)\w* ?[^)\n]{0,40}\).*$"
    r"|^Traceback \(most recent.*$|^ +File \".*$|^(?:llama_|load_tensors|llm_load|ggml_|srv |slot |main: |print_info|system_info).*$|^time=\S+ level=.*$|^ *(?:prompt eval|eval|total) time +=.*$"
)
_ARGUMENTS = re2.compile(
    r"(?:non-default args: |Initializing a V?1? ?(?:V1 )?LLM engine \(v[^)]{1,40}\) with config: |args: Namespace\(|server_args=ServerArgs\()(.*)"
)
_VERSION = re2.compile(
    r"LLM engine \(v([\w.+-]{1,40})\)|vLLM API server version ([\w.+-]{1,40})|█  version ([\w.]{3,30})|\bversion:? (b\d{4,5}|\d{4,5}) \(|text-generation-inference.{0,40}version[:= ]{1,3}([\d.]{3,12})|ollama version is ([\d.]{3,12})"
)
_CONFIG_ITEM = re2.compile(r"'?\b([a-z_]{2,40})'?\s?[:=]\s?('[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|[\w./:+-]{1,120})")
_CONFIG_NAMES = {"max_seq_len": "max_model_len"}
# In a config line these are stated for every server and say nothing where they are at their default.
_SKIPPED = {"device", "device_config", "tokenizer", "threads", "served_model_name"}

Convert = Callable[[str], Any]
Reading = tuple[Any, tuple[int, int]]
"""A value with the characters that state it."""


def _true(_text: str) -> bool:
    return True


def _false(_text: str) -> bool:
    return False


def _fraction(text: str) -> float | None:
    value = number(text)
    return None if value is None else value / 100


def _default_blocks(text: str) -> float | None:
    """Tokens in blocks of 16, the default of the versions of vLLM (V0) that print blocks and no tokens."""
    value = number(text)
    return None if value is None else value * 16


# (pattern whose first group is the value, fact, conversion)
LINES: tuple[tuple[str, str, Convert], ...] = (
    (r"[Mm]odel loading took ([\d.]+) (?:GB|GiB)", "engine.weights_gib", number),
    (r"[Ll]oading model weights took ([\d.]+) ?(?:GB|GiB)", "engine.weights_gib", number),
    (r"mem usage=([\d.]+) GB", "engine.weights_gib", number),
    (r"[Mm]odel loading took [\d.]+ (?:GB|GiB)(?: memory)? and ([\d.]+) seconds", "engine.load_weights_s", number),
    (r"Loading weights took ([\d.]+) seconds", "engine.load_weights_s", number),
    (r"Total CPU offloaded parameters: ([\d.]+)", "engine.offloaded_gib", number),
    (r"(GPU|CPU) KV cache size: [\d,]+ tokens", "engine.device", lambda text: text.lower()),
    (r"KV cache size: ([\d,]+) tokens", "engine.kv_cache_tokens", number),
    (r"max_total_num_tokens=(\d+)", "engine.kv_cache_tokens", number),
    (r"KV Cache is allocated\..{0,60}#tokens: ([\d,]+)", "engine.kv_cache_tokens", number),
    (r"# (?:GPU|cuda) blocks: (\d+)", "engine.kv_cache_tokens", _default_blocks),
    (r"max_running_requests=(\d+)", "engine.max_num_seqs", number),
    (r"max_running_requests=.{0,40}context_len=(\d+)", "engine.max_model_len", number),
    (r"Decode batch.{0,200}cuda graph: (True|False)", "engine.graphs_captured", lambda text: text == "True"),
    (r"total_num_cumulative_preemption=(\d+)", "metrics.preemptions", number),
    (r"Avg Draft acceptance rate: ([\d.]+)%", "metrics.spec_acceptance", _fraction),
    (r"Speculative metrics: Draft acceptance rate: ([\d.]+)", "metrics.spec_acceptance", number),
    (r"((?:SpecDecoding|Speculative) metrics:)", "engine.speculative", _true),
    (r"Maximum concurrency for [\d,]+ tokens per request: ([\d.]+)x", "engine.max_concurrency", number),
    (r"(Graph capturing finished)", "engine.graphs_captured", _true),
    (r"(Capture cuda graph end)", "engine.graphs_captured", _true),
    (r"(Cudagraph is disabled under eager mode)", "engine.graphs_captured", _false),
    (r"(Enforce eager set, disabling torch\.compile)", "engine.enforce_eager", _true),
    (r"(?:max_cudagraph_capture_size)['\"]?: ?(\d+)", "engine.capture_max", number),
    (r"torch\.compile took ([\d.]+) s", "engine.compile_s", number),
    (r"torch\.compile takes ([\d.]+) s in total", "engine.compile_s", number),
    (r"Using (\w+) attention backend", "engine.attention_backend", str),
    (r"Using (Flash ?Attention|FlashInfer|XFormers|FlashMLA|Torch SDPA)\s?(?:backend|$|\.|V)", "engine.attention_backend", str),
    (r"Cannot use FlashAttention.{0,80}Using (\w+) backend", "engine.attention_backend", str),
    (r"attention_backend=['\"]?(\w+)", "engine.attention_backend", str),
    (r"Using (\w{3,40}Kernel) for \w+", "engine.kernel", str),
    (r"Selected (\w{3,60}Kernel) for \w+", "engine.kernel", str),
    (r"forcing (gptq|awq)\b", "engine.kernel", str),
    (r"Using (gptq_marlin|awq_marlin) kernel", "engine.kernel", str),
    (r"Chunked prefill is enabled with max_num_batched_tokens=(\d+)", "engine.max_num_batched_tokens", number),
    (r"(Chunked prefill is enabled)", "engine.chunked_prefill", _true),
    (r"(Asynchronous scheduling is enabled)", "engine.async_scheduling", _true),
    (r"(Asynchronous scheduling is disabled)", "engine.async_scheduling", _false),
    (r"Using max model len (\d+)", "engine.max_model_len", number),
    (r"num_gpu_blocks_override=(\d+)", "engine.kv_blocks_override", number),
    (r"(Using PunicaWrapper\w*|Loaded new LoRA adapter)", "engine.lora_enabled", _true),
    (r"(Loaded new LoRA adapter)", "model.lora", _true),
    (r"Upcasting torch\.\w+ to torch\.(float32)", "engine.dtype", str),
    (r"Casting torch\.\w+ to torch\.(float16|bfloat16)", "engine.dtype", str),
    (r"(disabl\w+ (?:the )?custom all-?reduce|[Cc]ustom allreduce is disabled)", "engine.custom_all_reduce", _false),
    (r"offloaded (\d+)/\d+ layers to GPU", "engine.gpu_layers", number),
    (r"offloaded (0)/\d+ layers to GPU", "observed.gpu_idle", _true),
    (r"n_ctx +=+ (\d+)", "engine.max_model_len", number),
    (r"n_threads = (\d+)", "engine.threads", number),
    (r"system_info: n_threads = \d+ .{0,40}?/ (\d+) \|", "host.cpu_cores_total", number),
    (r"\bAVX2 = ([01])", "host.cpu_flags_avx", lambda text: text == "1"),
    (r"(no usable GPU found)", "engine.device", lambda _text: "cpu"),
    (r"found ([1-9]\d{0,2}) (?:CUDA|ROCm) devices", "gpu.count", number),
    (r"\b(?:n_slots|n_seq_max) +?= (\d+)", "engine.max_num_seqs", number),
    (r"(CPU does not have AVX)", "host.cpu_flags_avx", _false),
    (r"(no NVIDIA devices detected|no compatible GPUs were discovered|No CUDA GPUs are available|NVIDIA-SMI has failed)", "gpu.visible", _false),
    (r"(?:^|  |[:|]) ?eval time =.{0,80}?([\d.]+) tokens per second", "decode.tokens_per_s", number),
    (r"prompt eval time =.{0,80}?([\d.]+) tokens per second", "prefill.tokens_per_s", number),
    (r"Avg generation throughput: ([\d.]+) tokens/s", "metrics.output_tokens_per_s", number),
    (r"gen throughput \(token/s\): ([\d.]+)", "metrics.output_tokens_per_s", number),
    (r"Avg prompt throughput: ([\d.]+) tokens/s", "metrics.prompt_tokens_per_s", number),
    (r"Running: (\d+) reqs", "metrics.requests_running", number),
    (r"#running-req: (\d+)", "metrics.requests_running", number),
    (r"(?:Waiting|Pending): (\d+) reqs", "metrics.requests_waiting", number),
    (r"#queue-req: (\d+)", "metrics.requests_waiting", number),
    (r"GPU KV cache usage: ([\d.]+)%", "metrics.kv_usage", _fraction),
    (r"token usage: ([\d.]+)", "metrics.kv_usage", number),
    (r"Prefix cache hit rate: (?:GPU: )?([\d.]+)%", "metrics.prefix_hit_rate", _fraction),
    (r"(CUDA out of memory|OutOfMemoryError|No available memory for the cache blocks|out of memory: Killed process|std::bad_alloc)", "symptom.kind", lambda _text: "oom"),
    (r"(NCCL (?:error|WARN|timeout)|ncclSystemError|ncclUnhandledCudaError|Watchdog caught collective operation timeout)", "symptom.kind", lambda _text: "multi-gpu"),
    (r"(Model architectures? \[.{0,120}are not supported|Engine core initialization failed|Failed to load model|ModuleNotFoundError|ImportError)", "symptom.kind", lambda _text: "load"),
    (r"\bXid[^:\n]{0,40}[: ]{1,4}(\d{1,3})\b", "gpu.xid", number),
)  # fmt: skip
_PATTERNS = [(re2.compile(pattern), fact, convert) for pattern, fact, convert in LINES]
_LITERALS = re2.compile("(?:" + "|".join(f"(?:{pattern})" for pattern, _, _ in LINES) + r")[^\n]*")
_THROUGHPUT = ("metrics.output_tokens_per_s", "metrics.prompt_tokens_per_s", "metrics.requests_running", "metrics.requests_waiting", "metrics.kv_usage")  # fmt: skip
_CARD_LINE = re2.compile(
    r"(?m)Your ([^.\n]{2,60}) GPU has compute capability (\d\.\d)|Device \d+: (NVIDIA [^,\n]{2,60}), compute capability (\d\.\d)"
)
_VLLM = re2.compile(r"LLM engine \(v|vLLM API server|\bvllm\b|Avg generation throughput")
_ENGINES = (
    ("vllm", _VLLM), ("sglang", re2.compile(r"sglang|ServerArgs\(|#running-req")), ("ollama", re2.compile(r"source=\w+\.go|ollama")),
    ("llama.cpp", re2.compile(r"llama_model_loader|llm_load|llama_context|load_tensors|print_info:|ggml_cuda_init")),
    ("tgi", re2.compile(r"text_generation_(?:launcher|router)")), ("lmdeploy", re2.compile(r"lmdeploy|TM\]\[")),
)  # fmt: skip


def recognise(text: str) -> float:
    return (
        0.9
        if _LITERALS.search(text) or _ARGUMENTS.search(text) or _CARD_LINE.search(text)
        else 0.4
        if _LINE.search(text)
        else 0.0
    )


def claimed(text: str) -> list[tuple[int, int]]:
    """The lines that are a log: prefixed ones, and those that hold one of our phrases."""
    spans = []
    for pattern in (_LINE, _LITERALS):
        for count, match in enumerate(pattern.finditer(text)):
            if count > MOST_LINES:
                spans.append((match.start(), len(text)))
                break
            start = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.end())
            if pattern is _LINE or _looks_logged(text, start):
                spans.append((start, len(text) if end < 0 else end))
    return spans


def _looks_logged(text: str, start: int) -> bool:
    """A phrase of a log in a sentence ("the log says Running: 1 reqs") does not make the sentence a log."""
    return bool(_LINE.search(text[start : start + 200].split("\n", 1)[0]))


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    _add_engine(collector)
    for match in list(_ARGUMENTS.finditer(text))[:20]:
        _read_arguments(collector, match)
    rates = _read_lines(collector)
    _add_rates(collector, rates)
    for match in list(_CARD_LINE.finditer(text))[:16]:
        _add_card(collector, match)
    return collector.facts


def _add_engine(collector: Collector) -> None:
    for engine, pattern in _ENGINES:
        if (match := pattern.search(collector.text)) and _line_is_logged(collector.text, match.start()):
            collector.add("engine.name", engine, match.span())
            break
    if match := _VERSION.search(collector.text):
        index = next(index for index in range(1, 7) if match.group(index))
        collector.add("engine.version", match.group(index), match.span(index))


def _line_is_logged(text: str, position: int) -> bool:
    start = text.rfind("\n", 0, position) + 1
    return bool(_LINE.search(text[start : start + 300].split("\n", 1)[0])) or bool(
        _ARGUMENTS.search(text[start : position + 200])
    )


def _telling_lines(text: str) -> Cleaned:
    """The lines that hold one of our phrases, as a short text with its map of positions."""
    lines: list[tuple[int, int]] = []
    for match in _LITERALS.finditer(text):
        if lines and match.start() < lines[-1][1]:
            continue
        end = text.find("\n", match.end())
        lines.append(
            (
                max(text.rfind("\n", 0, match.start()) + 1, match.start() - LONGEST_LINE),
                min(len(text) if end < 0 else end, match.end() + LONGEST_LINE),
            )
        )
    if len(lines) > MOST_LINES:
        lines = lines[: MOST_LINES // 2] + lines[-MOST_LINES // 2 :]
    marks, shifts, length = [], [], 0
    for start, end in lines:
        marks.append(length)
        shifts.append(start - length)
        length += end - start + 1
    return Cleaned("\n".join(text[start:end] for start, end in lines), tuple(marks), tuple(shifts))


def _read_lines(collector: Collector) -> dict[str, list[Reading]]:
    """States every phrase once (the last of its kind), and returns the throughput figures."""
    latest: dict[tuple[str, Any], Reading] = {}
    rates: dict[str, list[Reading]] = {name: [] for name in _THROUGHPUT}
    lines = _telling_lines(collector.text)
    for pattern, fact, convert in _PATTERNS:
        for match in pattern.finditer(lines.text):
            value = convert(match.group(1))
            if value is None:
                continue
            span = lines.original_span(*match.span())
            if fact in rates:
                rates[fact].append((value, span))
            else:
                latest[(fact, value if fact in ("symptom.kind", "gpu.xid") else "")] = (value, span)
    for (fact, _), (value, span) in latest.items():
        collector.add(fact, value, span)
    return rates


def _add_rates(collector: Collector, rates: dict[str, list[Reading]]) -> None:
    """Means over the last busy throughput lines; idle ones say nothing about speed."""
    running = rates["metrics.requests_running"]
    for name in _THROUGHPUT:
        readings = rates[name][-LAST_THROUGHPUT_LINES:]
        busy = [(value, span) for value, span in readings if value > 0] or readings[-1:]
        if not busy:
            continue
        values = [value for value, _ in busy]
        bounds = {"low": min(values), "high": max(values)} if len(values) > 1 else {}
        collector.add(name, sum(values) / len(values), busy[-1][1], **bounds)
    outputs = rates["metrics.output_tokens_per_s"]
    if len(running) == len(outputs):
        _add_single_stream(collector, running, outputs)


def _add_single_stream(collector: Collector, running: list[Reading], outputs: list[Reading]) -> None:
    """Where one request runs at both ends of a window, the output rate of the engine is that of its stream."""
    single = [
        output for before, (count, _), output in zip(running, running[1:], outputs[1:], strict=False)
        if before[0] == count == 1 and output[0] > 0
    ]  # fmt: skip
    if single:
        value, span = sorted(single)[len(single) // 2]
        collector.add("decode.tokens_per_s", value, span)


def _read_arguments(collector: Collector, match: object) -> None:
    """The flags of a `non-default args` or engine config line."""
    start = match.start(1)
    is_arguments = "args" in match.group()[:24]
    for item in _CONFIG_ITEM.finditer(match.group(1)[:20_000]):
        name, value = _CONFIG_NAMES.get(item.group(1), item.group(1)), item.group(2).strip("'\"")
        span = (start + item.start(), start + item.end())
        if name in ("model", "model_path", "model_tag"):
            if name != "model_tag":
                value_span = (start + item.start(2), start + item.end(2))
                collector.add("engine.model_path", value, value_span)
                add_model(collector, value, value_span)
            continue
        if name in _SKIPPED:
            continue
        if is_arguments:
            collector.add("engine.flag", as_written(name, value), span)
        add_flag(collector, name, value, span)


def _add_card(collector: Collector, match: object) -> None:
    name, capability = (match.group(1), match.group(2)) if match.group(1) else (match.group(3), match.group(4))
    index = 1 if match.group(1) else 3
    for mention in gpu_mentions(name)[:1]:
        collector.add("gpu.name", mention.name, match.span(index))
        if mention.memory_gb:
            collector.add("gpu.memory_total_gib", mention.memory_gb, match.span(index))
    collector.add("gpu.compute_capability", float(capability), match.span())
