"""Tables of llama-bench (Markdown, CSV, JSON) and llama-batched-bench. Pure.

    | qwen2 7B Q4_K - Medium | 4.36 GiB | 7.62 B | CUDA | 99 | tg128 | 101.20 ± 0.40 |

    decode.tokens_per_s = 101.2, model.quant = gguf-q4, model.file_gib = 4.36, engine.gpu_layers = 99

Of several rows the first of a kind counts; llama-bench runs one sequence, llama-batched-bench one a column B.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import re2

from kb.facts.collect import Collector, number
from kb.facts.model_names import add_size, quant_of
from probes.facts import Fact

KIND = "llama_bench"
MOST_ROWS = 500

Span = tuple[int, int]
Row = tuple[dict[str, str], Span]
"""Cells of a row by the name of their column, and its place."""

_TABLE = re2.compile(r"(?m)^[ \t>]{0,8}\|[^\n]{3,600}\|[ \t]*\r?$")
_RULE = re2.compile(r"^[|\s:-]+$")
_BUILD = re2.compile(r"(?m)^build: [0-9a-f]{7,12} \((\d{1,6})\)\r?$")
_CSV = re2.compile(r"(?m)^\"?build_commit\"?,[^\n]*\bavg_ts\b[^\n]*$")
_OBJECT = re2.compile(r"\{[^{}]*\"avg_ts\"[^{}]*\}")
_TEST = re2.compile(r"^(pp|tg) ?(\d{1,7})(?: ?@ ?d(\d{1,7}))?$")
SPEEDS = {"pp": "prefill.tokens_per_s", "tg": "decode.tokens_per_s"}
_HEADS = {"t/s", "S_TG t/s"}


def recognise(text: str) -> float:
    return 0.95 if ("t/s" in text and next(_tables(text), None)) or _CSV.search(text) or _OBJECT.search(text) else 0.0


def claimed(text: str) -> list[Span]:
    spans = [span for _, span in _tables(text)]
    spans += [match.span() for pattern in (_BUILD, _CSV, _OBJECT) for match in list(pattern.finditer(text))[:MOST_ROWS]]
    return spans + [span for _, span in _csv_rows(text)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    for row, span in _tables(text):
        if "S_TG t/s" in row:
            _add_batched(collector, row, span)
        else:
            _add_table_row(collector, row, span)
    for row, span in [*_csv_rows(text), *_json_rows(text)]:
        _add_raw_row(collector, row, span)
    if collector.facts:
        _first(
            collector,
            "engine.name",
            "llama.cpp",
            (collector.facts[0].provenance.start, collector.facts[0].provenance.end),
        )
    if collector.facts and (build := _BUILD.search(text)):
        _first(collector, "engine.version", f"b{build.group(1)}", build.span(1))
    return collector.facts


def _first(collector: Collector, fact: str, value: object, span: Span) -> None:
    if value is not None and not collector.has(fact):
        collector.add(fact, value, span)


def _tables(text: str) -> Iterator[Row]:
    """Rows of the Markdown tables that have a column of speeds."""
    head: list[str] = []
    for _, match in zip(range(MOST_ROWS), _TABLE.finditer(text), strict=False):
        cells = [cell.strip() for cell in match.group().strip("> \t\r").strip("|").split("|")]
        if _HEADS & set(cells):
            head = cells
        elif len(cells) == len(head) and not _RULE.match(match.group().strip()):
            yield dict(zip(head, cells, strict=True)), match.span()


def _csv_rows(text: str) -> Iterator[Row]:
    head = _CSV.search(text)
    if not head:
        return
    names = next(csv.reader(io.StringIO(head.group())))
    start = head.end() + 1
    for line in text[start : start + 200_000].split("\n")[:MOST_ROWS]:
        cells = next(csv.reader([line]), []) if line.count(",") >= len(names) - 1 else []
        if len(cells) != len(names):
            return
        yield dict(zip(names, cells, strict=True)), (start, start + len(line))
        start += len(line) + 1


def _json_rows(text: str) -> Iterator[Row]:
    for _, match in zip(range(MOST_ROWS), _OBJECT.finditer(text), strict=False):
        try:
            row = json.loads(match.group())
        except (ValueError, RecursionError):
            continue
        yield {name: str(value) for name, value in row.items()}, match.span()


def _add_table_row(collector: Collector, row: dict[str, str], span: Span) -> None:
    test, speed = _TEST.match(row.get("test", "")), number(row.get("t/s", "").split("±")[0])
    if not test or speed is None:
        return
    _first(collector, SPEEDS[test.group(1)], speed, span)
    size = row.get("size", "").split(" ")
    if len(size) == 2 and size[1] in ("GiB", "MiB") and (amount := number(size[0])) is not None:
        _first(collector, "model.file_gib", amount / (1024 if size[1] == "MiB" else 1), span)
    params = row.get("params", "").split(" ")
    if len(params) == 2 and params[1] in ("B", "M") and (amount := number(params[0])) is not None:
        _first(collector, "model.params_b", amount / (1000 if params[1] == "M" else 1), span)
    _add_model(collector, row.get("model", ""), span)
    _first(collector, "engine.gpu_layers", number(row.get("ngl", "")), span)
    _first(collector, "engine.threads", number(row.get("threads", "")), span)
    if row.get("backend") == "CPU":
        _first(collector, "engine.device", "cpu", span)


def _add_raw_row(collector: Collector, row: dict[str, str], span: Span) -> None:
    """A row of the CSV or JSON form, whose sizes are bytes and counts."""
    prompt, generated, speed = (number(row.get(name, "")) for name in ("n_prompt", "n_gen", "avg_ts"))
    if speed is None or bool(prompt) == bool(generated):
        return
    _first(collector, SPEEDS["pp" if prompt else "tg"], speed, span)
    for name, fact, divisor in (("model_size", "model.file_gib", 2**30), ("model_n_params", "model.params_b", 1e9)):
        if (amount := number(row.get(name, ""))) is not None:
            _first(collector, fact, round(amount / divisor, 4), span)
    _add_model(collector, row.get("model_type", ""), span)
    _first(collector, "engine.gpu_layers", number(row.get("n_gpu_layers", "")), span)
    _first(collector, "engine.threads", number(row.get("n_threads", "")), span)
    if (build := row.get("build_number", "")).isdigit():
        _first(collector, "engine.version", f"b{build}", span)


def _add_model(collector: Collector, name: str, span: Span) -> None:
    if not name or collector.has("model.name"):
        return
    collector.add("model.name", name, span)
    if not collector.has("model.params_b"):
        add_size(collector, name, span)
    if quant := quant_of(name):
        collector.add("model.quant", quant, span)


def _add_batched(collector: Collector, row: dict[str, str], span: Span) -> None:
    streams, speed = number(row.get("B", "")), number(row["S_TG t/s"])
    if streams is None or speed is None:
        return
    if streams == 1:
        _first(collector, "decode.tokens_per_s", speed, span)
        _first(collector, "prefill.tokens_per_s", number(row.get("S_PP t/s", "")), span)
        return
    # The widest row comes last and is the one that people ask about; a later fact of equal weight wins.
    collector.facts = [
        fact for fact in collector.facts if fact.name not in ("load.concurrency", "decode.total_tokens_per_s")
    ]
    collector.add("load.concurrency", streams, span)
    collector.add("decode.total_tokens_per_s", speed, span)
