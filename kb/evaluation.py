"""How often the ranking is right on cases whose cause is known, and whether its percentages mean what they say. Pure.

Only what the reporter gave is shown to the ranking; cause, fix and facts of a case are the answer.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from kb import extraction
from kb.judgement import Assessment, Submission, encodable

PARTS = ("symptom", "command", "log", "nvidia_smi")
BINS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)


class BadCase(ValueError):
    """A line that is no case; the message says why, as (zh, en)."""

    def __init__(self, zh: str, en: str, id: str = "") -> None:
        super().__init__(en)
        self.zh, self.en, self.id = zh, en, id


def read_case(line: str) -> tuple[str, Submission, dict[str, Any]]:
    """The id, the submission and the whole object of one JSON line.

    Raises:
        BadCase: not a JSON object, no symptom, or a part that is no text.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise BadCase("这一行不是 JSON。", "The line is not JSON.") from None
    if not isinstance(data, dict):
        raise BadCase("这一行不是 JSON 对象。", "The line is not a JSON object.")
    id = encodable(str(data.get("id", "")))
    parts = {name: "" if data.get(name) is None else data[name] for name in PARTS}
    for name, value in parts.items():
        if not isinstance(value, str):
            raise BadCase(f"字段 {name} 应该是文本。", f"The field {name} must be a text.", id)
    if not any(value.strip() for value in parts.values()):
        raise BadCase(
            "没有内容：至少要有 symptom、command、log、nvidia_smi 之一。",
            "Nothing to judge: give at least one of symptom, command, log, nvidia_smi.", id,
        )  # fmt: skip
    return id, Submission(parts["symptom"], parts["command"], parts["log"], parts["nvidia_smi"]), data


@dataclass(frozen=True, slots=True)
class Judged:
    """One case with its answer and what the ranking said.

    Attributes:
        rank: place of the first right cause, 1 is best; 0 where no entry has it.
        top: probability of the first cause; brier: squared error over all causes and "none".
    """

    id: str
    kind: str
    lang: str
    right: frozenset[str]
    rank: int
    top: float
    brier: float
    first: tuple[str, ...]


@dataclass
class Report:
    judged: list[Judged] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    facts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        return {
            "cases": len(self.judged), "errors": [{"id": id, "error": error} for id, error in self.errors],
            "all": figures(self.judged),
            "by_kind": {key: figures(part) for key, part in _grouped(self.judged, "kind")},
            "by_lang": {key: figures(part) for key, part in _grouped(self.judged, "lang")},
            "reliability": reliability(self.judged),
            "facts": extraction.figures(self.facts),
            "missed": [
                {"id": case.id, "right": sorted(case.right), "rank": case.rank, "first": list(case.first)}
                for case in self.judged if not 1 <= case.rank <= 3
            ],
        }  # fmt: skip


def evaluate(lines: Iterable[str], assess: Callable[[Submission], Assessment]) -> Report:
    """Judge every line; a bad one is reported and the rest goes on."""
    report = Report()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            id, submission, data = read_case(line)
            answer = assess(submission)
            report.judged.append(judge(id, data, answer))
            if isinstance(stated := data.get("facts"), dict):
                report.facts += extraction.compared(answer.facts, stated)
        except BadCase as error:
            report.errors.append((error.id or f"line {number}", error.en))
        except Exception as error:
            # A fault of ours on one case must not hide the figures of the others.
            report.errors.append((f"line {number}", f"{type(error).__name__}: {error}"[:500]))
    return report


def judge(id: str, data: dict[str, Any], answer: Assessment) -> Judged:
    """Compare an answer with the cause that the case is known to have.

    Raises:
        BadCase: the case names no cause.
    """
    also = data.get("also") or []
    if not isinstance(data.get("cause"), str) or not isinstance(also, list):
        raise BadCase("这个案例没有写明 cause。", "The case names no cause.", id)
    right = frozenset({data["cause"], *map(str, also)})
    slugs = [cause.slug for cause in answer.causes]
    place = next((number for number, slug in enumerate(slugs, 1) if slug in right), 0)
    return Judged(
        id, str(data.get("kind", "")), str(data.get("lang", "")), right, place,
        answer.causes[0].probability if answer.causes else 0.0, _brier(answer, right), tuple(slugs[:3]),
    )  # fmt: skip


def _brier(answer: Assessment, right: frozenset[str]) -> float:
    """Squared error of the shares; where several causes are right, the one that the ranking likes best is the truth."""
    truth = next((cause.slug for cause in answer.causes if cause.slug in right), None)
    error = math.fsum((cause.probability - (cause.slug == truth)) ** 2 for cause in answer.causes)
    return error + (answer.none - (truth is None)) ** 2


def figures(judged: Sequence[Judged]) -> dict[str, float]:
    """Shares of cases with a right cause among the first 1, 3 and 5, mean reciprocal rank, and Brier score."""
    count = len(judged) or 1
    within = {f"top{k}": sum(1 <= case.rank <= k for case in judged) / count for k in (1, 3, 5)}
    mrr = sum(1 / case.rank for case in judged if case.rank) / count
    return {"n": len(judged), **within, "mrr": mrr, "brier": sum(case.brier for case in judged) / count}


def reliability(judged: Sequence[Judged]) -> list[dict[str, float]]:
    """For each range of the first cause's probability: how many cases, what was said, how often it was right."""
    rows = []
    for low, high in pairwise(BINS):
        part = [case for case in judged if low <= case.top < high or (high == 1.0 == case.top)]
        if part:
            said = sum(case.top for case in part) / len(part)
            rows.append({"from": low, "to": high, "n": len(part), "said": said, "right": figures(part)["top1"]})
    return rows


def calibration_error(judged: Sequence[Judged]) -> float:
    """Expected calibration error: the mean distance between what was said and how often it was right."""
    rows = reliability(judged)
    return sum(row["n"] * abs(row["said"] - row["right"]) for row in rows) / (len(judged) or 1)


def _grouped(judged: Iterable[Judged], attribute: str) -> list[tuple[str, list[Judged]]]:
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for case in judged:
        groups[getattr(case, attribute)].append(case)
    return sorted(groups.items())
