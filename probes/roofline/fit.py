"""Does it fit: weights, working memory and KV cache against the memory of the cards. Pure.

Calibrated on vLLM and Qwen2.5-7B in fp16 on a 24 GB card: 23.65 GiB seen by torch, 14.19 GiB of weights, about 1.4 GiB of
activations with 2048 tokens a step, 4.6 with 32768, 15.6 with 131072, 0.2 GiB for the CUDA context; 103k tokens are left at
0.90. Another engine keeps less aside, so for it the result is on the careful side.
"""

from __future__ import annotations

from dataclasses import dataclass

from probes.roofline.formats import Format
from probes.roofline.models import ModelShape

GIB = 2**30
# 23.65 of 24.0 GiB: what the driver keeps.
SEEN_SHARE = 0.985
CONTEXT_GIB = 0.2
# vLLM profiles 256 sequences of logits; eight fp32 copies meet the three activation figures above within 6%.
SAMPLED_SEQUENCES, LOGIT_COPIES = 256, 8
BATCHED_TOKENS = 2048
UTILISATION = 0.90


@dataclass(frozen=True, slots=True)
class Fit:
    """Memory of one card, in GiB unless said otherwise.

    Attributes:
        kv_bytes_per_token: on one card. kv_tokens: that the KV cache holds in all.
        max_model_len: longest single sequence, at most what the model knows positions for; 0 if even the weights do not fit.
        wanted_len: the context asked for, or None.
    """

    memory: float
    usable: float
    weights: float
    activations: float
    free_for_kv: float
    kv_bytes_per_token: float
    kv_tokens: int
    max_model_len: int
    wanted_len: int | None

    @property
    def weights_fit(self) -> bool:
        return self.weights < self.usable

    @property
    def fits(self) -> bool:
        return self.max_model_len > 0 and (self.wanted_len is None or self.kv_tokens >= self.wanted_len)


def weights_gib(shape: ModelShape, weights: Format) -> float:
    """Resident size of the weights, embedding included."""
    outside = shape.head_params * (1 if shape.tied else 2) * weights.head_bits
    return (shape.linear_params * weights.bits + outside) / 8 / GIB


def activation_gib(shape: ModelShape, batched_tokens: int = BATCHED_TOKENS, tp: int = 1) -> float:
    """Peak of working memory: logits of the sampled sequences, and three MLP buffers and one hidden state a token."""
    logits = SAMPLED_SEQUENCES * shape.vocab * 4 * LOGIT_COPIES
    return (logits + batched_tokens * 2 * (3 * shape.intermediate / tp + shape.hidden)) / GIB


def fit(
    shape: ModelShape,
    weights: Format,
    memory_gib: float,
    utilisation: float = UTILISATION,
    tp: int = 1,
    kv_bytes: float = 2.0,
    wanted_len: int | None = None,
    batched_tokens: int = BATCHED_TOKENS,
    known_weights_gib: float | None = None,
) -> Fit:
    """Where the memory of a card goes.

    Args:
        memory_gib: of one card, as the driver reports it. tp: cards that share the weights and the KV heads.
        known_weights_gib: on one card, as a start-up log states it; else counted.
    """
    usable = memory_gib * SEEN_SHARE * utilisation
    resident = known_weights_gib or weights_gib(shape, weights) / tp
    activations = activation_gib(shape, batched_tokens, tp)
    free = usable - resident - activations - CONTEXT_GIB
    # Latent attention keeps one copy on every card; heads are split, down to one a card.
    share = 1 if shape.kv_latent else min(tp, shape.kv_heads)
    per_token = shape.kv_bytes_per_token(kv_bytes) / share
    tokens = max(0, int(free * GIB / per_token))
    longest = min(tokens, shape.max_position) if shape.max_position else tokens
    return Fit(memory_gib, usable, resident, activations, max(free, 0.0), per_token, tokens, longest, wanted_len)
