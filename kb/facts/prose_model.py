"""Which model a person speaks of, its size and weight format, adapters. Pure.

LoRA微调的Qwen2.5-7B,int8 -> model.name Qwen2.5-7B, model.params_b 7, model.lora true, model.quant int8
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.model_names import FAMILIES, QUANT_PATTERNS, add_model, add_size
from kb.facts.prose import polarity, sentence_at, sentences
from probes.facts import Fact

KIND = "prose_model"

# A family with what hangs on it, then version, size and variant words that follow a blank ("Llama 3.1 70B Instruct").
_NAMED = re2.compile(
    rf"(?i)(?:[\w.-]{{1,60}}/)?(?:Meta-|c4ai-|Mini-|NVIDIA-|[\w]{{1,20}}-)?(?:{FAMILIES})(?:[\w.:+-]*\w)?"
    r"(?:\s(?:v?\d(?:\.\d)?|[\d.]{1,4}[Bb]|\d{1,2}x\d{1,3}[Bb]|A\d{1,2}[Bb]|Instruct|Chat|Coder|Base|Distill|VL|Super|Nemo|Small|Large|Medium|Scout|Maverick|AWQ|GPTQ|FP8|NVFP4|[IQ]Q?\d_\w{1,5})\b){0,5}"
)
_SIZED = re2.compile(
    r"\b(?:[\w.-]{1,60}/)?([A-Za-z][A-Za-z0-9_.]{1,30}(?:-[A-Za-z0-9_.]{1,30}){0,5}[-_:]\d{1,3}(?:\.\d{1,2})?[bB](?:[-_:.][A-Za-z0-9_.-]{1,60})?)\b"
)
_SIZE = re2.compile(r"(?i)(?:^|[^\w.])(\d{1,4}(?:\.\d{1,2})?\s?B(?:-A\d{1,2}(?:\.\d)?B)?)(?:$|[^A-Za-z0-9])")
_NOT_A_SIZE = re2.compile(r"(?i)^\s?(?:tokens|params? (?:per|/)|/s|requests)")
# "deepseek-v3 8*H200", "CodeLlama-34B 4.0bpw": the number counts what follows.
_LONE_NUMBER = re2.compile(r"\s\d(?:\.\d)?$")
_COUNTED = re2.compile(r"(?i)^(?:\s?[*x×]|\s?(?:bit|bpw|GPU|card|张|卡)|\.\d)")
# Words that look like a family and are none on their own.
_WEAK = {
    "step",
    "ling",
    "ring",
    "opt",
    "yi",
    "phi",
    "grok",
    "aya",
    "orca",
    "solar",
    "mpt",
    "hermes",
    "nous",
    "bloom",
    "granite",
    "aquila",
    "alpaca",
    "llama",
    "zephyr",
    "whisper",
}
# A short family name at the head of some other word ("option", "yield", "stepwise").
_WEAK_PREFIX = re2.compile(r"^(?:step|ling|ring|opt|yi|phi|grok|aya|orca|solar|mpt|aquila)[a-z]")
_NOT_MODELS = (
    "llama.cpp",
    "llama-cpp",
    "llama_cpp",
    "llamacpp",
    "llama-server",
    "llama-cli",
    "llama-bench",
    "llama-factory",
    "llamafactory",
    "llama-index",
    "llamaindex",
    "ollama",
    "steps",
    "stepping",
    "option",
    "llama_",
)
_KV = re2.compile(r"(?i)kv[- _]?cache|cache[- _]type|\bKV\b|-ct[kv]\b")
_QUANTS = [
    (re2.compile(rf"(?i)(?:^|[^A-Za-z0-9.])({pattern})(?:$|[^A-Za-z0-9])"), quant)
    for pattern, quant in (*QUANT_PATTERNS, (r"unquanti[sz]ed", "fp16"), (r"bf16|bfloat16", "bf16"), (r"fp16|float16|\bf16|half precision|半精度", "fp16"), (r"fp32|float32", "fp32"))
]  # fmt: skip
_TRIED = re2.compile(
    r"(?i)(?:换(?:成|回|了|过)?|改(?:成|用)|试过?(?:了)?|退回|比|相比|than|tried|switch\w* to|back to|compared (?:to|with)|against|instead of|versus|vs\.?)\s?(?:用|the |其他|a |an )?$"
)
_GENERIC = {"int4", "int8", "bnb-nf4", "fp16", "bf16", "fp32"}
_WIDE = ("fp16", "bf16", "fp32")
# What a library converts while it computes is no format of the weights.
_CAST = re2.compile(r"(?i)(?:\bcast|convert|input|activation|计算)[^。\n]{0,50}$")
_NOT_QUANTISED = re2.compile(r"(?i)(?:没有?|未)(?:做|用|经过|开|进行)?量化|\bnot quanti[sz]ed\b")
_LORA = re2.compile(r"(?i)\b(?:Q?LoRA|PEFT)s?\b")
_MERGED = re2.compile(
    r"(?i)(?:LoRA|adapter|适配器).{0,16}?(合并|merged?)|(merged?|合并).{0,16}?(?:LoRA|adapter|适配器|基座)"
)
_RANK = re2.compile(r"(?i)(?:lora[_ -]?)?\b(?:rank|r)\s?(?:=|:|为|是|of)?\s?(\d{1,3})\b")
_MOE = re2.compile(r"(?i)\bMoE\b|mixture[- ]of[- ]experts|混合专家")
_DESC_ACT = re2.compile(r"(?i)desc_act|act[-_ ]order")


def recognise(text: str) -> float:
    return 0.5


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    spans = sentences(text)
    _add_name(collector, spans)
    if not collector.has("model.params_b"):
        _add_bare_size(collector, spans)
    _add_quant(collector, spans)
    _add_lora(collector, spans)
    for pattern, name in ((_MOE, "model.is_moe"), (_DESC_ACT, "model.desc_act")):
        if (match := pattern.search(text)) and not collector.has(name):
            stated = polarity(text, sentence_at(spans, match.start()), *match.span())
            if stated != "asked":
                collector.add(name, stated == "stated", match.span())
    return collector.facts


def _add_name(collector: Collector, spans: list[tuple[int, int]]) -> None:
    """The first model that is stated by name; a name with a size counts before one without."""
    text, found = collector.text, []
    for pattern, group in ((_NAMED, 0), (_SIZED, 0)):
        for match in pattern.finditer(text):
            start, end = match.span(group)
            written = text[start:end]
            if lone := _LONE_NUMBER.search(written) if _COUNTED.match(text[end : end + 6]) else None:
                end = start + lone.start()
                written = text[start:end]
            if _is_model(text, start, written) and polarity(text, sentence_at(spans, start), start, end) != "asked":
                found.append((not _SIZE_IN.search(written), start, -end))
    if found:
        _, start, end = min(found)
        add_model(collector, text[start:-end], (start, -end))


_SIZE_IN = re2.compile(r"(?i)\d\s?b(?:$|[^a-z])")


def _is_model(text: str, start: int, written: str) -> bool:
    lower = written.lower()
    if lower.startswith(_NOT_MODELS) or any(
        word in lower for word in ("llama.cpp", "llama-cpp", "llamafactory", "llama-factory")
    ):
        return False
    if start and (text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] in "_./-\\")):
        return False
    if _WEAK_PREFIX.search(lower):
        return False
    return not (lower in _WEAK or (lower.isalpha() and len(lower) > 14))


def _add_bare_size(collector: Collector, spans: list[tuple[int, int]]) -> None:
    for match in _SIZE.finditer(collector.text):
        start, end = match.span(1)
        if (
            _NOT_A_SIZE.search(collector.text[end : end + 14])
            or polarity(collector.text, sentence_at(spans, start), start, end) == "asked"
        ):
            continue
        add_size(collector, match.group(1).replace("b", "B"), (start, end))
        if collector.has("model.params_b"):
            return


def _add_quant(collector: Collector, spans: list[tuple[int, int]]) -> None:
    """The first weight format stated; a method (GPTQ) counts before bare bits, what was tried instead last."""
    if collector.has("model.quant"):
        return
    text, found = collector.text, []
    for pattern, quant in _QUANTS:
        for match in pattern.finditer(text):
            start, end = match.span(1)
            if _is_kv_cache(text, start, end) or polarity(text, sentence_at(spans, start), start, end) != "stated":
                continue
            if quant in _WIDE and _CAST.search(text[max(0, start - 60) : start]):
                continue
            tried = bool(_TRIED.search(text[max(0, start - 16) : start]))
            name = f"gguf-q{next(c for c in match.group(1) if c.isdigit())}" if quant == "gguf-q" else quant
            if quant == "bnb-nf4" and _EIGHT_NEAR.search(text[start : end + 24]):
                name = "bnb-int8"
            found.append((tried, (quant in _GENERIC) + (quant in _WIDE), start, end, name))
            break
    if found:
        tried, _, start, end, name = min(found)
        if not tried:
            collector.add("model.quant", name, (start, end))
    elif plain := _NOT_QUANTISED.search(text):
        collector.add("model.quant", "fp16", plain.span())


_EIGHT_NEAR = re2.compile(r"(?i)8[- ]?bit|int8")


def _is_kv_cache(text: str, start: int, end: int) -> bool:
    return bool(_KV.search(text[max(0, start - 18) : start]) or _KV.search(text[end : end + 12]))


def _add_lora(collector: Collector, spans: list[tuple[int, int]]) -> None:
    text = collector.text
    for match in _LORA.finditer(text):
        stated = polarity(text, sentence_at(spans, match.start()), *match.span())
        if stated == "asked":
            continue
        collector.add("model.lora", stated == "stated", match.span())
        if rank := _RANK.search(text[match.end() : match.end() + 30]):
            collector.add("model.lora_rank", int(rank.group(1)), (match.end() + rank.start(), match.end() + rank.end()))
        break
    for match in _MERGED.finditer(text):
        start, end = match.span(1) if match.group(1) else match.span(2)
        stated = polarity(text, sentence_at(spans, start), start, end)
        if stated != "asked":
            collector.add("model.lora_merged", stated == "stated", match.span())
            return
