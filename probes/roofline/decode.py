"""How fast a step can be, and how fast it usually is. Pure.

Ceiling: bytes a step must read over the bandwidth. Nobody reaches it, and small or quantised models miss it by the most,
because a step also costs a fixed time; so a fixed share of the ceiling is no fair threshold. Two models were fitted on
measurements, and the expectation is the range between them:

* fast: bytes over what a reading kernel reaches + 1.2 ms (16 bit), 1.4 ms (8 bit), 1.6 ms (4 bit). vLLM 0.24 with CUDA
  graphs and asynchronous scheduling, H200, 28 layers (own measurement: 4.61, 3.25, 2.70 ms; 0.5B 1.56 ms).
* slow: bytes over 0.877 of the peak + 3.93 ms for 28 layers. Fitted on the Qwen team's vLLM 0.6.3 figures (A100, 7B, three
  formats, residuals under 1%); a 3090 predicted at 10.1 ms measured 9.6.

Without CUDA graphs the fixed time is 10 to 30 ms (vLLM eager on an H200 12.5; transformers on an A100 23 to 32, on a 3090 33).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from probes.roofline.formats import Format
from probes.roofline.gpus import Gpu
from probes.roofline.models import ModelShape

Launch = Literal["graphs", "lean", "eager"]
State = Literal["normal", "look-closer", "slow", "far-too-slow", "faster-than-physics", "unknown"]

REFERENCE_LAYERS = 28
FAST_FIXED_MS = {"16": 1.2, "8": 1.4, "4": 1.6}
# C++ runtimes without Python in the step: ExLlamaV2 4-bit 7B on a 4090 5.05 ms, of which 3.9 are bytes.
LEAN_FIXED_MS = 1.0
SLOW_FIXED_MS = 3.93
EAGER_FIXED_MS = (10.0, 30.0)
# A device copy reaches 85-92% of the peak; the slow figure belongs to the fit above.
FAST_SHARE, SLOW_SHARE = 0.92, 0.877
# Beyond 2k tokens of context the measured cost of the KV cache was 2.3-2.7 times its bytes (vLLM 0.6.3); 14k cost
# nothing extra on 0.24.
LONG_CONTEXT, SLOW_KV_FACTOR = 2048, 2.7
# Share of dense 16-bit peak: an 8192 matrix product on an H200 reached 773 of 989 TFLOP/s.
FAST_COMPUTE, SLOW_COMPUTE = 0.78, 0.35
# Seconds of latency for one hop of an all-reduce, and link speed: NVLink, PCIe. Two cards without peer access: 20-40 us.
NVLINK_HOP_S, PCIE_HOP_S, SLOW_PCIE_HOP_S = 5e-6, 10e-6, 20e-6
NVLINK_BYTES_S, PCIE_BYTES_S = 250e9, 20e9
# An idle server answered 512 tokens in 18 ms where arithmetic takes 9; with a starved CPU 44.
PREFILL_FIXED_S = (0.010, 0.050)

HEALTHY, LOOK_CLOSER = (
    1.3,
    2.5,
)  # times the slow expectation; from the residuals of the fit and the spread between hosts
# Known slow kernels and eager paths reach 5-15% of the ceiling; offload, starvation, tracing and misreadings 0.5-3%.
FAR_TOO_SLOW_SHARE = 0.03
# A reading faster than 97% of the floor says that card, model or format was entered wrong, or that a step gives several tokens.
PHYSICS = 0.97


@dataclass(frozen=True, slots=True)
class Decode:
    """One decode step to judge.

    Attributes:
        batch: sequences in the step. context: tokens behind each.
        kv_bytes: bytes a number of the KV cache. tp: cards that share every layer.
        nvlink: whether these are joined by NVLink; None if nobody knows.
        launch: how kernels are started: captured graphs, a C++ runtime, or one by one from Python.
        prompt, answer: mean tokens of the requests in the batch, where their prefills interrupt this stream.
    """

    shape: ModelShape
    card: Gpu
    weights: Format
    batch: int = 1
    context: int = 512
    kv_bytes: float = 2.0
    tp: int = 1
    nvlink: bool | None = None
    launch: Launch = "graphs"
    prompt: int = 512
    answer: int = 128

    @property
    def weight_bytes(self) -> float:
        linear = self.shape.linear_params_read(self.batch) * self.weights.bits / 8
        return linear + self.shape.head_params * self.weights.head_bits / 8

    @property
    def cache_bytes(self) -> float:
        return self.batch * self.shape.kv_bytes_read(self.context, self.kv_bytes)


@dataclass(frozen=True, slots=True)
class Term:
    """One part of a step, as (fast, slow) milliseconds."""

    kind: Literal["weights", "cache", "arithmetic", "all-reduce", "launch", "prefill"]
    fast_ms: float
    slow_ms: float


@dataclass(frozen=True, slots=True)
class Expectation:
    """How long a step takes, in milliseconds.

    Attributes:
        floor_ms: bytes over the bandwidth counted with; no engine is faster, unless a step gives several tokens.
        physics_ms: the same over the highest bandwidth known for the card.
        fast_ms, slow_ms: the realistic range. terms: what they are the sum of.
    """

    floor_ms: float
    physics_ms: float
    fast_ms: float
    slow_ms: float
    terms: tuple[Term, ...]
    bytes_per_step: float

    @property
    def ceiling_tokens_per_s(self) -> float:
        """Of one sequence."""
        return 1000 / self.floor_ms

    @property
    def tokens_per_s(self) -> tuple[float, float]:
        """The realistic range of one sequence, (low, high)."""
        return 1000 / self.slow_ms, 1000 / self.fast_ms


def decode(step: Decode) -> Expectation | None:
    """The expectation for a step, or None where no bandwidth of the card is known."""
    bandwidth, peak = step.card.ceiling_gbs, step.card.peak_gbs
    if not bandwidth or not peak:
        return None
    read = step.weight_bytes + step.cache_bytes
    floor_ms = read / (step.tp * bandwidth * 1e6)
    terms = _terms(step, bandwidth)
    return Expectation(
        floor_ms=floor_ms,
        physics_ms=floor_ms * bandwidth / peak,
        fast_ms=sum(term.fast_ms for term in terms),
        slow_ms=sum(term.slow_ms for term in terms),
        terms=terms,
        bytes_per_step=read,
    )


def _terms(step: Decode, bandwidth: float) -> tuple[Term, ...]:
    reached = 1.0 if step.card.measured_gbs else step.card.achievable_share
    fast, slow = (step.tp * bandwidth * 1e6 * (reached or share) for share in (FAST_SHARE, SLOW_SHARE))
    factor = SLOW_KV_FACTOR if step.context > LONG_CONTEXT else 1.0
    weights = Term("weights", step.weight_bytes / fast, step.weight_bytes / slow)
    cache = Term("cache", step.cache_bytes / fast, factor * step.cache_bytes / slow)
    terms = [weights, cache, _arithmetic(step, weights, cache), _all_reduce(step), _launch(step), _others_prefill(step)]
    return tuple(term for term in terms if term.slow_ms > 0)


def _arithmetic(step: Decode, weights: Term, cache: Term) -> Term:
    """What arithmetic takes beyond the reading, which it overlaps."""
    if not step.card.tflops_16:
        return Term("arithmetic", 0.0, 0.0)
    flops = 2 * step.shape.active_params_b * 1e9 * step.batch / step.tp
    fast, slow = (flops / (step.card.tflops_16 * 1e9 * share) for share in (FAST_COMPUTE, SLOW_COMPUTE))
    return Term(
        "arithmetic",
        max(0.0, fast - weights.fast_ms - cache.fast_ms),
        max(0.0, slow - weights.slow_ms - cache.slow_ms),
    )


def _all_reduce(step: Decode) -> Term:
    """Two all-reduces a layer in a ring: 2 (tp - 1) hops each, and the bytes of one activation a sequence."""
    if step.tp < 2:
        return Term("all-reduce", 0.0, 0.0)
    fast_hop, fast_link = (PCIE_HOP_S, PCIE_BYTES_S) if step.nvlink is False else (NVLINK_HOP_S, NVLINK_BYTES_S)
    slow_hop, slow_link = (NVLINK_HOP_S, NVLINK_BYTES_S) if step.nvlink else (SLOW_PCIE_HOP_S, PCIE_BYTES_S)
    hops, moved = 2 * (step.tp - 1), 2 * (step.tp - 1) / step.tp * step.batch * step.shape.hidden * 2
    times = 2 * step.shape.layers * 1000
    return Term(
        "all-reduce", times * (hops * fast_hop + moved / fast_link), times * (hops * slow_hop + moved / slow_link)
    )


def _launch(step: Decode) -> Term:
    depth = step.shape.layers / REFERENCE_LAYERS
    if step.launch == "eager":
        return Term("launch", EAGER_FIXED_MS[0] * depth, EAGER_FIXED_MS[1] * depth)
    fast = LEAN_FIXED_MS if step.launch == "lean" else FAST_FIXED_MS[step.weights.kernel]
    return Term("launch", fast * depth, SLOW_FIXED_MS * depth)


def _others_prefill(step: Decode) -> Term:
    """A batch of B with answers of A tokens starts B/A prefills a step, and each interrupts all streams.

    Own measurement, H200, 7B bf16, 512 in, 128 out: 8.1 ms a token for 32 streams, 17.9 for 128.
    """
    seconds = prefill_s(step.shape, step.card, step.prompt, step.tp) if step.batch > 1 else None
    if not seconds:
        return Term("prefill", 0.0, 0.0)
    a_step = 1000 * step.batch / step.answer
    return Term("prefill", *(a_step * (total - fixed) for total, fixed in zip(seconds, PREFILL_FIXED_S, strict=True)))


def judge_speed(token_ms: float, expected: Expectation) -> tuple[State, float, float]:
    """State, times slower than the slow expectation, and share of the ceiling, of a measured time a token.

    Raises:
        ValueError: a time that is not positive.
    """
    if token_ms <= 0:
        raise ValueError("a token takes more than 0 ms")
    slowdown, share = token_ms / expected.slow_ms, expected.floor_ms / token_ms
    if token_ms < PHYSICS * expected.physics_ms:
        return "faster-than-physics", slowdown, share
    if slowdown <= HEALTHY:
        return "normal", slowdown, share
    if slowdown <= LOOK_CLOSER:
        return "look-closer", slowdown, share
    return ("far-too-slow" if share <= FAR_TOO_SLOW_SHARE else "slow"), slowdown, share


def prefill_s(shape: ModelShape, card: Gpu, prompt_tokens: int, tp: int = 1) -> tuple[float, float] | None:
    """Seconds (fast, slow) until the first token of one prompt on an idle server; None where the arithmetic rate is unknown.

    2 x parameters x tokens, and the causal half of 4 x tokens^2 x heads x head size a layer, over the 16-bit peak.
    """
    if not card.tflops_16:
        return None
    embeddings = shape.head_params * (1 if shape.tied else 2)
    linear = 2 * max(shape.active_params_b * 1e9 - embeddings, 0.0) * prompt_tokens
    attention = 2 * prompt_tokens**2 * shape.layers * shape.heads * shape.head_dim
    peak = tp * card.tflops_16 * 1e12
    fast, slow = ((linear + attention) / (peak * share) for share in (FAST_COMPUTE, SLOW_COMPUTE))
    return fast + PREFILL_FIXED_S[0], slow + PREFILL_FIXED_S[1]
