"""What a model's files say about it: config.json, quantize_config.json, safetensors headers, a GGUF's name.

`read` touches files and returns a small plain reading, `model_values` makes facts of it (pure).
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

HEADER_LIMIT = 64 * 1024 * 1024
SHAPE_KEYS = (
    "num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size",
    "max_position_embeddings", "num_experts", "num_local_experts", "n_routed_experts",
)  # fmt: skip
QUANT_KEYS = (
    "quant_method", "bits", "w_bit", "group_size", "q_group_size", "desc_act", "load_in_4bit", "load_in_8bit", "format",
)  # fmt: skip
FULL_PRECISION = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
TENSOR_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8", "F8_E5M2": "float8"}
NOT_WEIGHTS = re.compile(r"\.(qzeros|scales|g_idx|weight_scale|weight_zero_point|input_scale|absmax|quant_map)\b")


def read(model: Path) -> dict[str, Any]:
    """The reading of a model folder or a GGUF file; {} if there is nothing to read."""
    if model.is_file():
        return {"file": model.name, "bytes": model.stat().st_size}
    config = _json(model / "config.json")
    if not config:
        return {}
    quant = (
        config.get("quantization_config") or _json(model / "quantize_config.json") or _json(model / "quant_config.json")
    )
    reading = config_reading(config, quant)
    weights = sorted(model.glob("*.safetensors")) or sorted(model.glob("pytorch_model*.bin"))
    if weights:
        reading["bytes"] = sum(path.stat().st_size for path in weights)
        reading["elements"] = dict(_elements(weights))
    return reading


def config_reading(config: dict[str, Any], quant: dict[str, Any]) -> dict[str, Any]:
    """The reading of a config.json, with how its weights are quantised; pure."""
    text = config.get("text_config") or config
    return {
        "dtype": config.get("dtype") or config.get("torch_dtype") or text.get("dtype") or text.get("torch_dtype"),
        "shape": {key: text[key] for key in SHAPE_KEYS if isinstance(text.get(key), int)},
        "multimodal": any(key in config for key in ("vision_config", "audio_config")),
        "quant": {key: quant[key] for key in QUANT_KEYS if key in quant},
    }


def _json(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text("utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def _elements(weights: list[Path]) -> Counter[str]:
    """Elements of the weight tensors by dtype; scales and zero points of quantised weights are left out."""
    counted: Counter[str] = Counter()
    for path in weights:
        if path.suffix == ".safetensors":
            for dtype, elements in _header(path):
                counted[dtype] += elements
    return counted


def _header(path: Path) -> Iterator[tuple[str, int]]:
    with suppress(OSError, ValueError, struct.error), path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > HEADER_LIMIT:
            return
        for name, tensor in json.loads(file.read(length)).items():
            if name != "__metadata__" and not NOT_WEIGHTS.search(name):
                yield tensor["dtype"], math.prod(tensor["shape"])


def model_values(reading: dict[str, Any]) -> dict[str, Any]:
    """Values of `model.*` facts by name, without those that the files do not say."""
    if "file" in reading:
        return _known({"model.file_gib": _gib(reading), "model.quant": _gguf_quant(reading["file"])})
    if not reading:
        return {}
    shape, quant, dtype = reading["shape"], reading["quant"], reading.get("dtype")
    bits = _bits(quant)
    heads, hidden = shape.get("num_attention_heads"), shape.get("hidden_size")
    experts = [shape[key] for key in ("num_experts", "num_local_experts", "n_routed_experts") if key in shape]
    return _known({
        "model.layers": shape.get("num_hidden_layers"), "model.hidden": hidden, "model.vocab": shape.get("vocab_size"),
        "model.kv_heads": shape.get("num_key_value_heads") or heads,
        "model.head_dim": shape.get("head_dim") or (hidden // heads if hidden and heads else None),
        "model.max_position": shape.get("max_position_embeddings"), "model.is_moe": max(experts, default=0) > 1,
        "model.is_multimodal": reading["multimodal"], "model.checkpoint_dtype": _checkpoint_dtype(reading),
        "model.quant": _quant(quant, bits, dtype), "model.quant_method": quant.get("quant_method"),
        "model.quant_bits": bits, "model.group_size": quant.get("group_size", quant.get("q_group_size")),
        "model.desc_act": quant.get("desc_act"), "model.file_gib": _gib(reading), "model.params_b": _params_b(reading, bits),
    })  # fmt: skip


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _gib(reading: dict[str, Any]) -> float | None:
    return round(reading["bytes"] / 2**30, 3) if "bytes" in reading else None


def _bits(quant: dict[str, Any]) -> int | None:
    if quant.get("load_in_4bit"):
        return 4
    if quant.get("load_in_8bit"):
        return 8
    return quant.get("bits", quant.get("w_bit"))


def _checkpoint_dtype(reading: dict[str, Any]) -> str | None:
    """The dtype that most weights have; of a packed checkpoint, what config.json says."""
    floating = {TENSOR_DTYPES[name]: n for name, n in reading.get("elements", {}).items() if name in TENSOR_DTYPES}
    if floating and not reading["quant"]:
        return max(floating, key=lambda name: floating[name])
    return reading.get("dtype") if reading.get("dtype") in FULL_PRECISION else None


def _quant(quant: dict[str, Any], bits: int | None, dtype: str | None) -> str | None:
    method, packing = str(quant.get("quant_method", "")).lower(), str(quant.get("format", ""))
    if not quant:
        return FULL_PRECISION.get(dtype or "")
    if method in ("gptq", "awq") or (not method and bits):
        return {("awq", 4): "awq-int4", ("gptq", 8): "gptq-int8", ("gptq", 4): "gptq-int4"}.get(
            (method or "gptq", bits)
        )
    named = {"fp8": "fp8", "mxfp4": "mxfp4", "exl2": "exl2", "modelopt_fp4": "nvfp4"}
    formats = {
        "float-quantized": "fp8",
        "int-quantized": "w8a8-int8",
        "pack-quantized": "int4",
        "nvfp4-pack-quantized": "nvfp4",
    }
    if method == "bitsandbytes":
        return "bnb-nf4" if bits == 4 else "bnb-int8"
    return named.get(method) or formats.get(packing)


def _params_b(reading: dict[str, Any], bits: int | None) -> float | None:
    """Parameters in billions; packed integers hold several weights each."""
    if not reading.get("elements"):
        return None
    packed = {"I32": 32 // bits, "U8": 8 // bits} if bits and bits <= 8 else {}
    total = sum(n * packed.get(dtype, 1) for dtype, n in reading["elements"].items())
    return round(total / 1e9, 4)


def _gguf_quant(name: str) -> str | None:
    found = re.search(r"[-._](?:UD-)?I?Q([2-8])(?:_|\b)", name, re.IGNORECASE)
    return f"gguf-q{found.group(1)}" if found and found.group(1) != "7" else None


def locate(model: str, root: Path, home: str, environment: dict[str, str]) -> Path | None:
    """Where the files of `model` lie as its engine sees them, or None.

    Args:
        model: a path, or the id of a hub ("Qwen/Qwen2.5-7B-Instruct").
        root: root of the engine's own file system ("/proc/PID/root").
        home: home folder of its user. environment: its variables (HF_HOME, HF_HUB_CACHE).
    """
    if model.startswith("/"):
        path = root / model.lstrip("/")
        return path if path.exists() else None
    cache = environment.get("HF_HUB_CACHE") or f"{environment.get('HF_HOME') or home + '/.cache/huggingface'}/hub"
    snapshots = root / cache.lstrip("/") / f"models--{model.replace('/', '--')}" / "snapshots"
    found = sorted(snapshots.glob("*/config.json"), key=lambda path: path.stat().st_mtime) if snapshots.exists() else []
    return found[-1].parent if found else None
