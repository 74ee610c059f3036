"""Shapes of models: what a token must read. Pure; known ones stand in `models.csv`.

The shapes come from the models' own config.json; the sum of a row's matrices meets its published number of parameters
within 1% (tests), so that a wrong digit shows.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from probes.roofline.names import length_of_match, pieces

TABLE = Path(__file__).parent.parent / "models.csv"
# "7B" stands for 6.2 to 8.5 billion in real names (ChatGLM3-6B, Gemma-7B, Gemma-2-2B: 2.6).
SAME_SIZE = 1.35
_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?) ?b(?![a-z0-9])", re.IGNORECASE)
_ACTIVE = re.compile(r"(?<![a-z0-9])a(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Sizes of a decoder.

    Attributes:
        params_b, active_params_b: billions, embeddings included; equal for a dense model.
        experts, experts_per_token, expert_intermediate, moe_layers: 0 for a dense model.
        kv_latent: numbers kept for a token and layer by latent attention (MLA), 0 for heads.
        window, full_attention_layers: layers outside these look back `window` tokens at most; 0 for none.
        confidence: A to D; D where only the size is known.
    """

    name: str
    params_b: float
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int
    tied: bool
    max_position: int
    active_params_b: float = 0.0
    gated: bool = True
    experts: int = 0
    experts_per_token: int = 0
    expert_intermediate: int = 0
    moe_layers: int = 0
    kv_latent: int = 0
    window: int = 0
    full_attention_layers: int = 0
    typical: bool = False
    source: str = ""
    confidence: str = "B"
    aliases: tuple[str, ...] = ()

    @property
    def head_params(self) -> float:
        """Weights of the output layer, read once a token."""
        return float(self.vocab * self.hidden)

    @property
    def linear_params(self) -> float:
        """Everything but embedding and output layer."""
        return max(self.params_b * 1e9 - self.head_params * (1 if self.tied else 2), 0.0)

    @property
    def expert_params(self) -> float:
        """The part of `linear_params` that stands in routed experts."""
        if self.experts and not self.expert_intermediate:
            return max(self.params_b - self.active_params_b, 0.0) * 1e9 / (1 - self.experts_per_token / self.experts)
        return 3.0 * self.hidden * self.expert_intermediate * self.experts * self.moe_layers

    def linear_params_read(self, batch: int = 1) -> float:
        """Weights of linear layers that one step reads: with experts, those that a batch hits.

        E x (1 - (1 - k/E)^B) experts a layer for B independent tokens.
        """
        if not self.experts:
            return self.linear_params
        hit = 1 - (1 - self.experts_per_token / self.experts) ** batch
        return self.linear_params - self.expert_params * (1 - hit)

    def kv_bytes_per_token(self, bytes_per_number: float = 2.0) -> float:
        """Bytes of KV cache for one token, all layers at full length."""
        numbers = self.kv_latent or 2 * self.kv_heads * self.head_dim
        return self.layers * numbers * bytes_per_number

    def kv_bytes_read(self, context: int, bytes_per_number: float = 2.0) -> float:
        """Bytes of KV cache that one token reads behind `context` tokens."""
        per_layer = self.kv_bytes_per_token(bytes_per_number) / self.layers
        short = self.layers - self.full_attention_layers if self.window else 0
        return per_layer * ((self.layers - short) * context + short * min(context, self.window or context))


def _row(row: dict[str, str]) -> ModelShape:
    texts = {"name", "source", "confidence", "aliases"}
    kinds = {name: str(field.type) for name, field in ModelShape.__dataclass_fields__.items()}
    values = {key: _typed(kinds[key], text) for key, text in row.items() if text and key not in texts}
    shape = ModelShape(
        name=row["name"], source=row["source"], confidence=row["confidence"],
        aliases=(row["name"], *filter(None, row["aliases"].split("|"))), **values,
    )  # fmt: skip
    return replace(shape, active_params_b=shape.active_params_b or shape.params_b)


def _typed(kind: str, text: str) -> bool | int | float:
    return text == "1" if kind == "bool" else int(text) if kind == "int" else float(text)


@cache
def models() -> tuple[ModelShape, ...]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return tuple(_row(row) for row in csv.DictReader(lines))


def size_in_name(name: str) -> float | None:
    """Billions of parameters that a name states: `7B`, `0.5b`, `8x7B` (56, the upper bound); None if it states none."""
    found = _SIZE.search(name.replace("_", "-"))
    return float(found[2]) * float(found[1] or 1) if found else None


def model_shape(
    name: str | None = None, params_b: float | None = None, config: Mapping[str, Any] | None = None
) -> ModelShape | None:
    """The shape by a config.json, else by a name, else by the size alone; None if nothing fits.

    With a size alone the nearest common dense model stands in, scaled to the size, with confidence D.
    """
    if config:
        return _from_config(config, name or "config.json")
    size = params_b or (size_in_name(name) if name else None)
    if name and (known := _by_name(name, size)):
        return known
    if not size:
        return None
    active = _ACTIVE.search(name) if name else None
    return _by_size(size, float(active[1]) if active else None)


def _by_name(name: str, size: float | None) -> ModelShape | None:
    given = pieces(name)
    if size and not size_in_name(name):
        given += [*pieces(f"{size:g}"), "b"]
    matches = [(max(length_of_match(pieces(alias), given) for alias in shape.aliases), shape) for shape in models()]
    matches = [(length, shape) for length, shape in matches if length and _same_size(shape, size)]
    return max(matches, key=lambda item: item[0], default=(0, None))[1]


def _same_size(shape: ModelShape, size: float | None) -> bool:
    return size is None or max(shape.params_b / size, size / shape.params_b) <= SAME_SIZE


def _by_size(size: float, active: float | None) -> ModelShape:
    common = [shape for shape in models() if shape.typical]
    near = min(common, key=lambda shape: abs(math.log((active or size) / shape.params_b)))
    shape = replace(
        near, params_b=size, active_params_b=active or size, confidence="D", source=f"size alone, taken as {near.name}"
    )
    # Layout of the common mixtures of 2025 and 2026: 128 experts, 8 a token.
    return replace(shape, experts=128, experts_per_token=8, moe_layers=shape.layers) if active else shape


def shape_of_sizes(sizes: Mapping[str, int], *, mixture: bool = False) -> ModelShape | None:
    """The shape whose sizes a probe read from a checkpoint, for a model that no name tells.

    A known model of just these sizes, or, where the MLP's size is among them, what they sum up to. None for a mixture of
    experts that is not known: its experts are not among these sizes.
    """
    layout = {name: sizes[name] for name in ("layers", "hidden", "kv_heads", "head_dim", "vocab") if name in sizes}
    if len(layout) < 5:
        return None
    known = [
        shape
        for shape in models()
        if all(getattr(shape, name) == size for name, size in sizes.items() if name in layout)
    ]
    if known or mixture or "intermediate" not in sizes:
        return known[0] if known else None
    heads = max(1, sizes["hidden"] // sizes["head_dim"])
    shape = ModelShape(
        name="config.json", params_b=0.0, heads=heads, intermediate=sizes["intermediate"], tied=False,
        max_position=sizes.get("max_position", 0), source="config.json", **layout,
    )  # fmt: skip
    return _with_summed_params(shape, 0)


def _from_config(config: Mapping[str, Any], name: str) -> ModelShape | None:
    config = config.get("text_config") or config
    try:
        layers, hidden = int(config["num_hidden_layers"]), int(config["hidden_size"])
        heads, vocab = int(config["num_attention_heads"]), int(config["vocab_size"])
    except (KeyError, TypeError, ValueError):
        return None
    if min(layers, hidden, heads, vocab) <= 0:
        return None
    experts = int(_first(config, "num_experts", "n_routed_experts", "num_local_experts"))
    shape = ModelShape(
        name=name, params_b=0.0, layers=layers, hidden=hidden, heads=heads, vocab=vocab,
        kv_heads=int(_first(config, "num_key_value_heads", "multi_query_group_num") or heads),
        head_dim=int(_first(config, "head_dim", "kv_channels") or hidden // heads),
        intermediate=int(_first(config, "intermediate_size", "ffn_hidden_size") or 4 * hidden),
        tied=bool(config.get("tie_word_embeddings", False)),
        max_position=int(_first(config, "max_position_embeddings", "seq_length")),
        experts=experts,
        experts_per_token=int(_first(config, "num_experts_per_tok", "experts_per_token")),
        expert_intermediate=int(_first(config, "moe_intermediate_size", "intermediate_size")) if experts else 0,
        moe_layers=layers - int(_first(config, "first_k_dense_replace")) if experts else 0,
        kv_latent=int(_first(config, "kv_lora_rank") + _first(config, "qk_rope_head_dim")) if config.get("kv_lora_rank") else 0,
        source="config.json", confidence="A",
    )  # fmt: skip
    return _with_summed_params(shape, int(_first(config, "n_shared_experts")))


def _first(config: Mapping[str, Any], *keys: str) -> float:
    return next((float(config[key]) for key in keys if isinstance(config.get(key), (int, float))), 0.0)


def _with_summed_params(shape: ModelShape, shared_experts: int) -> ModelShape:
    attention = 2 * shape.hidden * shape.head_dim * (shape.heads + shape.kv_heads)
    dense = shape.layers - shape.moe_layers
    shared = 3 * shape.hidden * shape.expert_intermediate * shared_experts * shape.moe_layers
    mlp = dense * 3 * shape.hidden * shape.intermediate
    embeddings = shape.head_params * (1 if shape.tied else 2)
    total = shape.layers * attention + mlp + shared + shape.expert_params + embeddings
    idle = shape.expert_params * (1 - shape.experts_per_token / shape.experts) if shape.experts else 0.0
    return replace(shape, params_b=total / 1e9, active_params_b=(total - idle) / 1e9)
