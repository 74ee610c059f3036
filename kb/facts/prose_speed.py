"""Speeds, latencies and durations in prose. Pure.

    1秒2-3个token        -> decode.tokens_per_s 2.5, low 2, high 3
    不到10 tokens/s      -> decode.tokens_per_s 10, high 10 (an upper bound alone)
    300 ms per token     -> decode.tokens_per_s 3.33
    加载花了快两分钟      -> engine.startup_s 120

A Chinese character ("每秒5个字") is taken as one token; tokenizers give 1 to 1.7 characters a token.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from kb.facts.collect import Collector
from kb.facts.prose import clause_at, polarity, sentence_at, sentences
from probes.facts import Fact

KIND = "prose_speed"

_HAN = {"半": 0.5, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_HAN_N = r"[半一两二三四五六七八九十]"
_N = r"\d{1,6}(?:[.,]\d{1,3})?"
_RANGE = rf"({_N})\s?(\+)?(?:\s?(?:-|~|to|到|至|or|and|/|、)\s?({_N}))?"
_UNIT = r"(?:generated |output |generation |completion |decode )?(?:个)?\s?(?:tokens?|toks?|tk|字符?|词|t)"
_PER_TIME = r"\s?(?:/|per|a|every|每|p|\\)\s?(s\b|secs?\b|seconds?\b|秒|min\b|minutes?\b|分钟)"
_APART = r"(?:钟|内|能|只有|只能|只|大概|大约|差不多|约|才|出|生成|输出|左右|平均|也就|就|仅|的速度|速度|不到|不足|超过|可以|跑|吐|蹦|出来|[\s:是有]){0,5}"
# "the speed fell from 40 to 4", "tokens/s: 23": the unit or the word stands before the number
_NAMED_BEFORE = re2.compile(
    rf"(?i)(?:{_UNIT}\s?/\s?s(?:ec)?\b|tps\b|(?:decode|decoding|generation|生成|推理|解码|输出)\s?(?:speed|速度))(?:[^\d.。,;\n]{{0,12}}?(?:from|从)\s?{_N}\+?\s?(?:to|降到|掉到|变成|到)|\s?(?:is|=|:|was|只有|约|大概|为|是)){{1,2}}\s?(?:about |around |only |约|只有)?{_RANGE}(?:$|[^\d%.\w]|[.](?:$|\s))"
)
_SPEEDS = tuple(
    re2.compile(pattern)
    for pattern in (
        rf"(?i)(?:^|[^\w.]|[a-z])()()(?:)?{_RANGE}\s?{_UNIT}{_PER_TIME}",
        rf"(?i)(?:^|[^\w.])()()(?:)?{_RANGE}\s?(?:tps|tok/s|tokens?每秒|token每秒)()\b",
    )
)
_PER_SECOND_FIRST = re2.compile(
    rf"(?i)(?:每|一|1)\s?秒(?:钟)?{_APART}(?:{_RANGE}|({_HAN_N})({_HAN_N})?)\s?(?:个|多个|来个)?\s?(?:tokens?|tok|字|词)"
)
_TIME_EACH = re2.compile(
    rf"(?i)({_N}|{_HAN_N})\s?(ms\b|milliseconds?|毫秒|s\b|secs?\b|seconds?|秒(?:钟)?)\s?(?:/|per|a|an|for each|each|every|每|才|出|生成|蹦|一)\s?(?:一)?(?:个|output )?\s?(?:tokens?\b|tok\b|字\b|字)"
)
_TOKEN_TAKES = re2.compile(
    rf"(?i)(?:(?:每|一|1)\s?个?\s?(?:token|字)|(?:each|every|one|a) token)[^。.,;\n\d]{{0,10}}({_N})\s?(ms\b|milliseconds?|毫秒|s\b|secs?\b|seconds?|秒)"
)
_TPOT = re2.compile(rf"(?i)(?:TPOT|ITL|inter[- ]token latency|time per (?:output )?token)\D{{0,20}}({_N})\s?(ms|s\b)")
_FROM = re2.compile(
    rf"(?i)(?:from|从|由)\s?(?:about |around |over |大约|约)?({_N})\+?\s?(?:{_UNIT}{_PER_TIME})?[^.。;\n]{{0,20}}?(?:to|到|至|成|into)\s?(?:about |around |only |大约|约|只有|了)?$"
)
_UPPER = re2.compile(
    r"(?i)(?:不到|不足|低于|小于|少于|最多|至多|最高|<=?|under|below|less than|fewer than|at most|up to|no more than|not even)\s?(?:有|只有|about|可怜的)?\s?$"
)
_LOWER = re2.compile(r"(?i)(?:超过|大于|高于|至少|>=?|over|above|more than|at least|exceeds?)\s?$")
_EXPECTED = re2.compile(
    r"(?i)应该|应当|正常(?:能|应|情况|是|来说|速度)|期望|预期|理论|官方|宣称|别人|人家|网上|有人|同配置|理应|expect|should|supposed|normally|normal is|others|other (?:people|users)|report(?:s|ed)? (?:by|of|for)|advertis|benchmarks? (?:show|say)|published|claim"
)
_PAST = re2.compile(
    r"(?i)原来|原本|之前|以前|原先|本来|旧版|老版本|升级前|\bused to\b|\bbefore\b|previously|formerly|\bwas\b.{0,20}\bnow\b|old version|older"
)
_OTHER = re2.compile(
    r"(?i)(?:而|but|while|whereas|用|with|in|on)\s?(?:ollama|llama\.?cpp|exllama\w*|tgi|sglang|lmdeploy|transformers|hf|another|other)\b|换成|如果换|单独"
)
_TOTAL = re2.compile(
    r"(?i)总共|总的?吞吐|总速度|合计|总计|吞吐|aggregate|overall|in total|total\b|combined|throughput|system-wide"
)
_EACH = re2.compile(
    r"(?i)单路|单流|单个?请求|单用户|单并发|每个(?:请求|用户)|single|per (?:user|request|stream)|each (?:request|user|stream)|one (?:request|user|stream)|batch(?: size)?(?: of)? ?[=:]? ?1\b"
)
_PREFILL = re2.compile(r"(?i)prefill|预填充|prompt (?:processing|eval|throughput|speed)|\bpp\b|pp\d{3,}|prompt tokens")


@dataclass(frozen=True, slots=True)
class Speed:
    """A speed as stated, in tokens per second."""

    low: float | None
    high: float | None
    start: int
    end: int

    @property
    def value(self) -> float:
        known = [bound for bound in (self.low, self.high) if bound is not None]
        return sum(known) / len(known)


def recognise(text: str) -> float:
    return 0.5


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    spans = sentences(text)
    for speed in sorted(_speeds(text), key=lambda speed: speed.start):
        _state(collector, spans, speed)
    for match in _TPOT.finditer(text):
        if not collector.has("decode.tpot_ms"):
            collector.add(
                "decode.tpot_ms", _value(match.group(1)) * (1 if match.group(2) == "ms" else 1000), match.span()
            )
    _add_durations(collector, spans)
    return collector.facts


def _speeds(text: str) -> list[Speed]:
    found: list[Speed] = []

    def keep(speed: Speed) -> None:
        if not any(other.start < speed.end and speed.start < other.end for other in found):
            found.append(speed)

    for match in _PER_SECOND_FIRST.finditer(text):
        low, plus, high, han_low, han_high = match.groups()
        keep(_bounded(text, match, low or han_low, plus, high or han_high, 1.0, match.start()))
    for pattern in _SPEEDS:
        for match in pattern.finditer(text):
            _, _, low, plus, high, time = match.groups()
            per = 60.0 if (time or "").startswith(("min", "分")) else 1.0
            keep(_bounded(text, match, low, plus, high, per, match.start(3)))
    for match in _NAMED_BEFORE.finditer(text):
        low, plus, high = match.groups()
        keep(_bounded(text, match, low, plus, high, 1.0, match.start(1)))
    for match in (*_TIME_EACH.finditer(text), *_TOKEN_TAKES.finditer(text)):
        seconds = _value(match.group(1)) / (1000 if match.group(2).lower().startswith(("ms", "mil", "毫")) else 1)
        if seconds > 0:
            keep(Speed(1 / seconds, 1 / seconds, match.start(), match.end()))
    return found


def _bounded(text: str, match: object, low: str, plus: str | None, high: str | None, per: float, start: int) -> Speed:
    value = _value(low) / per
    if high:
        top = _value(high) / per
        return Speed(min(value, top), max(value, top), start, match.end())
    end = match.end() if match.group()[-1:].isalpha() else max(match.end(1 + index) for index in range(match.re.groups))
    lead = max(0, start - 16)
    bound = _UPPER.search(text[lead:start])
    if bound or "不到" in match.group() or "不足" in match.group():
        return Speed(None, value, lead + bound.start() if bound else start, end)
    bound = _LOWER.search(text[lead:start])
    if plus or bound:
        return Speed(value, None, lead + bound.start() if bound else start, end)
    return Speed(value, value, start, end)


def _value(text: str) -> float:
    if text in _HAN:
        return float(_HAN[text])
    head, comma, tail = text.partition(",")
    return float(head + tail if comma and len(tail) == 3 else text.replace(",", "."))


def _state(collector: Collector, spans: list[tuple[int, int]], speed: Speed) -> None:
    """State the speed under the name that its clause gives it; the first of a name counts."""
    text = collector.text
    sentence = sentence_at(spans, speed.start)
    left, right = clause_at(text, sentence, speed.start, speed.end)
    clause, before = text[left:right], text[max(sentence[0], speed.start - 30) : speed.start]
    followed = text[speed.end : speed.end + 30]
    if _EXPECTED.search(clause):
        name = "decode.expected_tokens_per_s"
    elif (
        polarity(text, sentence, speed.start, speed.end) == "asked"
        or _is_past(clause, text[left : speed.start], followed)
        or _OTHER.search(text[left : speed.start])
    ):
        return
    elif _PREFILL.search(before) or _PREFILL.search(followed[:12]):
        name = "prefill.tokens_per_s"
    elif _TOTAL.search(clause) and not _EACH.search(clause):
        name = "decode.total_tokens_per_s"
    else:
        name = "decode.tokens_per_s"
    falls = _FROM.search(before)
    if collector.has(name) and not falls:
        return
    if falls:
        collector.facts = [fact for fact in collector.facts if fact.name != name]
    low, high = (None, None) if speed.low == speed.high else (speed.low, speed.high)
    collector.add(name, speed.value, (speed.start, speed.end), low=low, high=high)


_FALLS_TO = re2.compile(r"(?i)^[^.。;\n]{0,6}(?:to|降到|掉到|变成|跌到|->)\s?(?:about |around |约|大约)?\d")


_NOW = re2.compile(r"(?i)现在|如今|目前|变成|\bnow\b|currently|today|at the moment")


def _is_past(clause: str, before: str, followed: str) -> bool:
    """Whether the clause tells of an earlier speed; "it used to be 60 and now it is 12" tells of both."""
    return bool((_PAST.search(clause) and not _NOW.search(before)) or _FALLS_TO.search(followed))


_TIME = rf"({_N}|{_HAN_N})(?:\s?(?:-|~|to|到|、)\s?({_N}|{_HAN_N}))?\s?(?:多)?(?:个)?\s?(ms\b|milliseconds?\b|毫秒|s\b|secs?\b|seconds?\b|秒|mins?\b|minutes?\b|分钟?|hours?\b|小时)"
_FACTOR = (
    ("ms", 0.001),
    ("mil", 0.001),
    ("毫", 0.001),
    ("s", 1.0),
    ("秒", 1.0),
    ("m", 60.0),
    ("分", 60.0),
    ("h", 3600.0),
    ("小", 3600.0),
)
_NEAR = r"[^。.,;\n\d]{0,18}?"
_DURATIONS: tuple[tuple[str, object], ...] = (
    (
        "latency.ttft_s",
        re2.compile(rf"(?i)(?:\bTTFT\b|首(?:个|次)?\s?(?:token|字|包)|first token|time to first token){_NEAR}{_TIME}"),
    ),
    (
        "latency.ttft_s",
        re2.compile(
            rf"(?i){_TIME}\s?(?:才|before|until|to|for)\s?(?:出|返回|the|get)?\s?(?:the )?(?:首(?:个)?\s?(?:token|字)|第一个\s?(?:token|字)|first token)"
        ),
    ),
    (
        "engine.startup_s",
        re2.compile(
            rf"(?i)(?:模型加载|加载(?:模型|权重)?|启动|\bload(?:ing|s)?(?: the)?(?: model| time| weights)?|\bstart(?:ing|s|[- ]?up)(?: time)?){_NEAR}{_TIME}"
        ),
    ),
    (
        "engine.startup_s",
        re2.compile(rf"(?i){_TIME}\s?(?:才|to|for)\s?(?:能|the)?\s?(?:加载|启动|load|start|the model to load|loading)"),
    ),
    (
        "latency.e2e_s",
        re2.compile(
            rf"(?i)(?:一(?:个|次)请求|每(?:个|次)请求|单(?:个|次)请求|each request|a request|per request|one request|响应时间|回复一(?:次|句)){_NEAR}{_TIME}"
        ),
    ),
    (
        "latency.e2e_s",
        re2.compile(rf"(?i){_TIME}\s?(?:per|a|for (?:a|each|one)|every)\s?(?:request|response|answer|call|reply)"),
    ),
)
_MORE: tuple[tuple[str, object], ...] = (
    (
        "load.concurrency",
        re2.compile(
            r"(?i)(?:并发(?:数|量)?(?:为|是|到|=|:|开到|设为)?|concurrency(?: of| is| level)?[ =:]{0,2})\s?(\d{1,5})\b"
        ),
    ),
    (
        "load.concurrency",
        re2.compile(r"(?i)(\d{1,5})\s?(?:个|路)?\s?(?:并发|concurrent|parallel|simultaneous|clients\b)"),
    ),
    (
        "load.prompt_tokens",
        re2.compile(
            r"(?i)(?:prompts?(?: length)?(?: of| is| has|s of)?|提示词?(?:长度)?|输入(?:长度)?)\s?(?:大概|大约|约|about|around|有|是|为|=|:)?\s?(\d{1,3}(?:,\d{3})?k?|\d{1,6}k?)\s?(?:个)?\s?(?:input )?tokens?"
        ),
    ),
    (
        "load.prompt_tokens",
        re2.compile(
            r"(?i)(\d{1,3},\d{3}|\d{1,6}k?)\s?[- ]?(?:个)?\s?(?:input |prompt )?tokens?\s?(?:的)?(?:prompt|提示|输入|input\b)"
        ),
    ),
    (
        "load.context_tokens",
        re2.compile(
            r"(?i)(?:上下文|context(?: length| window)?)\s?(?:长度)?\s?(?:of|为|是|到|有|=|:)?\s?(\d{1,3}(?:,\d{3})?k?|\d{1,6}k?)\b"
        ),
    ),
    ("load.context_tokens", re2.compile(r"(?i)\b(\d{1,3}k)\s?(?:tokens? )?(?:of )?(?:的)?(?:上下文|context)")),
)


def _add_durations(collector: Collector, spans: list[tuple[int, int]]) -> None:
    for name, pattern in _DURATIONS:
        for match in pattern.finditer(collector.text):
            if (
                collector.has(name)
                or polarity(collector.text, sentence_at(spans, match.start()), *match.span()) == "asked"
            ):
                continue
            first, second, unit = match.groups()
            factor = next(factor for prefix, factor in _FACTOR if unit.lower().startswith(prefix))
            values = [_value(part) * factor for part in (first, second) if part]
            bounds = {"low": min(values), "high": max(values)} if len(values) == 2 else {}
            collector.add(name, sum(values) / len(values), match.span(), **bounds)
    for name, pattern in _MORE:
        match = pattern.search(collector.text)
        if (
            match
            and not collector.has(name)
            and polarity(collector.text, sentence_at(spans, match.start()), *match.span()) != "asked"
        ):
            collector.add(name, _tokens(match.group(1)), match.span())


def _tokens(text: str) -> int:
    text = text.lower().replace(",", "")
    if text.endswith("k"):
        thousands = int(text[:-1])
        return thousands * (1024 if thousands in (2, 4, 8, 16, 32, 64, 128, 256) else 1000)
    return int(text)
