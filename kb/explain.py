"""Conditions, weights and facts as sentences in both languages. Pure."""

from __future__ import annotations

import math

from kb.condition import All, AnyOf, Condition, Not, Test
from kb.entry_file import Both
from probes.facts import Fact
from probes.vocabulary import fact_type
from probes.vocabulary.declare import FactType, Value

_COMPARE = {
    "<": ("低于", "is below"), "<=": ("不超过", "is at most"), ">": ("高于", "is above"), ">=": ("至少", "is at least"),
    "version<": ("早于", "is older than"), "version>=": ("不早于", "is at least"),
}  # fmt: skip
# The steps of the scale on which evidence is given (levels 1, 2, 3).
STEPS = (3, 10, 30)
# More likely than not; and worth a look.
LIKELY, POSSIBLE = 0.5, 0.15


def likelihood(level: int) -> float:
    """The natural log of the likelihood ratio of a level: 3 = ln 30, 2 = ln 10, 1 = ln 3, negative ones against."""
    return math.copysign(math.log(STEPS[abs(level) - 1]), level)


def factor(weight: float) -> Both:
    """A log-odds weight as people read it: "x10", "against x3", "x1" where it moves nothing."""
    times = math.exp(abs(weight))
    shown = f"×{times:.0f}" if times >= 3 else f"×{times:.1f}"
    if times < 1.05:
        return Both(zh="×1", en="×1")
    return Both(zh=shown, en=shown) if weight > 0 else Both(zh=f"反对 {shown}", en=f"against {shown}")


def chance(probability: float) -> Both:
    """A probability in words, for where percentages are not calibrated."""
    if probability >= LIKELY:
        return Both(zh="很可能", en="likely")
    return Both(zh="有可能", en="possible") if probability >= POSSIBLE else Both(zh="不太可能", en="unlikely")


def share(probability: float, confidence: str) -> Both:
    """How to say a probability on the page and in the terminal: a percentage only where these are calibrated."""
    if confidence != "calibrated":
        return chance(probability)
    return Both(zh=percentage(probability), en=percentage(probability))


def percentage(share: float) -> str:
    """A share as a percentage; the ends are never rounded to certainty."""
    if 0 < share < 0.01:
        return "<1%"
    return ">99%" if 0.99 < share < 1 else f"{share:.0%}"


def number(value: Value) -> str:
    """A number as it is read: thousands apart, no more digits than matter; other values as they are."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def quantity(declared: FactType, value: Value) -> str:
    """A value with its unit."""
    shown = number(value)
    if not declared.unit or isinstance(value, str):
        return shown
    return shown + declared.unit if declared.unit in ("%", "°C", "x") else f"{shown} {declared.unit}"


# Choices that are words of ours, not of the field; the others are said as they are.
_CHOICES = {
    "normal.state": {
        "normal": Both(zh="正常", en="normal"),
        "look-closer": Both(zh="略慢", en="a little slow"),
        "slow": Both(zh="偏慢", en="slow"),
        "far-too-slow": Both(zh="慢得不正常", en="far too slow"),
        "faster-than-physics": Both(zh="快过带宽允许", en="faster than the bandwidth allows"),
        "unknown": Both(zh="无法判断", en="not to be judged"),
    },
    "symptom.kind": {
        "slow": Both(zh="慢", en="slow"),
        "oom": Both(zh="内存不足", en="out of memory"),
        "load": Both(zh="启动或加载失败", en="start or load failure"),
        "hang": Both(zh="卡住", en="hang"),
        "output": Both(zh="输出不对", en="wrong output"),
        "error": Both(zh="报错", en="error"),
        "multi-gpu": Both(zh="多卡问题", en="several GPUs"),
    },
}


def _said(declared: FactType, value: Value) -> Both:
    """A value with its unit, in both languages."""
    shown = quantity(declared, value)
    return _CHOICES.get(declared.name, {}).get(str(value), Both(zh=shown, en=shown))


def fact(stated: Fact) -> Both:
    """A fact as a short statement."""
    declared = fact_type(stated.name)
    if declared.kind == "bool":
        return _flag(declared, true=bool(stated.value))
    if stated.low is not None and stated.high is not None:
        unit = f" {declared.unit}" if declared.unit else ""
        shown = f"{number(stated.low)}–{number(stated.high)}{unit}"
        return Both(zh=f"{declared.zh}：{shown}", en=f"{declared.en}: {shown}")
    said = _said(declared, stated.value)
    return Both(zh=f"{declared.zh}：{said.zh}", en=f"{declared.en}: {said.en}")


def condition(when: Condition) -> Both:
    """A condition as a sentence without its full stop."""
    match when:
        case Test():
            return _test(when)
        case All():
            parts = [condition(part) for part in when.all]
            return Both(zh="，且".join(p.zh for p in parts), en=" and ".join(p.en for p in parts))
        case AnyOf():
            parts = [condition(part) for part in when.any]
            return Both(zh="或".join(f"（{p.zh}）" for p in parts), en=" or ".join(f"({p.en})" for p in parts))
        case Not():
            inner = condition(when.not_)
            return Both(zh=f"并非（{inner.zh}）", en=f"not ({inner.en})")


def _flag(declared: FactType, *, true: bool) -> Both:
    return Both(
        zh=declared.zh if true else f"不成立：{declared.zh}", en=declared.en if true else f"not so: {declared.en}"
    )


def _test(test: Test) -> Both:
    declared = fact_type(test.fact)
    if test.op == "known":
        return Both(zh=f"已知{declared.zh}", en=f"the {declared.en} is known")
    if declared.kind == "bool":
        return _flag(declared, true=(test.value is True) == (test.op == "is"))
    values = test.value if isinstance(test.value, list) else [test.value]
    shown = [_said(declared, value) for value in values]
    zh, en = "或".join(said.zh for said in shown), " or ".join(said.en for said in shown)
    if test.op in _COMPARE:
        word_zh, word_en = _COMPARE[test.op]
        return Both(zh=f"{declared.zh}{word_zh} {zh}", en=f"{declared.en} {word_en} {en}")
    if test.op == "contains" or declared.many:
        return Both(zh=f"{declared.zh}含有 {zh}", en=f"{declared.en} includes {en}")
    if test.op == "is-not":
        return Both(zh=f"{declared.zh}不是 {zh}", en=f"{declared.en} is not {en}")
    return Both(zh=f"{declared.zh}是 {zh}", en=f"{declared.en} is {en}")
