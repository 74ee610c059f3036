"""Launch flags named in prose: `--max-model-len 4096`, `gpu_memory_utilization=0.9`, `TP=2`, 张量并行设为2, 开了enforce-eager. Pure."""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.flags import FLAGS, SWITCHES, add_flag, as_written, flag_name
from kb.facts.prose import polarity, sentence_at, sentences
from probes.facts import Fact

KIND = "prose_flags"

# Words of ordinary language, and short names: as flags they need their dashes.
_ORDINARY = {
    "device",
    "threads",
    "quantization",
    "dtype",
    "quantize",
    "cpus",
    "use_cache",
    "model",
    "alias",
    "parallel",
    "lora",
    "n_threads",
    "context_length",
}
_NAMES = "|".join(
    sorted(
        (name.replace("_", "[-_ ]") for name in FLAGS if name not in _ORDINARY and len(name) > 4), key=len, reverse=True
    )
)
_ANY = "|".join(sorted((name.replace("_", "[-_]") for name in FLAGS), key=len, reverse=True))
_VALUE = r"(?:[\"'`]{0,2}\s?(?:=|:|is set to|set to|is|of|to|设为|设成|设置为|调到|调成|改成|改为|为|是|到)?\s?[\"'`]?(\d{1,9}(?:\.\d{1,4})?k?|\.\d{1,3}|true|false|auto|half|float16|bfloat16|fp8\w{0,6}|awq\w{0,8}|gptq\w{0,8}|bitsandbytes)\b)?"
_FLAG = re2.compile(rf"(?i)(--(?:no-)?(?:{_ANY})|\b(?:{_NAMES}))\b{_VALUE}")
# Any flag, known or not. A word after it is its value only behind "=", a number always.
_DASHED = re2.compile(r"(?:^|[\s`\"'(,:\p{Han}])(--[A-Za-z][\w-]{2,50})(?:=([\w.]{1,40})|[ ](\d[\d.]{0,12})\b)?")
_ASSIGNED = re2.compile(r"(?i)\b(quantization|dtype)\s?=\s?[\"']?(\w{2,20})")
_PARALLEL = re2.compile(
    r"(?i)(?:\bTP\s?[=:]?\s?(\d{1,3})\b|\btensor[- _]parallel(?:ism|[- _]size)?\s?(?:size)?\s?(?:of|=|to|:|is|is set to|设为|为)?\s?(\d{1,3})\b|张量并行(?:数|度|大小)?\s?(?:=|:|为|是|设为|设成|设置为|改成)?\s?(\d{1,3})|(\d{1,2}) ?[卡路](?:的)?张量并行)"
)
_PIPELINE = re2.compile(
    r"(?i)\bPP\s?[=:]?\s?(\d{1,3})\b|\bpipeline[- _]parallel(?:ism|[- _]size)?\s?(?:of|=|to|:|is)?\s?(\d{1,3})\b"
)
_SETTING = re2.compile(
    r"(?i)\b((?:CUDA|NCCL|VLLM|HF|PYTORCH|OMP|GLOO|SGLANG|OLLAMA|TORCH|RAY)_[A-Z0-9_]{2,50})\s?=\s?([^\s,;)\"'`。]{1,80})"
)
_TURNED = (
    (re2.compile(r"(?i)CUDA ?graphs?"), "engine.enforce_eager", False),
    (re2.compile(r"(?i)prefix[- ]cach(?:e|ing)|前缀缓存"), "engine.prefix_caching", True),
    (
        re2.compile(r"(?i)CPU[- ]?(?:offload(?:ing)?|卸载)|offload(?:ing|ed)? to (?:the )?CPU"),
        "engine.cpu_offload_gib",
        None,
    ),
    (
        re2.compile(r"(?i)投机(?:解码|采样)|speculative (?:decoding|sampling)|speculation|\bMTP\b|\bEAGLE\b"),
        "engine.speculative",
        True,
    ),
)


def recognise(text: str) -> float:
    return 0.5


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    spans = sentences(text)
    for match in _FLAG.finditer(text):
        _read_flag(collector, spans, match)
    for match in _DASHED.finditer(text):
        if _stated(collector, spans, match):
            collector.add(
                "engine.flag", as_written(match.group(1), match.group(2) or match.group(3) or ""), match.span(1)
            )
    for match in _ASSIGNED.finditer(text):
        if _stated(collector, spans, match):
            add_flag(collector, match.group(1), match.group(2), match.span())
    for pattern, name in ((_PARALLEL, "engine.tensor_parallel"), (_PIPELINE, "engine.pipeline_parallel")):
        for match in pattern.finditer(text):
            if _stated(collector, spans, match) and not collector.has(name):
                collector.add(name, int(next(group for group in match.groups() if group)), match.span())
    for match in _SETTING.finditer(text):
        if _stated(collector, spans, match):
            collector.add("engine.env", f"{match.group(1)}={match.group(2)}", match.span())
    for pattern, name, value in _TURNED:
        _read_turned(collector, spans, pattern, name, value)
    return collector.facts


def _stated(collector: Collector, spans: list[tuple[int, int]], match: object) -> bool:
    return polarity(collector.text, sentence_at(spans, match.start()), *match.span()) == "stated"


def _read_flag(collector: Collector, spans: list[tuple[int, int]], match: object) -> None:
    """A flag with its value; a switch named alone is on, or off where it is denied. A name alone says nothing else."""
    raw, value = match.group(1), match.group(2) or ""
    name = flag_name(raw.replace(" ", "_"))
    if name in SWITCHES and value.lower() not in ("true", "false"):
        value = ""  # "with --enforce-eager: 20 tok/s"
    stated = polarity(collector.text, sentence_at(spans, match.start()), match.start(1), match.end(1))
    if stated == "asked" or (not value and name.removeprefix("no_") not in SWITCHES):
        return
    if name in SWITCHES and stated == "negated":
        value = "false"
    elif stated == "negated":
        return
    add_flag(collector, name, value, match.span())


_OFF = re2.compile(
    r"(?i)(?:关闭|关掉|关了|禁用|disabl\w+|turn(?:ed|ing)? off|without|no|not using|没有?(?:开|用|启用)?|未(?:开|启用)?)\s?(?:了|the )?$"
)
_ON = re2.compile(
    r"(?i)(?:开了|开启了?|启用了?|打开了?|用了|使用了?|enabl\w+|turn(?:ed|ing)? on|with|using|uses?)\s?(?:the )?$"
)
_OFF_AFTER = re2.compile(
    r"(?i)^\s?(?:也|都|是|is|are|was|were)?\s?(?:关了|关闭|没开|没有开|未开|禁用|disabled|off\b|turned off|not (?:used|enabled|captured))"
)


def _read_turned(
    collector: Collector, spans: list[tuple[int, int]], pattern: object, name: str, when_on: bool | None
) -> None:
    """A feature that is said to be on or off in words; merely named, it says nothing."""
    for match in pattern.finditer(collector.text):
        sentence = sentence_at(spans, match.start())
        before = collector.text[max(sentence[0], match.start() - 24) : match.start()]
        after = collector.text[match.end() : match.end() + 24]
        if collector.has(name) or polarity(collector.text, sentence, *match.span()) == "asked":
            continue
        off = bool(_OFF.search(before) or _OFF_AFTER.search(after))
        if not off and not _ON.search(before):
            continue
        if when_on is None:
            if off:
                collector.add(name, 0.0, match.span())
        else:
            collector.add(name, when_on is not off, match.span())
