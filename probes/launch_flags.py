"""Launch flags -> facts, for every engine whose flags are known. Pure: a probe reads them from a process, a paste
from its text, both with this table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from probes.vocabulary.declare import Value


@dataclass(frozen=True, slots=True)
class Stated:
    """One fact of a command line; its words are `argv[word : word + words]`."""

    fact: str
    value: Value
    word: int
    words: int


Read = Callable[[str], Any]
Meaning = tuple[str, Read | Value]
"""A fact, and how to read the flag's value; a constant for a flag that takes none."""

SIZE = re.compile(r"^([\d.]+)\s*([kKmMgGtT]?)(i?B?)$")
UNITS = "kmgt"


def size_bytes(text: str) -> float:
    """Bytes of "6G", "512M", "1e9" as vLLM reads them: small letters are powers of 1000, capitals of 1024.

    Raises:
        ValueError: not a size.
    """
    found = SIZE.match(text.strip())
    if not found:
        return float(text)
    number, unit, _ = found.groups()
    base = 1024 if unit.isupper() else 1000
    return float(number) * base ** (UNITS.index(unit.lower()) + 1 if unit else 0)


def gib(text: str) -> float:
    return round(size_bytes(text) / 2**30, 4)


def dtype(text: str) -> str:
    return {"half": "float16", "float": "float32", "fp16": "float16", "bf16": "bfloat16"}.get(text, text)


def largest(text: str) -> int:
    return max(int(part) for part in re.findall(r"\d+", text))


def whole(text: str) -> int:
    return int(size_bytes(text))


def present(text: str) -> bool:
    return bool(text)


VLLM: dict[str, Meaning] = {
    "model": ("engine.model_path", str), "served-model-name": ("engine.served_model", str),
    "tensor-parallel-size": ("engine.tensor_parallel", int), "tp": ("engine.tensor_parallel", int),
    "pipeline-parallel-size": ("engine.pipeline_parallel", int), "pp": ("engine.pipeline_parallel", int),
    "data-parallel-size": ("engine.data_parallel", int), "dp": ("engine.data_parallel", int),
    "enforce-eager": ("engine.enforce_eager", True), "max-cudagraph-capture-size": ("engine.capture_max", int),
    "cuda-graph-sizes": ("engine.capture_max", largest), "cudagraph-capture-sizes": ("engine.capture_max", largest),
    "gpu-memory-utilization": ("engine.gpu_memory_utilization", float), "max-model-len": ("engine.max_model_len", whole),
    "max-num-seqs": ("engine.max_num_seqs", int), "max-num-batched-tokens": ("engine.max_num_batched_tokens", whole),
    "enable-chunked-prefill": ("engine.chunked_prefill", True), "enable-prefix-caching": ("engine.prefix_caching", True),
    "async-scheduling": ("engine.async_scheduling", True), "quantization": ("engine.quantization_flag", str),
    "q": ("engine.quantization_flag", str), "dtype": ("engine.dtype", dtype),
    "kv-cache-dtype": ("engine.kv_cache_dtype", str), "cpu-offload-gb": ("engine.cpu_offload_gib", float),
    "enable-lora": ("engine.lora_enabled", True), "max-lora-rank": ("engine.max_lora_rank", int),
    "speculative-config": ("engine.speculative", present), "speculative-model": ("engine.speculative", present),
    "attention-backend": ("engine.attention_backend", str), "num-gpu-blocks-override": ("engine.kv_blocks_override", int),
    "kv-cache-memory-bytes": ("engine.kv_cache_memory_gib", gib), "disable-custom-all-reduce": ("engine.custom_all_reduce", False),
    "trust-remote-code": ("engine.trust_remote_code", True),
}  # fmt: skip
SGLANG: dict[str, Meaning] = {
    "model-path": ("engine.model_path", str), "model": ("engine.model_path", str),
    "served-model-name": ("engine.served_model", str), "tp": ("engine.tensor_parallel", int),
    "tp-size": ("engine.tensor_parallel", int), "tensor-parallel-size": ("engine.tensor_parallel", int),
    "pp-size": ("engine.pipeline_parallel", int), "dp": ("engine.data_parallel", int), "dp-size": ("engine.data_parallel", int),
    "disable-cuda-graph": ("engine.enforce_eager", True), "cuda-graph-max-bs": ("engine.capture_max", int),
    "mem-fraction-static": ("engine.gpu_memory_utilization", float), "context-length": ("engine.max_model_len", int),
    "max-running-requests": ("engine.max_num_seqs", int), "chunked-prefill-size": ("engine.max_num_batched_tokens", int),
    "disable-radix-cache": ("engine.prefix_caching", False), "disable-overlap-schedule": ("engine.async_scheduling", False),
    "quantization": ("engine.quantization_flag", str), "dtype": ("engine.dtype", dtype),
    "kv-cache-dtype": ("engine.kv_cache_dtype", str), "cpu-offload-gb": ("engine.cpu_offload_gib", float),
    "lora-paths": ("engine.lora_enabled", present), "attention-backend": ("engine.attention_backend", str),
    "speculative-algorithm": ("engine.speculative", present), "disable-custom-all-reduce": ("engine.custom_all_reduce", False),
    "trust-remote-code": ("engine.trust_remote_code", True),
}  # fmt: skip
LLAMA_CPP: dict[str, Meaning] = {
    "m": ("engine.model_path", str), "model": ("engine.model_path", str), "a": ("engine.served_model", str),
    "alias": ("engine.served_model", str), "ngl": ("engine.gpu_layers", int), "gpu-layers": ("engine.gpu_layers", int),
    "n-gpu-layers": ("engine.gpu_layers", int), "n_gpu_layers": ("engine.gpu_layers", int),
    "c": ("engine.max_model_len", int), "ctx-size": ("engine.max_model_len", int), "n_ctx": ("engine.max_model_len", int),
    "np": ("engine.max_num_seqs", int), "parallel": ("engine.max_num_seqs", int), "t": ("engine.threads", int),
    "threads": ("engine.threads", int), "n_threads": ("engine.threads", int), "ctk": ("engine.kv_cache_dtype", str),
    "cache-type-k": ("engine.kv_cache_dtype", str), "md": ("engine.speculative", present),
    "model-draft": ("engine.speculative", present), "lora": ("engine.lora_enabled", present),
}  # fmt: skip
TGI: dict[str, Meaning] = {
    "model-id": ("engine.model_path", str), "num-shard": ("engine.tensor_parallel", int),
    "quantize": ("engine.quantization_flag", str), "dtype": ("engine.dtype", dtype),
    "max-total-tokens": ("engine.max_model_len", int), "max-batch-size": ("engine.max_num_seqs", int),
    "max-batch-prefill-tokens": ("engine.max_num_batched_tokens", int),
    "cuda-memory-fraction": ("engine.gpu_memory_utilization", float), "trust-remote-code": ("engine.trust_remote_code", True),
}  # fmt: skip
LMDEPLOY: dict[str, Meaning] = {
    "tp": ("engine.tensor_parallel", int), "session-len": ("engine.max_model_len", int),
    "max-batch-size": ("engine.max_num_seqs", int),
    "eager-mode": ("engine.enforce_eager", True), "enable-prefix-caching": ("engine.prefix_caching", True),
    "dtype": ("engine.dtype", dtype), "model-name": ("engine.served_model", str),
    "max-prefill-token-num": ("engine.max_num_batched_tokens", int),
}  # fmt: skip
OPTION = re.compile(r"^--?[A-Za-z]")
FLAGS = {"vllm": VLLM, "sglang": SGLANG, "llama.cpp": LLAMA_CPP, "tgi": TGI, "lmdeploy": LMDEPLOY}
POSITIONAL_AFTER = {"vllm": "serve", "lmdeploy": "api_server"}
"""Word after which the model may stand without a flag."""


def launch_facts(engine: str, argv: list[str]) -> Iterator[Stated]:
    """The facts that a command line states, in its order: its flags as `engine.flag`, and what they mean.

    A value that cannot be read (a shell variable, a number that is none) states the flag, not the meaning.
    """
    table = FLAGS.get(engine, {})
    yield from _positional(engine, argv)
    for word, text in enumerate(argv):
        if not OPTION.match(text):
            continue
        flag, _, inline = text.partition("=")
        yield Stated("engine.flag", flag, word, 1)
        known = _lookup(table, flag.lstrip("-"))
        if known:
            values = [inline] if inline else list(takewhile(lambda each: not OPTION.match(each), argv[word + 1 :]))
            yield from _meaning(*known, values, word, bool(inline))


def _positional(engine: str, argv: list[str]) -> Iterator[Stated]:
    marker = POSITIONAL_AFTER.get(engine, "")
    if marker in argv:
        word = argv.index(marker) + 1
        if word < len(argv) and not argv[word].startswith("-"):
            yield Stated("engine.model_path", argv[word], word, 1)


def _meaning(meaning: Meaning, negated: bool, values: list[str], word: int, inline: bool) -> Iterator[Stated]:
    fact, read = meaning
    first = values[0] if values else ""
    if isinstance(read, bool):
        spelt_out = first.lower() in ("true", "false")
        yield Stated(fact, read ^ negated ^ (first.lower() == "false"), word, 2 if spelt_out and not inline else 1)
        return
    text = " ".join(values) if read is largest else first
    try:
        yield Stated(fact, read(text), word, 1 if inline or not values else 1 + len(text.split()))
    except ValueError:
        return


def _lookup(table: dict[str, Meaning], name: str) -> tuple[Meaning, bool] | None:
    """The meaning of a flag and whether it is the negated form; vLLM takes underscores for dashes."""
    for spelling in (name, name.replace("_", "-")):
        if spelling in table:
            return table[spelling], False
        if spelling.startswith("no-") and spelling[3:] in table:
            return table[spelling[3:]], True
    return None
