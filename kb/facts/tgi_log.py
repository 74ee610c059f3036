"""Start-up of Text Generation Inference: the arguments as the launcher prints them, and the warm-up. Pure.

    INFO text_generation_launcher: Args {\n    model_id: "org/m-7b",\n    num_shard: Some(\n        2,\n    ), ...
    INFO text_generation_router: Setting max batch total tokens to 15232

    engine.tensor_parallel = 2, engine.kv_cache_tokens = 15232

The arguments are Rust's debug form, on one line in older versions and in JSON logs.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from kb.facts.flags import add_flag
from kb.facts.model_names import add_model
from probes.facts import Fact

KIND = "tgi_log"
# The arguments are some 50 lines; what follows them is the log.
LONGEST_ARGUMENTS = 6_000

_ARGUMENTS = re2.compile(r"Args \{(?:\s|\\n)*model_id:")
_ITEM = re2.compile(r"\b([a-z][a-z_]{2,40}): (?:Some\((?:\s|\\n)*)?(\\?\"[^\"\n]{0,200}\"|[A-Za-z0-9._-]{1,40})")
_ARGUMENTS_END = re2.compile(r"(?m)^\}|\benv: (?:true|false)")
_TOTAL = re2.compile(r"Setting max batch total tokens to (\d{1,9})")
_GRAPHS = re2.compile(r"Cuda Graphs are (enabled for sizes|disabled)")
_OWN = {"model_id", "num_shard", "quantize", "dtype", "max_total_tokens", "max_batch_size", "max_batch_prefill_tokens", "trust_remote_code", "kv_cache_dtype"}  # fmt: skip
_VALUES = {"Float16": "float16", "BFloat16": "bfloat16"}


def recognise(text: str) -> float:
    return 0.9 if any(pattern.search(text) for pattern in (_ARGUMENTS, _TOTAL, _GRAPHS)) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    spans = [
        match.span()
        for pattern in (_TOTAL, _GRAPHS)
        for _, match in zip(range(100), pattern.finditer(text), strict=False)
    ]
    if arguments := _arguments(text):
        spans.append(arguments)
    return spans


def _arguments(text: str) -> tuple[int, int] | None:
    """The last block of arguments."""
    starts = [match.start() for _, match in zip(range(100), _ARGUMENTS.finditer(text), strict=False)]
    if not starts:
        return None
    end = _ARGUMENTS_END.search(text, starts[-1], min(len(text), starts[-1] + LONGEST_ARGUMENTS))
    return starts[-1], end.end() if end else min(len(text), starts[-1] + LONGEST_ARGUMENTS)


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    if arguments := _arguments(text):
        collector.add("engine.name", "tgi", (arguments[0], arguments[0] + len("Args {")))
        for item in _ITEM.finditer(text, *arguments):
            _add_argument(collector, item)
    for match in list(_TOTAL.finditer(text))[-1:]:
        collector.add("engine.name", "tgi", match.span())
        collector.add("engine.kv_cache_tokens", number(match.group(1)), match.span(1))
    for match in list(_GRAPHS.finditer(text))[-1:]:
        collector.add("engine.graphs_captured", match.group(1) != "disabled", match.span())
    return collector.facts


def _add_argument(collector: Collector, item: object) -> None:
    name, value, span = item.group(1), item.group(2).strip('\\"'), item.span()
    if name not in _OWN or value in ("None", ""):
        return
    if name == "model_id":
        collector.add("engine.model_path", value, item.span(2))
        add_model(collector, value, item.span(2))
    elif name in ("quantize", "kv_cache_dtype"):
        add_flag(collector, name, value.lower().replace("bitsandbytesnf4", "bitsandbytes-nf4"), span, "tgi")
    else:
        add_flag(collector, name, _VALUES.get(value, value), span, "tgi")
