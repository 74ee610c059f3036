"""How many of the facts that a case is known to state were read from it, and how many were read wrongly. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from kb.facts.gpu_names import gpu_mentions
from kb.facts.model_names import quant_of, size_of
from probes.facts import FactSet

RIGHT, WRONG, MISSED = "right", "wrong", "missed"
# What is written with other roundings of the same number is the same.
NEAR = 0.02

Compare = Callable[[Any, Any], bool]


def _same_number(read: Any, known: Any) -> bool:
    return abs(float(read) - float(known)) <= NEAR * max(abs(float(known)), 1e-9)


def _same_text(read: Any, known: Any) -> bool:
    one, other = _plain(read), _plain(known)
    return one in other or other in one


def _plain(text: Any) -> str:
    return "".join(char for char in str(text).casefold() if char.isalnum())


def _same_model(read: Any, known: Any) -> bool:
    """A family with its size is the model; the rest of the name is written in many ways."""
    sizes = size_of(str(read))[0], size_of(str(known))[0]
    family = _plain(str(known).rpartition("/")[2])[:4] in _plain(read)
    return _same_text(read, known) or (family and sizes[0] is not None and sizes[0] == sizes[1])


def _same_card(read: Any, known: Any) -> bool:
    cards = {mention.name for mention in gpu_mentions(str(known))}
    return str(read) in cards or _same_text(read, known)


def _same_format(read: Any, known: Any) -> bool:
    return str(read) == (quant_of(str(known)) or str(known)) or _same_text(read, known)


# Key in a case's `facts` -> names of facts that state it, and when two values are the same.
KEYS: dict[str, tuple[tuple[str, ...], Compare]] = {
    "engine": (("engine.name",), _same_text),
    "version": (("engine.version",), _same_text),
    "model": (("model.name",), _same_model),
    "params_b": (("model.params_b",), _same_number),
    "quant": (("model.quant",), _same_format),
    "gpu": (("gpu.name",), _same_card),
    "gpu_count": (("gpu.count",), _same_number),
    "gpu_util": (("gpu.utilization_pct",), _same_number),
    "cpu_util": (("host.cpu_utilization_pct",), _same_number),
    "tp": (("engine.tensor_parallel",), _same_number),
    "pp": (("engine.pipeline_parallel",), _same_number),
    "nodes": (("host.nodes",), _same_number),
    "os": (("host.distribution", "host.os", "host.virtualisation"), _same_text),
    "dtype": (("engine.dtype",), _same_text),
    "tok_s": (("decode.tokens_per_s", "decode.total_tokens_per_s", "metrics.output_tokens_per_s"), _same_number),
}


def compared(read: FactSet, known: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    """(key, right | wrong | missed) -> 1 for each key of `known` that is a fact."""
    return Counter((key, _outcome(read, key, value)) for key, value in known.items() if key in KEYS)


def _outcome(read: FactSet, key: str, known: Any) -> str:
    """Of several values that were read one right one is enough: which of them counts, the ranking decides."""
    names, same = KEYS[key]
    values = [fact.value for name in names for fact in read.holding(name)]
    if not values:
        return MISSED
    return RIGHT if any(_agree(same, value, known) for value in values) else WRONG


def _agree(same: Compare, read: Any, known: Any) -> bool:
    try:
        return same(read, known)
    except (TypeError, ValueError):
        return False


def figures(outcomes: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    """A row for each key, most frequent first: how often it is stated, precision of what was read, and recall."""
    keys = dict.fromkeys(key for key, _ in outcomes)
    rows = []
    for key in keys:
        right, wrong, missed = (outcomes.get((key, outcome), 0) for outcome in (RIGHT, WRONG, MISSED))
        total = right + wrong + missed
        precision = right / (right + wrong) if right + wrong else None
        rows.append({"fact": key, "n": total, "precision": precision, "recall": right / total})
    return sorted(rows, key=lambda row: (-row["n"], row["fact"]))
