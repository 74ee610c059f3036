"""Names of models and what a name states: size, active size, format, kind. Pure."""

from __future__ import annotations

import re2

from kb.facts.collect import Collector

FAMILIES = (
    "Qwen|QwQ|QVQ|CodeQwen|Llama|LLaMA|CodeLlama|TinyLlama|Vicuna|Alpaca|DeepSeek|Mistral|Mixtral|Ministral|Magistral|Codestral|"
    "Devstral|Pixtral|Gemma|PaliGemma|ChatGLM|CodeGeeX|VisualGLM|CogVLM|GLM|Baichuan|InternLM|InternVL|Mini-InternVL|Yi|Phi|Falcon|MPT|WizardCoder|"
    "WizardLM|Wizard-Vicuna|StarCoder|Nemotron|Command-R|Granite|Kimi|MiniCPM|MiniMax|gpt-oss|BLOOM|OPT|GPT-J|GPT-NeoX|Pythia|SOLAR|Orca|Zephyr|"
    "SmolLM|OLMo|Hunyuan|ERNIE|Seed-OSS|XVERSE|Aquila|Skywork|Ling|Ring|LLaVA|Molmo|Whisper|Nous|Hermes|Guanaco|OpenHermes|Jamba|DBRX|Grok|EXAONE|Aya|Step"
)
_SIZE = re2.compile(r"(?i)(?:^|[^\w.]|[-_ :])(\d{1,4}(?:\.\d{1,3})?)\s?B(?:$|[^A-Za-z0-9])")
_MIXTURE = re2.compile(r"(?i)\b(\d{1,2})x(\d{1,3}(?:\.\d)?)B\b")
_ACTIVE = re2.compile(r"(?i)[-_ ]A(\d{1,3}(?:\.\d{1,2})?)B(?:$|[^A-Za-z0-9])")
# Total and active parameters of models whose name gives neither: model cards of Mistral AI and DeepSeek.
_KNOWN: tuple[tuple[str, float, float], ...] = (
    ("mixtral-8x7b", 46.7, 12.9), ("mixtral-8x22b", 141, 39), ("deepseek-v3", 671, 37), ("deepseek-r1", 671, 37),
    ("deepseek-v2-lite", 15.7, 2.4), ("gpt-oss-20b", 20.9, 3.6), ("gpt-oss-120b", 116.8, 5.1),
)  # fmt: skip

# Weight formats as written, most telling first.
QUANT_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"nvfp4|nv-fp4", "nvfp4"),
    (r"mxfp4", "mxfp4"),
    (r"(?:iq|q)([2-68])(?:_[k01](?:_(?:xxs|xs|xl|[sml]))?|_[a-z]{1,3})", "gguf-q"),
    (r"gptq[-_ ]{0,2}(?:int)?8(?:[-_ ]?bits?)?|(?:int8|8[-_ ]?bits?)[-_ ]gptq", "gptq-int8"),
    (r"(?:auto)?gptq(?:[-_ ]{0,2}(?:int4|4[-_ ]?bits?))?|(?:int4|4[-_ ]?bits?)[-_ ]gptq", "gptq-int4"),
    (r"(?:auto)?awq(?:[-_ ]{0,2}(?:int4|4[-_ ]?bits?|w4a16))?|(?:int4|4[-_ ]?bits?)[-_ ]awq", "awq-int4"),
    (r"exl2|exllamav2[- ]quant|\d\.\d{1,2} ?bpw", "exl2"),
    (
        r"(?:bnb|bitsandbytes)[-_ ]{0,2}(?:int8|8[-_ ]?bits?)|load_in_8bit|llm\.int8|(?:int8|8[-_ ]?bits?)[-_ ](?:bnb|bitsandbytes)",
        "bnb-int8",
    ),
    (r"(?:bnb|bitsandbytes)(?:[-_ ]{0,2}(?:nf4|int4|4[-_ ]?bits?))?|load_in_4bit|\bnf4|qlora", "bnb-nf4"),
    (r"w8a8(?:[-_ ]?int8)?|smoothquant", "w8a8-int8"),
    (r"fp8|float8|e4m3", "fp8"),
    (r"w4a16|int[-_ ]?4|4[-_ ]?bits?|4[-_ ]?比特|4位量化", "int4"),
    (r"w8a16|int[-_ ]?8|8[-_ ]?bits?|8[-_ ]?比特|8位量化", "int8"),
)
_QUANTS = [
    (re2.compile(f"(?i)(?:^|[^A-Za-z0-9])({pattern})(?:$|[^A-Za-z0-9])"), quant) for pattern, quant in QUANT_PATTERNS
]
_REASONING = re2.compile(r"(?i)deepseek-r1|\bqwq\b|thinking|reasoner|magistral")
_MULTIMODAL = re2.compile(
    r"(?i)[-_.]VL\b|VL\d?(?:[-_.]|$)|vision|llava|MiniCPM-[VO]|internvl|visualglm|cogvlm|pixtral|paligemma|omni"
)


def quant_of(text: str) -> str | None:
    """The weight format that a name states, or None."""
    for pattern, quant in _QUANTS:
        if match := pattern.search(text):
            return _gguf(match.group(1)) if quant == "gguf-q" else quant
    return None


def _gguf(written: str) -> str:
    return "gguf-q" + next(char for char in written if char.isdigit())


def size_of(name: str) -> tuple[float | None, float | None]:
    """Total and active parameters in billions that a name states."""
    lower = name.lower().replace(" ", "-").replace("_", "-")
    if "distill" not in lower:
        for known, total, active in _KNOWN:
            if known in lower:
                return total, active
    active = _ACTIVE.search(name)
    if _MIXTURE.search(name):
        return None, None
    sizes = [float(match.group(1)) for match in _SIZE.finditer(name)]
    total = next((size for size in sizes if 0.05 <= size <= 3000), None)
    return total, float(active.group(1)) if active else None


def basename(path: str) -> str:
    """The model's name in a path or repository id: the last part, without file endings."""
    parts = [part for part in path.rstrip("/\\").replace("\\", "/").split("/") if part]
    if "snapshots" in parts:
        cached = next((part for part in parts if part.startswith("models--")), "")
        return cached.split("--")[-1] or parts[-1]
    return parts[-1].removesuffix(".gguf").removesuffix(".bin") if parts else ""


def add_model(collector: Collector, path: str, span: tuple[int, int]) -> None:
    """State the model and all that its name says."""
    name = basename(path)
    if not name:
        return
    collector.add("model.name", name, span)
    add_size(collector, name, span)
    if quant := quant_of(name):
        collector.add("model.quant", quant, span)
    if _REASONING.search(name):
        collector.add("model.is_reasoning", True, span)
    if _MULTIMODAL.search(name):
        collector.add("model.is_multimodal", True, span)


def add_size(collector: Collector, name: str, span: tuple[int, int]) -> None:
    total, active = size_of(name)
    if total is not None:
        collector.add("model.params_b", total, span)
    if active is not None:
        collector.add("model.active_params_b", active, span)
    if active is not None or _MIXTURE.search(name):
        collector.add("model.is_moe", True, span)
