"""How much of a measured slowdown a cause can explain. Pure.

The largest speed-up that is known of any of its fixes bounds what a cause can do to the speed. A slowdown far beyond that
speaks against it as the main cause: an obvious flag that costs a factor of 3 does not explain a factor of 40.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from kb.entry_file import EntryFile
from kb.explain import likelihood, number
from kb.judgement import Contribution
from probes.facts import FactSet
from probes.roofline.decode import HEALTHY

# A cause may also be there as a bystander of the true one: 2 of 42 launch commands of real reports carried --enforce-eager
# where another cause was confirmed. Evidence that it is there tells no more than that once it cannot be the main cause.
# Where a cause stays within what counts as normal speed, its evidence is of another kind (that a link is not the limit).
BYSTANDER = math.log(20)
# The same engine, model and card on two hosts were 2.4 times apart (mit-han-lab/llm-awq#55): a figure from one host may be
# off by that on another, so the likelihood falls as a normal curve in the logarithm of the excess with this width.
HOSTS = math.log(2.4)


def reach(entry: EntryFile) -> float | None:
    """The largest factor by which this cause slows generation, 1 where it only delays the start.

    None if nobody measured it, and for what can also hang an engine: that slows it without bound.
    """
    ranges = [fix.effect for fix in entry.fixes if fix.effect.high]
    speeds = [effect.high for effect in ranges if effect.high and effect.of == "speed"]
    if entry.kind != "slow" or not ranges or (speeds and "hang" in entry.symptoms_of):
        return None
    return max(speeds, default=1.0)


def beyond_reach(entry: EntryFile, facts: FactSet, evidence: Iterable[Contribution]) -> list[Contribution]:
    """Evidence against a cause that is too small for the slowdown that was measured or stated.

    Args:
        evidence: what else is known of this cause. As far as it is ruled out as the main one, that counts only up to BYSTANDER.
    """
    slowdown, most = facts.best("normal.slowdown"), reach(entry)
    if slowdown is None or most is None or float(slowdown.value) <= most:
        return []
    excess = math.log(float(slowdown.value) / most)
    nominal = max(-(excess**2) / (2 * HOSTS**2), likelihood(-3))
    shown = math.fsum(term.weight for term in evidence if term.kind != "prior") if most > HEALTHY else 0.0
    weight = nominal - (1 - math.exp(nominal)) * max(0.0, shown - BYSTANDER)
    zh, en = _said(most, float(slowdown.value))
    return [Contribution("reach", weight, zh, en, nominal=nominal, group="reach", facts=(slowdown,))]


def _said(most: float, slowdown: float) -> tuple[str, str]:
    times = number(round(slowdown, 1))
    if most == 1:
        return (
            f"只影响启动，不影响生成速度；这里慢了 {times} 倍。",
            f"It delays the start, not generation, which is {times} times too slow here.",
        )
    return (
        f"最多能解释慢 {number(most)} 倍，这里慢了 {times} 倍：即使存在，也还有别的原因。",
        f"It explains a slowdown of at most {number(most)} times; here it is {times} times, so there is more even if it is there.",
    )
