"""The line that a server or a program writes after each answer. Pure.

    Metrics (ID: 3f..): 210 tokens generated in 9.1 seconds (..., Process: 0 cached tokens and 512 new tokens at 640.1 T/s, Generate: 25.4 T/s, ...)
    Output generated in 12.34 seconds (8.10 tokens/s, 100 tokens, context 1234, seed 42)
    ... text_generation_router::server: Success ... time_per_token="25.1ms" ...

    decode.tokens_per_s = 25.4, prefill.tokens_per_s = 640.1, engine.name = tabbyapi

TabbyAPI, text-generation-webui, KoboldCpp, LM Studio, llama-cpp-python and llama.cpp, and the router of TGI. Of many lines the median
counts, with the lowest and the highest beside it.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from probes.facts import Fact

KIND = "generation_lines"
MOST_LINES = 2_000

# (engine, pattern whose named groups are: d tokens a second of the answer, p of the prompt, n prompt length, o answer length,
# t milliseconds a token, f seconds to the first token)
_LINES: tuple[tuple[str, str], ...] = (
    ("tabbyapi", r"(?P<o>\d{1,7}) tokens generated in [\d.]{1,12} seconds \((?:Queue: [\d.]{1,12} s, )?Process: \d{1,8} cached tokens and (?P<n>\d{1,8}) new tokens at (?P<p>[\d.]{1,12}) T/s, Generate: (?P<d>[\d.]{1,12}) T/s"),
    ("text-generation-webui", r"Output generated in [\d.]{1,12} seconds \((?P<d>[\d.]{1,12}) tokens/s, (?P<o>\d{1,7}) tokens, context (?P<n>\d{1,8})"),
    ("llama.cpp", r"CtxLimit: ?\d{1,8}/\d{1,8}, [^\n]{0,120}?Process: ?[\d.]{1,12}s \([^)\n]{0,30}?(?P<p>[\d.]{1,12}) ?T/s\), Generate: ?[\d.]{1,12}s \([^)\n]{0,30}?(?P<d>[\d.]{1,12}) ?T/s\)"),
    ("lmstudio", r"(?P<d>[\d.]{1,12}) tok/sec ?[•·|] ?(?P<o>\d{1,7}) tokens ?[•·|] ?(?P<f>[\d.]{1,12})s to first token"),
    ("tgi", r"text_generation_router::server:[^\n]{0,400}time_per_token=\"?(?P<t>[\d.]{1,16})ms"),
    ("tgi", r"\"time_per_token\":\"(?P<t>[\d.]{1,16})ms\""),
)  # fmt: skip
_PATTERNS = [(engine, re2.compile(pattern)) for engine, pattern in _LINES]
_FACTS = {
    "d": "decode.tokens_per_s", "p": "prefill.tokens_per_s", "n": "load.prompt_tokens", "o": "load.output_tokens", "t": "decode.tpot_ms",
    "f": "latency.ttft_s",
}  # fmt: skip


def recognise(text: str) -> float:
    return 0.9 if any(pattern.search(text) for _, pattern in _PATTERNS) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    spans = []
    for _, pattern in _PATTERNS:
        for _, match in zip(range(MOST_LINES), pattern.finditer(text), strict=False):
            end = text.find("\n", match.end())
            spans.append((text.rfind("\n", 0, match.start()) + 1, len(text) if end < 0 else end))
    return spans


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    for engine, pattern in _PATTERNS:
        matches = [match for _, match in zip(range(MOST_LINES), pattern.finditer(text), strict=False)]
        if not matches:
            continue
        collector.add("engine.name", engine, matches[-1].span())
        for group in pattern.groupindex:
            _add_median(collector, _FACTS[group], [(number(match.group(group)), match.span()) for match in matches])
    return collector.facts


def _add_median(collector: Collector, fact: str, readings: list[tuple[float | None, tuple[int, int]]]) -> None:
    """Zero stands for nothing measured: a prompt that was cached whole, an answer of one token."""
    known = sorted((value, span) for value, span in readings if value)
    if known:
        value, span = known[len(known) // 2]
        bounds = {"low": known[0][0], "high": known[-1][0]} if len(known) > 1 else {}
        collector.add(fact, value, span, **bounds)
