"""From the facts of a case to what the arithmetic needs, with every assumption made on the way. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kb.condition import version_key
from probes.facts import FactSet
from probes.roofline import Format, Gpu, ModelShape, gpu, model_shape, weight_format
from probes.roofline.decode import Launch
from probes.roofline.fit import UTILISATION, weights_gib
from probes.roofline.models import shape_of_sizes
from probes.vocabulary.declare import Value

# Runtimes in C++ or CUDA, without Python inside the step.
LEAN = {"llama.cpp", "ollama", "lmstudio", "exllamav2", "tabbyapi", "mlc", "tensorrt-llm", "ktransformers"}
EAGER = {"transformers", "text-generation-webui", "fastchat"}
# What a launch flag or the checkpoint's own method says about the format.
METHODS = {
    "gptq": "gptq-int4", "gptq_marlin": "gptq-int4", "auto_gptq": "gptq-int4", "awq": "awq-int4", "awq_marlin": "awq-int4",
    "auto_awq": "awq-int4", "fp8": "fp8", "bitsandbytes": "bnb-nf4", "mxfp4": "mxfp4", "modelopt_fp4": "nvfp4", "exl2": "exl2",
}  # fmt: skip
DTYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float8": "fp8"}
RAISED_IN, RAISED_UTILISATION = (0, 20), 0.92  # vLLM's default, 0.90 before
CONTEXT, PROMPT, ANSWER = 512, 512, 128  # tokens, where nobody says; the case that the expectation was measured with


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that was taken as given; `confidence` A to D as in the tables."""

    zh: str
    en: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Setting:
    """Card, model and load of a case; None for what nobody said and nothing stands in for.

    Attributes:
        format_known: the weight format was said, not assumed.
        tp: cards that share every layer. spread: cards that the weights lie on, by layers or within them.
        batch: sequences that run at once.
    """

    card: Gpu | None
    shape: ModelShape | None
    weights: Format
    format_known: bool
    launch: Launch
    tp: int
    spread: int
    nvlink: bool | None
    batch: int
    context: int
    prompt: int
    answer: int
    kv_bytes: float
    memory_gib: float | None
    utilisation: float
    assumptions: tuple[Assumption, ...]

    @property
    def layout_guessed(self) -> bool:
        """Only the size of the model is known, so heads and layers are another model's."""
        return self.shape is not None and self.shape.confidence == "D"

    @property
    def bytes_and_card_known(self) -> bool:
        """Enough is certain to call a speed impossible."""
        return self.format_known and self.card is not None and not self.card.ambiguous


def setting(facts: FactSet) -> Setting:
    """Everything that the facts say about card, model and load."""
    notes: list[Assumption] = []
    card = _card(facts, notes)
    shape = _shape(facts, notes)
    weights, known = _weights(facts, notes)
    memory = _number(facts, "gpu.memory_total_gib") or (
        card.memory_gb if card and not card.ambiguous and card.memory_gb else None
    )
    utilisation = _utilisation(facts)
    tp = _tensor_parallel(facts, shape, weights, memory, notes)
    return Setting(
        card=card, shape=shape, weights=weights, format_known=known, launch=_launch(facts), memory_gib=memory,
        tp=tp, spread=_spread(facts, tp), nvlink=_nvlink(facts), batch=_batch(facts),
        kv_bytes=1.0 if "8" in str(facts.value("engine.kv_cache_dtype") or "") else 2.0, utilisation=utilisation,
        **_lengths(facts, notes), assumptions=tuple(notes),
    )  # fmt: skip


def _number(facts: FactSet, name: str) -> float | None:
    value = facts.value(name)
    return float(value) if isinstance(value, (int, float)) and value > 0 else None


def _text(facts: FactSet, name: str) -> str:
    return str(facts.value(name) or "")


def _card(facts: FactSet, notes: list[Assumption]) -> Gpu | None:
    name, measured = _text(facts, "gpu.name"), _number(facts, "gpu.measured_bandwidth_gbs")
    card = gpu(name, _number(facts, "gpu.memory_total_gib")) if name else None
    if card and not measured:
        source = f"{card.bandwidth_gbs:g} GB/s" if card.bandwidth_gbs else "-"
        notes.append(
            Assumption(
                f"{card.name} 按表中带宽 {source} 计算", f"{card.name} with {source} from the table", card.confidence
            )
        )
    if measured:
        unlisted = Gpu(name or "GPU", 0.0, None, None, None, None, None, True, None, None, None, None, "measured", "A")
        card = (card or unlisted).with_measured(measured)
    return card


def _shape(facts: FactSet, notes: list[Assumption]) -> ModelShape | None:
    size, active = _number(facts, "model.params_b"), _number(facts, "model.active_params_b")
    names = [name for key in ("model.name", "engine.served_model", "engine.model_path") if (name := _text(facts, key))]
    found = [shape for name in names if (shape := model_shape(name, size))]
    if not found and size:
        moe = active is not None and active < size
        found = [shape] if (shape := model_shape(f"{size:g}B-A{active:g}B" if moe else None, size)) else []
    stated = _stated_sizes(facts)
    if (laid_out := shape_of_sizes(stated, mixture=facts.value("model.is_moe") is True)) is not None:
        found.append(replace(laid_out, name=names[0] if names else laid_out.name))
    shape = min(found, key=lambda item: item.confidence, default=None)
    if shape is None:
        return None
    if shape.confidence == "D" and len(stated) < 4:
        notes.append(Assumption(
            f"只知道规模约 {shape.params_b:g}B，按 {shape.name} 的结构计算", f"only the size, {shape.params_b:g}B, is known; counted with the layout of {shape.name}", "D"))  # fmt: skip
    return replace(shape, **stated)


def _stated_sizes(facts: FactSet) -> dict[str, Any]:
    names = {"layers": "model.layers", "hidden": "model.hidden", "kv_heads": "model.kv_heads", "head_dim": "model.head_dim",
             "intermediate": "model.intermediate", "vocab": "model.vocab", "max_position": "model.max_position"}  # fmt: skip
    return {field: int(value) for field, name in names.items() if (value := _number(facts, name))}


def _weights(facts: FactSet, notes: list[Assumption]) -> tuple[Format, bool]:
    quant = stated_format(facts)
    group = facts.value("model.group_size")
    if quant:
        bits = _number(facts, "model.quant_bits")
        return weight_format(quant, int(group) if isinstance(group, int) else None, bits), True
    notes.append(
        Assumption("没有说明量化格式，按 16 位权重计算", "no weight format was said; counted with 16-bit weights", "D")
    )
    return weight_format("bf16"), False


def stated_format(facts: FactSet) -> str | None:
    """The value of `model.quant` that the facts state or imply, None where they are silent."""
    if quant := _text(facts, "model.quant"):
        upcast = quant in DTYPES.values() and facts.value("engine.dtype") == "float32"
        return "fp32" if upcast else quant
    method = (_text(facts, "engine.quantization_flag") or _text(facts, "model.quant_method")).lower()
    if method in METHODS:
        eight_bit = _number(facts, "model.quant_bits") == 8
        return (
            {"gptq-int4": "gptq-int8", "bnb-nf4": "bnb-int8"}.get(METHODS[method], METHODS[method])
            if eight_bit
            else METHODS[method]
        )
    name = " ".join(_text(facts, key) for key in ("model.name", "engine.served_model", "engine.model_path")).lower()
    for mark, format_name in (("gptq-int8", "gptq-int8"), ("gptq", "gptq-int4"), ("awq", "awq-int4"), ("fp8", "fp8")):
        if mark in name:
            return format_name
    return DTYPES.get(_text(facts, "engine.dtype")) or DTYPES.get(_text(facts, "model.checkpoint_dtype"))


def _launch(facts: FactSet) -> Launch:
    engine = _text(facts, "engine.name")
    return "lean" if engine in LEAN else "eager" if engine in EAGER else "graphs"


def _tensor_parallel(
    facts: FactSet, shape: ModelShape | None, weights: Format, memory: float | None, notes: list[Assumption]
) -> int:
    stated, cards = _number(facts, "engine.tensor_parallel"), int(_number(facts, "gpu.count") or 1)
    if stated:
        return int(stated)
    if cards == 1:
        return 1
    if shape and memory and weights_gib(shape, weights) > memory and _launch(facts) == "graphs":
        notes.append(
            Assumption(
                f"一张卡放不下，按 {cards} 卡张量并行计算",
                f"too big for one card; counted with tensor parallel over {cards}",
                "C",
            )
        )
        return cards
    notes.append(
        Assumption("没有说明张量并行，按一张卡计算", "no tensor parallel size was said; counted with one card", "C")
    )
    return 1


def _spread(facts: FactSet, tp: int) -> int:
    """Engines without tensor parallel of their own lay whole layers on every card that they see."""
    if _launch(facts) == "graphs":
        return tp * int(_number(facts, "engine.pipeline_parallel") or 1)
    return max(tp, int(_number(facts, "gpu.count") or 1))


def _nvlink(facts: FactSet) -> bool | None:
    link: Value | None = facts.value("gpu.nvlink")
    if isinstance(link, bool):
        return link
    kind = facts.value("gpu.link")
    return None if kind is None else kind == "nvlink"


def _batch(facts: FactSet) -> int:
    stated = _number(facts, "load.concurrency") or _number(facts, "metrics.requests_running") or 1
    return max(1, round(stated))


def _utilisation(facts: FactSet) -> float:
    """The share of memory that the engine may take, or vLLM's default."""
    stated = _number(facts, "engine.gpu_memory_utilization")
    if stated and stated <= 1:
        return stated
    newer = version_key(_text(facts, "engine.version")) >= RAISED_IN and _text(facts, "engine.name") == "vllm"
    return RAISED_UTILISATION if newer else UTILISATION


def _lengths(facts: FactSet, notes: list[Assumption]) -> dict[str, int]:
    prompt = _number(facts, "load.prompt_tokens") or _number(facts, "metrics.prompt_tokens_mean")
    answer = _number(facts, "load.output_tokens") or _number(facts, "metrics.output_tokens_mean")
    context = _number(facts, "load.context_tokens") or (prompt + (answer or 0) / 2 if prompt else None)
    if context is None:
        notes.append(
            Assumption(
                f"没有说明上下文长度，按 {CONTEXT} 个 token 计算",
                f"no context length was said; counted with {CONTEXT} tokens",
                "C",
            )
        )
    return {
        "context": int(context or CONTEXT),
        "prompt": int(prompt or PROMPT),
        "answer": max(1, int(answer or ANSWER)),
    }
