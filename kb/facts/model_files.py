"""Files that lie beside a model: config.json, quantize_config.json, adapter_config.json, generation_config.json and the
index of its safetensors. Pure.

    {"num_hidden_layers": 28, "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "awq", "bits": 4, ...}}

    model.layers = 28, model.quant = awq-int4, model.quant_bits = 4

A file that is cut off, quoted or mangled is read key by key; what nests is then told apart by its key alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import re2

from kb.facts.collect import Collector
from kb.facts.model_names import add_model
from probes.checkpoint import QUANT_KEYS, SHAPE_KEYS, config_reading, model_values
from probes.facts import Fact

KIND = "model_files"
MOST_FILES = 20
MOST_PAIRS = 2_000

Span = tuple[int, int]
File = tuple[dict[str, Any], Span]

_KEYS = (
    "architectures", "model_type", "num_hidden_layers", "num_key_value_heads", "max_position_embeddings", "quantization_config",
    "quant_method", "peft_type", "lora_alpha", "weight_map", "group_size", "desc_act", "use_cache", "transformers_version",
)  # fmt: skip
_RECOGNISED = re2.compile(rf'"(?:{"|".join(_KEYS)})"\s*:')
_OPENING = re2.compile(r"(?m)(?:^[ \t]*|[:：]\s*)(\{)\s*\"")
_PAIR = re2.compile(
    r"(?m)\"([a-z][a-z0-9_]{1,40})\"\s*:\s*(\"[^\"\n]{0,200}\"|-?\d[\d.eE+-]{0,24}|true|false|null|\[[^\]\n]{0,200}\])\s*(?:,|\}|\r?$)"
)
_CONFIG, _QUANT, _ADAPTER = (
    {"num_hidden_layers", "architectures", "model_type"},
    {"quant_method", "bits", "w_bit"},
    {"peft_type", "lora_alpha"},
)
# facts whose key in the file is none of their own name
_WRITTEN_AS = {
    "model.layers": ("num_hidden_layers",), "model.hidden": ("hidden_size",), "model.vocab": ("vocab_size",),
    "model.kv_heads": ("num_key_value_heads", "num_attention_heads"), "model.head_dim": ("head_dim", "num_attention_heads"),
    "model.max_position": ("max_position_embeddings",), "model.is_moe": ("num_experts", "num_local_experts", "n_routed_experts"),
    "model.is_multimodal": ("vision_config", "audio_config"), "model.checkpoint_dtype": ("torch_dtype", "dtype"),
    "model.quant": ("quant_method", "quantization_config", "bits", "torch_dtype", "dtype"), "model.quant_method": ("quant_method",),
    "model.quant_bits": ("bits", "w_bit", "load_in_4bit", "load_in_8bit"), "model.group_size": ("group_size", "q_group_size"),
}  # fmt: skip


def recognise(text: str) -> float:
    return 0.9 if _RECOGNISED.search(text) and (_whole_files(text) or len(_loose_keys(text)) > 1) else 0.0


def claimed(text: str) -> list[Span]:
    files = [span for _, span in _whole_files(text)]
    loose = [match.span() for _, match in zip(range(MOST_PAIRS), _PAIR.finditer(text), strict=False)]
    return files + ([] if files else loose)


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    for content, span in _whole_files(text) or [_loose_file(text)]:
        _add_file(collector, content, span)
    return collector.facts


def _whole_files(text: str) -> list[File]:
    """The JSON objects of `text` that are a file of a model."""
    return [(content, span) for content, span in _objects(text) if _kinds(content)]


def _objects(text: str) -> Iterator[File]:
    decoder, end = json.JSONDecoder(), 0
    for _, match in zip(range(MOST_FILES), _OPENING.finditer(text), strict=False):
        start = match.start(1)
        if start < end:
            continue
        try:
            content, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            yield content, (start, end)


def _kinds(content: dict[str, Any]) -> bool:
    keys = set(content)
    quantised = "group_size" in keys and bool(keys & _QUANT)
    return (
        bool(keys & (_ADAPTER | {"num_hidden_layers", "text_config", "weight_map"}))
        or quantised
        or _is_generation(keys)
    )


def _is_generation(keys: set[str]) -> bool:
    return "transformers_version" in keys and "eos_token_id" in keys


def _loose_keys(text: str) -> set[str]:
    found = {match.group(1) for _, match in zip(range(MOST_PAIRS), _PAIR.finditer(text), strict=False)}
    return found & {*_KEYS, *SHAPE_KEYS, *QUANT_KEYS}


def _loose_file(text: str) -> File:
    """The pairs of a mangled file, as if they all stood on one level; the first of a key counts."""
    content: dict[str, Any] = {}
    for _, match in zip(range(MOST_PAIRS), _PAIR.finditer(text), strict=False):
        try:
            content.setdefault(match.group(1), json.loads(match.group(2)))
        except ValueError:
            continue
    return content, (0, len(text))


def _add_file(collector: Collector, content: dict[str, Any], span: Span) -> None:
    if content.get("use_cache") is False:
        _add(collector, "engine.use_kv_cache", False, ("use_cache",), span)
    if set(content) & _ADAPTER:
        _add_adapter(collector, content, span)
    elif "weight_map" in content:
        _add_index(collector, content, span)
    elif set(content) & (_CONFIG | _QUANT | set(SHAPE_KEYS) | {"text_config"}):
        _add_config(collector, content, span)


def _add_config(collector: Collector, content: dict[str, Any], span: Span) -> None:
    quant = content.get("quantization_config")
    if not isinstance(quant, dict):
        quant = content if set(content) & _QUANT else {}
    values = model_values(config_reading(_scalars(content), _scalars(quant)))
    if not set(content) & (_CONFIG | {"text_config"}):  # a quantize_config.json says nothing about the rest
        values = {name: value for name, value in values.items() if name not in ("model.is_moe", "model.is_multimodal")}
    for name, value in values.items():
        if value is not False or name == "model.desc_act":
            _add(collector, name, value, _WRITTEN_AS.get(name, (name.removeprefix("model."),)), span)
    path = content.get("_name_or_path")
    if isinstance(path, str) and path and (place := _place(collector.text, "_name_or_path", span)):
        add_model(collector, path, place)


def _scalars(content: dict[str, Any]) -> dict[str, Any]:
    """`content` without what no key of a config may hold: lists, and sections other than those that are read."""
    sections = {"text_config", "vision_config", "audio_config"}
    kept = {
        key: _scalars(value) if isinstance(value, dict) else value
        for key, value in content.items()
        if (isinstance(value, dict) if key in sections else isinstance(value, (str, int, float, bool)))
    }
    return {key: value for key, value in kept.items() if key not in ("dtype", "torch_dtype") or isinstance(value, str)}


def _add_adapter(collector: Collector, content: dict[str, Any], span: Span) -> None:
    _add(collector, "model.lora", True, ("peft_type", "lora_alpha"), span)
    _add(collector, "model.lora_rank", content.get("r"), ("r",), span)
    base = content.get("base_model_name_or_path")
    if isinstance(base, str) and base and (place := _place(collector.text, "base_model_name_or_path", span)):
        add_model(collector, base, place)


def _add_index(collector: Collector, content: dict[str, Any], span: Span) -> None:
    metadata = content.get("metadata")
    size = metadata.get("total_size") if isinstance(metadata, dict) else None
    if isinstance(size, (int, float)) and size > 0:
        _add(collector, "model.file_gib", round(size / 2**30, 3), ("total_size",), span)


def _add(collector: Collector, fact: str, value: object, keys: tuple[str, ...], span: Span) -> None:
    places = (_place(collector.text, key, span) for key in keys)
    place = next((place for place in places if place), None)
    if value is not None and place:
        collector.add(fact, value, place)


def _place(text: str, key: str, span: Span) -> Span | None:
    """Where `key` with its value stands in the file."""
    start = text.find(f'"{key}"', *span)
    if start < 0:
        return None
    ends = [end for end in (text.find(mark, start, min(span[1], start + 200)) for mark in ",\n}{") if end > start]
    return start, min(ends, default=min(span[1], start + 200))
