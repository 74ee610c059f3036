"""What a GGUF file says about its model, as gguf-dump and llama.cpp print it while loading. Pure.

    llama_model_loader: - kv   7:   qwen2.block_count u32   = 28        -> model.layers = 28
         12: UINT32     |        1 | general.file_type = 15             -> model.quant = gguf-q4
    print_info: file type   = Q5_K - Medium                             -> model.quant = gguf-q5

Numbers of `general.file_type` are those of `enum llama_ftype`.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from kb.facts.model_names import add_size, quant_of
from probes.facts import Fact

KIND = "gguf_header"
MOST_LINES = 500

_PAIR = re2.compile(
    r"(?m)^(?:[^\n]{0,80}llama_model_loader: - kv {1,4}\d{1,4}: {1,60}([\w.-]{3,80}) {1,60}[a-z0-9\[\],]{2,16} {1,40}= |"
    r"[ \t>]{0,12}\d{1,4}: [A-Z0-9\[\]]{3,12} {1,12}\| {1,12}\d{1,12} \| ([\w.-]{3,80}) = )([^\n]{1,120}?) *\r?$"
)
_INFO = re2.compile(
    r"(?m)^[^\n]{0,80}?(?:print_info|llm_load_print_meta): (file type|file size|model type|model params|general\.name|n_ctx_train|n_layer|n_expert) {0,20}= ([^\n]{1,80}?) *\r?$"
)
# last part of a key -> fact
_COUNTS = {
    "block_count": "model.layers", "n_layer": "model.layers", "context_length": "model.max_position", "n_ctx_train": "model.max_position",
    "embedding_length": "model.hidden", "feed_forward_length": "model.intermediate", "head_count_kv": "model.kv_heads",
    "key_length": "model.head_dim", "vocab_size": "model.vocab",
}  # fmt: skip
_FILE_TYPES = {
    0: "fp32", 1: "fp16", 2: "gguf-q4", 3: "gguf-q4", 7: "gguf-q8", 8: "gguf-q5", 9: "gguf-q5", 10: "gguf-q2", 11: "gguf-q3", 12: "gguf-q3",
    13: "gguf-q3", 14: "gguf-q4", 15: "gguf-q4", 16: "gguf-q5", 17: "gguf-q5", 18: "gguf-q6", 19: "gguf-q2", 20: "gguf-q2", 21: "gguf-q2",
    22: "gguf-q3", 23: "gguf-q3", 25: "gguf-q4", 26: "gguf-q3", 27: "gguf-q3", 28: "gguf-q2", 29: "gguf-q2", 30: "gguf-q4", 32: "bf16",
}  # fmt: skip
_FULL = {"F16": "fp16", "BF16": "bf16", "F32": "fp32", "all F32": "fp32"}


def recognise(text: str) -> float:
    return 0.9 if _PAIR.search(text) or _INFO.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [
        match.span()
        for pattern in (_PAIR, _INFO)
        for _, match in zip(range(MOST_LINES), pattern.finditer(text), strict=False)
    ]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    for _, match in zip(range(MOST_LINES), _PAIR.finditer(text), strict=False):
        start = match.start(1) if match.group(1) else match.start(2)
        _add(collector, match.group(1) or match.group(2), match.group(3).strip("'\""), (start, match.end(3)))
    for _, match in zip(range(MOST_LINES), _INFO.finditer(text), strict=False):
        _add(collector, match.group(1), match.group(2), (match.start(1), match.end(2)))
    return collector.facts


def _add(collector: Collector, key: str, value: str, span: tuple[int, int]) -> None:
    last = key.rsplit(".", 1)[-1]
    if key == "general.name":
        collector.add("model.name", value, span)
        if not collector.has("model.params_b"):
            add_size(collector, value, span)
    elif key in ("file type", "general.file_type"):
        collector.add("model.quant", _quant(value), span)
    elif key in ("file size", "model params"):
        _add_size(collector, "model.file_gib" if key == "file size" else "model.params_b", value, span)
    elif last in ("expert_count", "n_expert"):
        if (experts := number(value)) and experts > 1:
            collector.add("model.is_moe", True, span)
    elif last in _COUNTS:
        collector.add(_COUNTS[last], number(value), span)


def _quant(value: str) -> str | None:
    """The weight format of "Q4_K - Medium", "15" or "BF16"."""
    if value.isdigit():
        return _FILE_TYPES.get(int(value[:4]))
    written = value.split(" (")[0].strip()
    return _FULL.get(written) or quant_of(written.split(" - ")[0])


def _add_size(collector: Collector, fact: str, value: str, span: tuple[int, int]) -> None:
    amount, _, unit = value.partition(" ")
    size = number(amount)
    scale = {"GiB": 1.0, "MiB": 1 / 1024, "B": 1.0, "M": 1e-3}.get(unit.split(" ")[0])
    if size is not None and scale:
        collector.add(fact, size * scale, span)
