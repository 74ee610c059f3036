"""Which engine and version a person speaks of. Pure.

用 vLLM 0.6.3 跑      -> engine.name vllm, engine.version 0.6.3
有没有别的框架,比如TGI -> nothing: it is asked, not used
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.prose import polarity, sentence_at, sentences
from probes.facts import Fact

KIND = "prose_engine"

# (pattern, engine, rank): where several are named, the engine itself counts before a front end that wraps it,
# and that before the library that every engine uses.
ENGINES: tuple[tuple[str, str, int], ...] = (
    (r"v-?llm(?:-omni|-ascend)?", "vllm", 3),
    (r"sg-?lang", "sglang", 3),
    (r"tgi|text-generation-inference|text generation inference", "tgi", 3),
    (r"llama\.?[-_ ]?cpp(?:-python)?|llama-server|llama-cli|llama-bench|koboldcpp", "llama.cpp", 3),
    (r"ollama", "ollama", 3),
    (r"lmdeploy|turbomind", "lmdeploy", 3),
    (r"exl?lama[-_ ]?v?[23]?", "exllamav2", 3),
    (r"tabbyapi", "tabbyapi", 3),
    (r"tensorrt-?[-_ ]?llm|trt-?llm", "tensorrt-llm", 3),
    (r"aphrodite(?:-engine)?", "aphrodite", 3),
    (r"k-?transformers", "ktransformers", 3),
    (r"mlx[-_]lm|mlc-?llm", "mlc", 3),
    (r"lm ?studio", "lmstudio", 3),
    (r"triton inference server|tritonserver", "triton", 2),
    (r"xinference|xorbits", "xinference", 2),
    (r"fastchat|fschat", "fastchat", 2),
    (r"text-generation-webui|oobabooga", "text-generation-webui", 2),
    (r"(?:hf |hugging ?face )?transformers|hugging ?face|AutoModel\w*", "transformers", 1),
    # What only one of them has.
    (r"guided_json|guided_decoding|MQLLMEngine|EngineCore|VllmWorker\w*", "vllm", 0),
    (r"mem[-_]fraction[-_]static|max_running_requests", "sglang", 0),
    (r"OLLAMA_\w+|layers\.offload", "ollama", 0),
    (r"ggml_\w+|gguf_\w+|-ngl \d+", "llama.cpp", 0),
    (r"exl2|exl3", "exllamav2", 0),
    (r"load_in_[48]bit|torch_dtype|device_map|MatMul8bitLt|peft", "transformers", 0),
)
_PATTERNS = [
    (re2.compile(rf"(?i)(?:^|[^A-Za-z])({pattern})(?:$|[^A-Za-z])"), name, rank) for pattern, name, rank in ENGINES
]
_VERSION = re2.compile(
    r"(?i)^[\"'`)]?(?:[\s(=:/,-]|版本|的|是|为|用|镜像|容器|框架|安装|version|docker|container|image|release|build|tag|openai|server|engine|is|from|从|latest|stable|pip|"
    r"\bto\b|\bat\b|\(?commit|now){0,8}"
    r"v?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?(?:\.?(?:post|rc|dev|a|b)\d{1,4}){0,2}|b\d{4,5})(?:$|[^\w.%]|[.](?:$|\s)|[\p{Han}])"
)
# "v0.6.3 of vLLM", "0.6.3 版本的 vLLM"
_VERSION_BEFORE = re2.compile(
    r"(?i)v?(\d{1,2}\.\d{1,3}\.\d{1,3}(?:\.?(?:post|rc|dev)\d{1,4})?)\s?(?:版本?的|of|版)\s?$"
)
_UPGRADED = re2.compile(
    r"(?i)^.{0,24}?(?:升级?到|升至|更新到|换到|upgrad\w+ to|updated to|->|to)\s?v?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?(?:\.?(?:post|rc|dev)\d{1,4})?)"
)
_TO_VERSION = re2.compile(
    r"(?i)(?:upgrad\w+|updat\w+|going|went|moved?|moving|升级|更新)[^.。\n]{0,24}?(?:to|到|至|成)\s?(?:version |v)?(\d{1,2}\.\d{1,3}\.\d{1,3}(?:\.?(?:post|rc|dev)\d{1,4})?)"
    r"|(?i)\bfrom v?\d{1,2}\.\d{1,3}\.\d{1,3} (?:up )?to v?(\d{1,2}\.\d{1,3}\.\d{1,3}(?:\.?(?:post|rc|dev)\d{1,4})?)"
)
_OTHER_SOFTWARE = re2.compile(
    r"(?i)driver|驱动|cuda|torch|python|nccl|kernel|内核|ubuntu|docker|transformers|windows|flash"
)
_NOT_A_VERSION = re2.compile(r"(?i)^\s?(?:b\b|g\b|gb|gib|tok|ms|s\b|x\b|倍|秒|个)")
# An engine named as a comparison is not the one in trouble.
_COMPARED = re2.compile(
    r"(?i)(?:than|unlike|compared (?:to|with)|相比|比|不如|换成|换|改用|switch(?:ed|ing)? to|with|while|whereas|而|but)\s?(?:in |用 ?)?$"
)


def recognise(text: str) -> float:
    return 0.5


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    spans = sentences(text)
    named = []
    for pattern, name, rank in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span(1)
            if polarity(text, sentence_at(spans, start), start, end) == "stated":
                compared = bool(_COMPARED.search(text[max(0, start - 20) : start]))
                named.append((-rank + 1.5 * compared, start, end, name))
                break
    if named:
        _, start, end, name = min(named)
        collector.add("engine.name", name, (start, end))
        _add_version(collector, name)
    if not collector.has("engine.version"):
        _add_upgrade(collector)
    return collector.facts


def _add_upgrade(collector: Collector) -> None:
    """Who goes "from 0.4.0 to 0.4.1" without naming what speaks of the engine, unless something else stands beside it."""
    for match in _TO_VERSION.finditer(collector.text):
        if not _OTHER_SOFTWARE.search(collector.text[max(0, match.start() - 30) : match.end()]):
            group = 1 if match.group(1) else 2
            collector.add("engine.version", match.group(group), match.span(group))
            return


def _add_version(collector: Collector, engine: str) -> None:
    """The version beside the first mention of the engine that has one; after "from A to B" it is B."""
    pattern = next(pattern for pattern, name, _ in _PATTERNS if name == engine)
    for match in pattern.finditer(collector.text):
        begin, end = match.span(1)
        lead = max(0, begin - 24)
        if earlier := _VERSION_BEFORE.search(collector.text[lead:begin]):
            collector.add("engine.version", earlier.group(1), (lead + earlier.start(1), end))
            return
        following = collector.text[end : end + 60]
        version = _VERSION.search(following)
        if not version or _NOT_A_VERSION.search(following[version.end(1) :]):
            continue
        offset = end
        if upgraded := _UPGRADED.search(following[version.end(1) :]):
            offset, version = end + version.end(1), upgraded
        collector.add("engine.version", version.group(1), (match.start(1), offset + version.end(1)))
        return
