"""Pictures of numbers as SVG text: bars, the roofline, curves. Pure.

Colours and fonts come from the style sheet by class; every picture has a title for screen readers, and the page
shows the same numbers in words or in a table beside it.
"""

from __future__ import annotations

import math
from html import escape

from kb.explain import number

Point = tuple[float, float]
WIDTH, HEIGHT = 640, 200  # of a curve, in user units; the page scales it
SMALLEST = 1e-9  # a range below it is a level line
LARGEST = 1e15  # beyond it (and for NaN) a reading is no measurement
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 14, 30


def share_bar(share: float, tone: str) -> str:
    """A horizontal bar filled to `share` (0-1), for decoration beside the number."""
    width = max(0.0, min(1.0, share)) * 100
    return (
        f'<svg class="bar bar-{tone}" aria-hidden="true" focusable="false">'
        f'<rect class="bar-track" width="100%" height="100%" rx="3"/>'
        f'<rect class="bar-fill" width="{width:.1f}%" height="100%" rx="3"/></svg>'
    )


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten) that cover low..high."""
    span = high - low
    raw = (span if span > SMALLEST else 1.0) / wanted
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(index * step, 12) for index in range(first, last + 1)]


def thinned(points: list[Point], limit: int = 400) -> list[Point]:
    """At most about `limit` points; of each stretch the lowest and the highest, so that no spike is lost."""
    if len(points) <= limit:
        return points
    size = math.ceil(len(points) * 2 / limit)
    kept: list[Point] = []
    for start in range(0, len(points), size):
        part = points[start : start + size]
        kept += sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])})
    return kept


def _frame(x_marks: list[float], y_marks: list[float], x_at: dict[float, float], y_at: dict[float, float]) -> str:
    rows = [
        f'<line class="chart-grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y_at[y]:.1f}" y2="{y_at[y]:.1f}"/>'
        f'<text class="chart-label" x="{LEFT - 8}" y="{y_at[y] + 4:.1f}" text-anchor="end">{number(y)}</text>'
        for y in y_marks
    ]
    columns = [
        f'<text class="chart-label" x="{x_at[x]:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{number(x)} s</text>'
        for x in x_marks
    ]
    return "".join(rows + columns)


def summary(points: list[Point], title: str, unit: str, language: str) -> str:
    """What a curve shows, in a sentence: its range and its last value."""
    values = [value for _, value in points]
    low, high, last = (f"{number(v)} {unit}".strip() for v in (min(values), max(values), values[-1]))
    if language == "zh":
        return f"{title}：{len(points)} 个点，最低 {low}，最高 {high}，最后 {last}"
    return f"{title}: {len(points)} points, lowest {low}, highest {high}, last {last}"


def line_chart(points: list[Point], title: str, unit: str, language: str) -> str:
    """A curve of (seconds, value); the value axis begins at 0 unless values are negative. "" without points."""
    points = [(x, y) for x, y in points if abs(x) < LARGEST and abs(y) < LARGEST]
    if not points:
        return ""
    x_low, x_span = points[0][0], (points[-1][0] - points[0][0]) or 1.0
    y_marks = ticks(min(0.0, *(y for _, y in points)), max(y for _, y in points), 4)
    y_low, y_span = y_marks[0], (y_marks[-1] - y_marks[0]) or 1.0
    x_marks = [x for x in ticks(x_low, x_low + x_span, 6) if x_low <= x <= x_low + x_span]

    def place_x(x: float) -> float:
        return LEFT + (x - x_low) / x_span * (WIDTH - LEFT - RIGHT)

    def place_y(y: float) -> float:
        return HEIGHT - BOTTOM - (y - y_low) / y_span * (HEIGHT - TOP - BOTTOM)

    path = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y in thinned(points))
    frame = _frame(x_marks, y_marks, {x: place_x(x) for x in x_marks}, {y: place_y(y) for y in y_marks})
    words = escape(summary(points, title, unit, language))
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}"><title>{words}</title>'
        f'{frame}<polyline class="chart-line" points="{path}"/></svg>'
    )


def roofline(
    measured: float | None, expected: tuple[float, float] | None, ceiling: float, words: dict[str, str]
) -> str:
    """Where a speed stands: the expected range and the ceiling on a logarithmic scale of tokens a second.

    Args:
        words: texts for `title`, `measured`, `expected` and `ceiling`, in the reader's language.
    """
    known = [value for value in (measured, *(expected or ()), ceiling) if value and value > 0]
    low, high = math.floor(math.log10(min(known) * 0.8)), math.log10(max(known) * 1.6)
    x_of = {value: 20 + (math.log10(value) - low) / (high - low) * 600 for value in known}
    decades = [10.0**power for power in range(low, math.floor(high) + 1)]
    axis = "".join(_decade(value, 20 + (math.log10(value) - low) / (high - low) * 600) for value in decades)
    parts = ['<rect class="roof-track" x="20" y="58" width="600" height="16" rx="8"/>', axis]
    if expected:
        left, right = x_of[expected[0]], x_of[expected[1]]
        parts.append(
            f'<rect class="roof-expected" x="{left:.1f}" y="58" width="{max(right - left, 4):.1f}" height="16" rx="3"/>'
        )
        parts.append(_note((left + right) / 2, 96, "roof-note-expected", words["expected"]))
    at = x_of[ceiling]
    parts.append(f'<line class="roof-ceiling" x1="{at:.1f}" x2="{at:.1f}" y1="46" y2="80"/>')
    parts.append(_note(at, 38, "roof-note-ceiling", words["ceiling"]))
    if measured:
        at = x_of[measured]
        parts.append(
            f'<path class="roof-measured" d="M{at:.1f} 54l-7 -11h14z"/><circle class="roof-dot" cx="{at:.1f}" cy="66" r="6"/>'
        )
        parts.append(_note(at, 18 if abs(at - x_of[ceiling]) < 260 else 36, "roof-note-measured", words["measured"]))
    title = escape(words["title"])
    return f'<svg class="roof" viewBox="0 6 640 122" role="img" aria-label="{title}"><title>{title}</title>{"".join(parts)}</svg>'


def _decade(value: float, x: float) -> str:
    return (
        f'<line class="chart-grid" x1="{x:.1f}" x2="{x:.1f}" y1="74" y2="108"/>'
        f'<text class="chart-label" x="{x:.1f}" y="124" text-anchor="middle">{number(value)}</text>'
    )


def _note(x: float, y: float, kind: str, text: str) -> str:
    """A label at x, kept inside the picture by its anchor."""
    anchor = "start" if x < 130 else "end" if x > 510 else "middle"
    x = max(x - 10, 14) if anchor == "start" else min(x + 10, 626) if anchor == "end" else x
    return f'<text class="roof-note {kind}" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
