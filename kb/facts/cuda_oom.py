"""The message of a failed allocation on a GPU: how much was asked, and where the memory is. Pure.

    CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 4.00 GiB of which 2.35 GiB is free.
        -> engine.oom_tried_gib 0.02, engine.oom_free_gib 2.35, engine.oom_with_memory_left true
    cudaMalloc failed: out of memory, allocating 8849.72 MiB      -> engine.oom_tried_gib 8.64

Also the step of starting at which it happened, by the last line before it that names one.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from probes.facts import Fact

KIND = "cuda_oom"
# What stands between the message and its last number.
LONGEST = 900

_UNIT = {"k": 2**-20, "m": 2**-10, "g": 1.0, "b": 2**-30}
_SIZE = r"(\d{1,7}(?:\.\d{1,4})?) (bytes|[KMG]i?B)"
_FAILED = re2.compile(
    rf"(?i)(?:CUDA|HIP) out of memory\. Tried to allocate {_SIZE}|allocating {_SIZE} on device \d{{1,3}}: cudaMalloc failed"
)
_FREE = re2.compile(rf"(?i)of which {_SIZE} is free|already allocated; {_SIZE} free")
_CAPACITY = re2.compile(rf"(?i)total capac?ity of {_SIZE}|GPU \d{{1,3}}; {_SIZE} total capacity")
_UNUSED = re2.compile(rf"(?i){_SIZE} is reserved by PyTorch but unallocated")
_ALLOCATED = re2.compile(rf"(?i){_SIZE} already allocated")
_RESERVED = re2.compile(rf"(?i){_SIZE} reserved in total by PyTorch")

_STEPS: tuple[tuple[str, str], ...] = (
    ("weights", r"Starting to load model|Loading (?:safetensors|pt|model weights|checkpoint)|in load_model\b|load_tensors:|Load weight begin|llama_model_load"),
    ("profile", r"determine_num_available_blocks|determine_available_memory|in profile_run\b|in _dummy_run\b|Memory profiling"),
    ("kv-cache", r"in (?:initialize_kv_cache|_initialize_kv_caches|allocate_kv_cache)\b|in init_memory_pool\b|llama_kv_cache|allocate KV cache|KV [Cc]ache is allocated"),
    ("graphs", r"Capturing (?:the model for )?CUDA graph|Capture (?:cuda graph|piecewise)|in capture_model\b|in capture\b|cudagraph capture"),
    ("serving", r"Application startup complete|Uvicorn running|The server is fired up|server is listening|Avg prompt throughput|(?:POST|GET) /(?:v1|generate|api)/"),
)  # fmt: skip
_STEP_PATTERNS = [(step, re2.compile(pattern)) for step, pattern in _STEPS]


def recognise(text: str) -> float:
    return 0.9 if _FAILED.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    """What a person would say of it stands in the same words, so it stays with the text."""
    return []


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    match = _FAILED.search(text)
    if match is None:
        return []
    tried = _gib(match)
    collector.add("engine.oom_tried_gib", tried, match.span())
    message = text[match.start() : match.start() + LONGEST]
    _add_room(collector, message, match.start(), tried)
    _add_step(collector, text, match.start())
    return collector.facts


def _add_room(collector: Collector, message: str, begin: int, tried: float) -> None:
    """Memory that is free on the card, or PyTorch's own and unused, and would have been enough in one piece."""
    for name, pattern in (("gpu.memory_total_gib", _CAPACITY), ("engine.oom_free_gib", _FREE)):
        if found := pattern.search(message):
            collector.add(name, _gib(found), _span(found, begin))
    if found := _FREE.search(message):
        collector.add("engine.oom_with_memory_left", _gib(found) >= tried, _span(found, begin))
    unused = _UNUSED.search(message)
    if unused:
        collector.add("engine.oom_fragmented", _gib(unused) >= tried, _span(unused, begin))
    elif (allocated := _ALLOCATED.search(message)) and (reserved := _RESERVED.search(message)):
        span = (begin + allocated.start(), begin + reserved.end())
        collector.add("engine.oom_fragmented", _gib(reserved) - _gib(allocated) >= tried, span)


def _add_step(collector: Collector, text: str, failed: int) -> None:
    """The step whose last mark stands nearest before the failure."""
    before = text[max(0, failed - 200_000) : failed]
    marks = [(last.start(), step, last) for step, pattern in _STEP_PATTERNS if (last := _last(pattern, before))]
    if marks:
        start, step, mark = max(marks, key=lambda found: found[0])
        begin = max(0, failed - 200_000)
        collector.add("engine.oom_step", step, (begin + start, begin + mark.end()))


def _last(pattern: object, text: str) -> object | None:
    last = None
    for _, match in zip(range(10_000), pattern.finditer(text), strict=False):
        last = match
    return last


def _span(match: object, begin: int) -> tuple[int, int]:
    return begin + match.start(), begin + match.end()


def _gib(match: object) -> float:
    """The size that the match holds, in GiB."""
    number, unit = (group for group in match.groups() if group)
    return float(number) * _UNIT[unit[0].lower()]
