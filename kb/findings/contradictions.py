"""Facts of one case that cannot all be true, or that say that something is not in effect. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kb import explain
from kb.findings.read import finding, number
from kb.judgement import Finding
from kb.normal.setting import Setting, setting
from probes.facts import Fact, FactSet
from probes.roofline import weight_format
from probes.roofline.fit import weights_gib

# Logged weights follow the count within 1% for known shapes; three formats lie a factor of 1.6 or more apart, so a tenth
# either way tells them apart.
SAME_SIZE = 0.10
# The sum of unquantised weights and a CUDA context, against what nvidia-smi shows, read as GB or GiB.
USED_LOW, USED_HIGH = 0.93, 1.10
# What is said of one server and shown by it; a prose that compares several names several values, and one of them agrees.
TOLD_AND_SHOWN = (
    "gpu.name",
    "engine.name",
    "engine.version",
    "engine.tensor_parallel",
    "engine.enforce_eager",
    "model.quant",
)
MACHINES = {"probe", "metrics", "nvidia_smi", "log", "config", "command"}
# Fully used and idle, side by side: bounds of the decision table for one decode window.
BUSY_PCT, IDLE_PCT = 50.0, 20.0


def one_card_busy(facts: FactSet) -> Iterator[Finding]:
    split = number(facts, "engine.tensor_parallel") or 1
    if split < 2:
        return
    loads = [float(fact.value) for fact in facts.holding("gpu.utilization_pct") if fact.subject]
    uneven = len(loads) > 1 and max(loads) >= BUSY_PCT and min(loads) < IDLE_PCT
    if uneven or facts.value("observed.one_gpu_busy") is True:
        yield finding(
            "contradiction",
            f"张量并行设为 {split:.0f}，却只有一张卡在忙：参数可能没有生效，或看的不是这个进程。",
            f"Tensor parallel is {split:.0f}, yet only one card is busy: the flag may not be in effect, or this is not that process.",
            facts, "engine.tensor_parallel", "observed.one_gpu_busy", "gpu.utilization_pct",
        )  # fmt: skip


def more_parallel_than_cards(facts: FactSet) -> Iterator[Finding]:
    split, cards = number(facts, "engine.tensor_parallel"), number(facts, "gpu.count")
    if split and cards and split > cards and not (number(facts, "host.nodes") or 1) > 1:
        yield finding(
            "contradiction",
            f"张量并行 {split:.0f}，但只有 {cards:.0f} 张卡。",
            f"Tensor parallel is {split:.0f} with {cards:.0f} cards.",
            facts,
            "engine.tensor_parallel",
            "gpu.count",
        )


def weights_larger_than_format(facts: FactSet) -> Iterator[Finding]:
    """The start-up log loads 16-bit weights where a quantised format was said."""
    case, logged = setting(facts), number(facts, "engine.weights_gib")
    sizes = _sizes(case)
    if sizes is None or not logged:
        return
    quantised, unquantised = sizes
    if abs(logged * case.spread / unquantised - 1) <= SAME_SIZE:
        yield finding(
            "contradiction",
            f"说的是 {case.weights.name}，但日志中权重 {logged:.1f} GiB，正是 16 位权重的大小（{case.weights.name} 应约 {quantised / case.spread:.1f} GiB）：量化没有生效。",
            f"{case.weights.name} was said, but the log loads {logged:.1f} GiB of weights, the size of 16-bit ones "
            f"({case.weights.name} would be {quantised / case.spread:.1f} GiB): the quantisation is not in effect.",
            facts, "model.quant", "engine.weights_gib", "model.name", "model.params_b",
        )  # fmt: skip


def memory_of_unquantised_weights(facts: FactSet) -> Iterator[Finding]:
    """Used memory is neither the quantised weights nor what an engine reserves, but just that of 16-bit weights."""
    case, used = setting(facts), number(facts, "gpu.memory_used_gib")
    sizes = _sizes(case)
    if sizes is None or not used or facts.best("engine.weights_gib"):
        return
    # People state one card or the sum of all.
    like_16_bit = any(USED_LOW <= used / (sizes[1] / cards) <= USED_HIGH for cards in {case.spread, 1})
    reserved = case.utilisation * case.memory_gib if case.memory_gib else None
    if like_16_bit and (reserved is None or used < reserved * (1 - SAME_SIZE)):
        yield finding(
            "contradiction",
            f"说的是 {case.weights.name}（权重约 {sizes[0]:.1f} GiB），但显存用了 {used:.0f} GB，接近 16 位权重的 {sizes[1]:.1f} GiB，"
            "也不是引擎按 gpu-memory-utilization 预留的大小：请看启动日志中的权重大小，量化可能没有生效。",
            f"{case.weights.name} was said (about {sizes[0]:.1f} GiB of weights), but {used:.0f} GB are in use, close to the "
            f"{sizes[1]:.1f} GiB of 16-bit weights and not what an engine reserves by gpu-memory-utilization. See the weight size in "
            "the start-up log: the quantisation may not be in effect.",
            facts, "model.quant", "gpu.memory_used_gib", "model.name", "model.params_b", "engine.gpu_memory_utilization",
        )  # fmt: skip


def _sizes(case: Setting) -> tuple[float, float] | None:
    """GiB of the weights as said and unquantised, None where the format is unknown or not a smaller one."""
    if case.shape is None or not case.format_known or case.weights.kernel == "16":
        return None
    return weights_gib(case.shape, case.weights), weights_gib(case.shape, weight_format("fp16"))


def fits_but_runs_out(facts: FactSet) -> Iterator[Finding]:
    """Memory runs out although weights and a context fit by the count."""
    if not any(fact.value == "oom" for fact in facts.all("symptom.kind")):
        return
    longest, fits = number(facts, "fit.max_model_len"), facts.value("fit.fits")
    if fits is True and longest:
        yield finding(
            "contradiction",
            f"按计算放得下（单个请求最长 {longest:.0f} 个 token），却报显存不足：先看报错是 CUDA OOM 还是 KV cache 容量检查，以及有没有别的进程占显存。",
            f"By the count it fits (one request up to {longest:.0f} tokens), yet memory runs out: see whether the message is a CUDA OOM "
            "or the check of the KV cache, and whether another process holds memory.",
            facts, "symptom.kind", "fit.fits", "fit.max_model_len", "gpu.memory_total_gib",
        )  # fmt: skip


def faster_than_physics(facts: FactSet) -> Iterator[Finding]:
    if facts.value("normal.state") == "faster-than-physics":
        yield finding(
            "contradiction",
            "速度超过了显存带宽的上限：卡、模型或量化格式有一项不对，或者这是多路的总速度。",
            "The speed is beyond what memory bandwidth allows: card, model or format is wrong, or it is the sum of several streams.",
            facts, "normal.state", "decode.tokens_per_s", "decode.tpot_ms", "metrics.tpot_mean_ms",
        )  # fmt: skip


def words_and_machine(facts: FactSet) -> Iterator[Finding]:
    """What a person writes is not what a tool printed or a probe read."""
    for name in TOLD_AND_SHOWN:
        told = [fact for fact in facts.all(name) if fact.provenance.origin == "text"]
        shown = [fact for fact in facts.all(name) if fact.provenance.origin in MACHINES]
        if told and shown and not any(_agree(one, other) for one in told for other in shown):
            said, seen = explain.fact(told[0]), explain.fact(shown[0])
            yield Finding(
                "contradiction",
                f"描述里说 {said.zh}，但贴出或测到的是 {seen.zh}：以后者为准；如果说的不是同一台服务，请分开提交。",
                f"The words say {said.en}, but what was pasted or measured says {seen.en}, which counts. If they are about two "
                "servers, ask about each by itself.",
                (told[0], shown[0]),
            )  # fmt: skip


def _agree(told: Fact, shown: Fact) -> bool:
    """The same value, or one that names the other more closely: int4 and gptq-int4, H100 and H100 SXM, 0.8 and 0.8.5."""
    one, other = str(told.value).casefold(), str(shown.value).casefold()
    return one in other or other in one


CONTRADICTIONS = (
    words_and_machine, one_card_busy, more_parallel_than_cards, weights_larger_than_format, memory_of_unquantised_weights, fits_but_runs_out,
    faster_than_physics,
)  # fmt: skip
