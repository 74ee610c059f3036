"""The answer to "is this normal?" as the page shows it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kb import charts
from kb.explain import number
from kb.normal import Normal
from kb.present.words import Word, word


@dataclass(frozen=True, slots=True)
class Panel:
    """The judgement with its picture.

    Attributes:
        picture: SVG, "" where there is no ceiling to compare with.
        total: sum of the terms, (fast, slow) ms a token.
    """

    normal: Normal
    state: Word
    picture: str
    total: tuple[float, float]


def _words(normal: Normal, language: str) -> dict[str, str]:
    low, high = (number(round(value, 1)) for value in normal.expected or (0.0, 0.0))
    ceiling = number(round(normal.ceiling or 0.0, 1))
    said = number(round(normal.measured.value, 1)) if normal.measured else ""
    if language == "zh":
        texts = {"measured": f"你的速度 {said}", "expected": f"正常 {low}–{high}", "ceiling": f"上限 {ceiling}"}
        joint = "，".join(text for name, text in texts.items() if name != "measured" or said)
        return texts | {"title": f"每秒 token 数，对数刻度：{joint}"}
    texts = {"measured": f"yours {said}", "expected": f"normal {low}–{high}", "ceiling": f"ceiling {ceiling}"}
    joint = ", ".join(text for name, text in texts.items() if name != "measured" or said)
    return texts | {"title": f"Tokens a second on a logarithmic scale: {joint}"}


def panel(normal: Normal | None, language: str) -> Panel | None:
    """What the page shows, None where nothing about speed or memory was said."""
    if normal is None:
        return None
    picture = ""
    if normal.ceiling and normal.expected:
        value = normal.measured.value if normal.measured else None
        picture = charts.roofline(value, normal.expected, normal.ceiling, _words(normal, language))
    fast = sum(term["ms"][0] for term in normal.terms)
    slow = sum(term["ms"][1] for term in normal.terms)
    return Panel(normal, word("speed", normal.state), picture, (fast, slow))
