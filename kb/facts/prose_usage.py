"""Percentages and amounts of memory in prose, tied to what they measure. Pure.

GPU利用率只有40%,CPU却飙到80%   -> gpu.utilization_pct 40, host.cpu_utilization_pct 80
显存占用13GB                    -> gpu.memory_used_gib 13
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.prose import polarity, sentence_at, sentences
from probes.facts import Fact

KIND = "prose_usage"

_PERCENT = re2.compile(r"(\d{1,3}(?:\.\d{1,2})?)\s?(?:-|~|to)?\s?(\d{1,3}(?:\.\d{1,2})?)?\s?%")
_SUBJECT = re2.compile(
    r"(?i)(?P<kv>KV[- ]?cache(?: usage)?|缓存使用率)|(?P<mem>显存(?:占用|使用)?(?:率)?|GPU memory|VRAM|memory (?:usage|use)|内存)|"
    r"(?P<gpu>GPUs?|显卡|(?:SM )?util(?:ization|isation)?\b|利用率)|(?P<cpu>\bCPUs?\b|CPU)|(?P<other>准确率|accuracy|命中率|hit rate|acceptance|接受率|slower|faster|提升|下降|drop|speedup|overhead|of the (?:time|requests)|probability)"
)
_NAMES = {"gpu": "gpu.utilization_pct", "cpu": "host.cpu_utilization_pct"}
_AFTER = re2.compile(r"(?i)^\s?(?:of (?:the )?|的)?\s?(GPU|CPU)s?\b(?:\s?(?:util\w*|usage|load|利用率|占用))?")
# One busy core is not a busy machine.
_ONE_CORE = re2.compile(
    r"(?i)一个核|单核|单线程|每个?核|\b(?:one|single|a|per) (?:\w+ )?(?:core|thread)|cores? (?:per|pinned)"
)
# "38%/62% CPU/GPU", as `ollama ps` prints it, is where the layers lie, not how busy anything is.
_SPLIT = re2.compile(r"(?i)\d{1,3} ?%\s?/\s?\d{1,3} ?%\s+CPU/GPU")
_USED = re2.compile(
    r"(?i)显存(?:占用|使用|用|占)(?:了|量|大概|大约|约|只有|为|是|到|在|才|[\s:]){0,3}(\d{1,3}(?:\.\d{1,2})?)\s?(?:GiB|GB|G)\b"
    r"|(?:占|用|占用)(?:了|大概|大约|约){0,2}\s?(\d{1,3}(?:\.\d{1,2})?)\s?(?:GiB|GB|G)\s?(?:的)?显存"
    r"|(?:uses?|using|takes?|occup(?:ies|ying)|consum(?:es|ing))\s(?:about |around |only |just )?(\d{1,3}(?:\.\d{1,2})?)\s?(?:GiB|GB|G)\s(?:of )?(?:the )?(?:VRAM|GPU memory|video memory|memory)"
    r"|(\d{1,3}(?:\.\d{1,2})?)\s?(?:GiB|GB|G)\s?(?:of )?(?:VRAM|GPU memory|memory)?\s?(?:used|in use|is used)\b"
    r"|(?:VRAM|GPU memory) (?:usage|use)(?: is| of| at|:)?\s?(?:about |around )?(\d{1,3}(?:\.\d{1,2})?)\s?(?:GiB|GB|G)\b"
)


def recognise(text: str) -> float:
    return 0.5 if "%" in text or "G" in text or "g" in text else 0.0


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    spans = sentences(text)
    last_end = 0
    splits = [found.span() for found in _SPLIT.finditer(text)]
    for match in _PERCENT.finditer(text):
        if any(start <= match.start() < end for start, end in splits):
            continue
        sentence = sentence_at(spans, match.start())
        name = _subject(text, max(sentence[0], last_end), match)
        last_end = match.end()
        if name and not collector.has(name) and polarity(text, sentence, *match.span()) != "asked":
            _add_percentage(collector, name, match)
    for match in _USED.finditer(text):
        if (
            not collector.has("gpu.memory_used_gib")
            and polarity(text, sentence_at(spans, match.start()), *match.span()) != "asked"
        ):
            collector.add("gpu.memory_used_gib", float(next(group for group in match.groups() if group)), match.span())
    return collector.facts


def _subject(text: str, begin: int, match: object) -> str | None:
    """What the percentage is of: right after it, else the nearest subject before it in the sentence."""
    if _ONE_CORE.search(text[max(begin, match.start() - 20) : match.end() + 20]):
        return None
    if after := _AFTER.search(text[match.end() : match.end() + 30]):
        return _NAMES[after.group(1).lower()]
    before = text[max(begin, match.start() - 40) : match.start()]
    found = list(_SUBJECT.finditer(before))
    if not found:
        return None
    groups = [next(key for key, value in subject.groupdict().items() if value) for subject in found]
    # "GPU memory utilization": the memory qualifies the GPU word after it
    kind = groups[-1]
    if kind == "gpu" and len(groups) > 1 and groups[-2] != "gpu" and found[-1].start() - found[-2].end() <= 3:
        kind = groups[-2]
    return "metrics.kv_usage" if kind == "kv" else _NAMES.get(kind)


def _add_percentage(collector: Collector, name: str, match: object) -> None:
    low, high = float(match.group(1)), float(match.group(2)) if match.group(2) else None
    scale = 0.01 if name == "metrics.kv_usage" else 1.0
    if max(low, high or 0) > 100 and name != "host.cpu_utilization_pct":
        return
    if high is None:
        collector.add(name, low * scale, match.span())
    else:
        collector.add(name, (low + high) / 2 * scale, match.span(), low=low * scale, high=high * scale)
