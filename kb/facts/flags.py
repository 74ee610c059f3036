"""Launch flags and what they state: one table for command lines, keyword arguments and config lines of a log. Pure.

Names are written with underscores and without leading dashes. A flag that is not in the table is still
stated as `engine.flag`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kb.facts.collect import Collector, number

Converter = Callable[[str], Any]

_TRUE = {"", "true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}
_DTYPES = {
    "half": "float16", "float16": "float16", "fp16": "float16", "bfloat16": "bfloat16", "bf16": "bfloat16",
    "float": "float32", "float32": "float32", "fp32": "float32", "auto": "auto",
}  # fmt: skip
_NONE = {"none", "null", ""}


def whole(text: str) -> int | None:
    value = number(text)
    return None if value is None else int(value)


def truth(text: str) -> bool | None:
    text = text.lower()
    return True if text in _TRUE else False if text in _FALSE else None


def untruth(text: str) -> bool | None:
    value = truth(text)
    return None if value is None else not value


def word(text: str) -> str | None:
    return None if text.lower() in _NONE else text


def dtype(text: str) -> str | None:
    return _DTYPES.get(text.lower().removeprefix("torch."))


def gib(text: str) -> float | None:
    """A size in bytes, or with a unit, as GiB."""
    units = {
        "g": 1.0,
        "gib": 1.0,
        "gb": 1.0,
        "m": 1 / 1024,
        "mb": 1 / 1024,
        "mib": 1 / 1024,
        "k": 1 / 1024**2,
        "b": 1 / 1024**3,
    }
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    value = number(digits)
    return None if value is None else value * units.get(text[len(digits) :].strip().lower() or "b", 0.0) or None


def given(text: str) -> bool:
    return text.lower() not in _NONE | _FALSE


def layers(text: str) -> int | None:
    return 999 if text.lower() in ("all", "auto") else whole(text)


FLAGS: dict[str, tuple[tuple[str, Converter], ...]] = {
    # vLLM, and names that others share
    "tensor_parallel_size": (("engine.tensor_parallel", whole),),
    "pipeline_parallel_size": (("engine.pipeline_parallel", whole),),
    "data_parallel_size": (("engine.data_parallel", whole),),
    "enforce_eager": (("engine.enforce_eager", truth),),
    "max_cudagraph_capture_size": (("engine.capture_max", whole),),
    "cuda_graph_max_bs": (("engine.capture_max", whole),),
    "gpu_memory_utilization": (("engine.gpu_memory_utilization", number),),
    "max_model_len": (("engine.max_model_len", whole),),
    "max_num_seqs": (("engine.max_num_seqs", whole),),
    "max_num_batched_tokens": (("engine.max_num_batched_tokens", whole),),
    "enable_chunked_prefill": (("engine.chunked_prefill", truth),),
    "enable_prefix_caching": (("engine.prefix_caching", truth),),
    "async_scheduling": (("engine.async_scheduling", truth),),
    "quantization": (("engine.quantization_flag", word),),
    "dtype": (("engine.dtype", dtype),),
    "kv_cache_dtype": (("engine.kv_cache_dtype", word),),
    "cpu_offload_gb": (("engine.cpu_offload_gib", number),),
    "enable_lora": (("engine.lora_enabled", truth),),
    "lora_modules": (("engine.lora_enabled", given), ("model.lora", given)),
    "max_lora_rank": (("engine.max_lora_rank", whole),),
    "speculative_config": (("engine.speculative", given),),
    "speculative_model": (("engine.speculative", given),),
    "attention_backend": (("engine.attention_backend", word),),
    "num_gpu_blocks_override": (("engine.kv_blocks_override", whole),),
    "kv_cache_memory_bytes": (("engine.kv_cache_memory_gib", gib),),
    "disable_custom_all_reduce": (("engine.custom_all_reduce", untruth),),
    "trust_remote_code": (("engine.trust_remote_code", truth),),
    "served_model_name": (("engine.served_model", word),),
    "use_cache": (("engine.use_kv_cache", truth),),
    "device_map": (("engine.device_map", word),),
    "device": (("engine.device", lambda text: {"cpu": "cpu", "cuda": "gpu"}.get(text.lower().split(":")[0])),),
    # SGLang
    "mem_fraction_static": (("engine.gpu_memory_utilization", number),),
    "context_length": (("engine.max_model_len", whole),),
    "max_running_requests": (("engine.max_num_seqs", whole),),
    "chunked_prefill_size": (("engine.max_num_batched_tokens", whole),),
    "disable_cuda_graph": (("engine.enforce_eager", truth),),
    "disable_radix_cache": (("engine.prefix_caching", untruth),),
    "speculative_algorithm": (("engine.speculative", given),),
    # llama.cpp
    "n_gpu_layers": (("engine.gpu_layers", layers),),
    "threads": (("engine.threads", whole),),
    "ctx_size": (("engine.max_model_len", whole),),
    "cache_type_k": (("engine.kv_cache_dtype", word),),
    "spec_type": (("engine.speculative", given),),
    "model_draft": (("engine.speculative", given),),
    # TGI, LMDeploy
    "quantize": (("engine.quantization_flag", word),),
    "num_shard": (("engine.tensor_parallel", whole),),
    "max_total_tokens": (("engine.max_model_len", whole),),
    "cuda_memory_fraction": (("engine.gpu_memory_utilization", number),),
    "session_len": (("engine.max_model_len", whole),),
    "cache_max_entry_count": (("engine.gpu_memory_utilization", number),),
    "max_batch_size": (("engine.max_num_seqs", whole),),
    # docker
    "shm_size": (("host.shm_gib", gib),),
    "cpus": (("host.cpu_cores", number),),
}
ALIASES: dict[str, str] = {
    "tp": "tensor_parallel_size", "tp_size": "tensor_parallel_size", "pp": "pipeline_parallel_size",
    "pp_size": "pipeline_parallel_size", "dp": "data_parallel_size", "dp_size": "data_parallel_size",
    "tensor_parallel": "tensor_parallel_size", "pipeline_parallel": "pipeline_parallel_size", "q": "quantization",
    "ngl": "n_gpu_layers", "gpu_layers": "n_gpu_layers", "num_gpu": "n_gpu_layers", "max_seq_len": "max_model_len",
    "ctk": "cache_type_k", "cuda_graph_sizes": "max_cudagraph_capture_size", "mem_fraction": "mem_fraction_static",
    "sharded": "sharded", "draft_model": "model_draft", "n_ctx": "ctx_size", "num_ctx": "ctx_size",
}  # fmt: skip
# What the short flags mean depends on the program.
SHORT: dict[str, dict[str, str]] = {
    "llama.cpp": {"c": "ctx_size", "t": "threads", "md": "model_draft", "m": "model"},
    "vllm": {"tp": "tensor_parallel_size", "pp": "pipeline_parallel_size", "dp": "data_parallel_size"},
}
BOOLEAN = {name for name, facts in FLAGS.items() if any(convert in (truth, untruth) for _, convert in facts)}


def flag_name(raw: str, engine: str = "") -> str:
    """The table's name of a flag as written: `--Tensor-Parallel-Size`, `-tp`, `tensor_parallel_size`."""
    name = raw.lstrip("-").replace("-", "_")
    name = SHORT.get(engine, {}).get(name, name.lower())
    return ALIASES.get(name, name)


def negated_name(name: str) -> str:
    """For `no_enable_prefix_caching` the flag it turns off, else ""."""
    bare = name.removeprefix("no_")
    return bare if bare != name and bare in BOOLEAN else ""


def add_flag(
    collector: Collector, raw: str, value: str, span: tuple[int, int], engine: str = "", **details: Any
) -> None:
    """State what a flag with its value says; a flag that is not in the table says nothing."""
    name = flag_name(raw, engine)
    if off := negated_name(name):
        name, value = off, "false"
    for fact, convert in FLAGS.get(name, ()):
        converted = convert(value)
        if converted is not None:
            collector.add(fact, converted, span, **details)
