"""Fixes in the order in which trying them pays: probability times hope, over the minutes that a try costs. Pure.

value = P(cause) * theta * share / (minutes + downtime + 10 * risk)        (Heckerman et al. 1995: P/cost first)

`share` is the part of the measured gap that the fix can close, 1 where the gap or the effect is not known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from kb.entry_file import Command, EntryFile, Fix
from kb.flag_check import unavailable
from kb.judgement import RankedCause, RankedFix
from kb.knowledge import Knowledge
from kb.versions import within
from probes.facts import FactSet

# Mean of the Beta prior of success: (8,2) documentation or own measurement, (4,2) a maintainer's word, (2,2) a forum.
HOPE = {"vendor": 8 / 10, "maintainer": 4 / 6, "forum": 2 / 4}
# Minutes until the server answers again: a restart loads the weights and captures graphs, a reboot does that as well.
DOWNTIME = {"none": 0, "restart": 5, "reboot": 15}
RISK_MINUTES = 10
# Data or hardware may be lost: never first.
IRREVERSIBLE = 3


def rank_fixes(
    causes: Iterable[RankedCause], knowledge: Knowledge, facts: FactSet, none: float = 0.0
) -> list[RankedFix]:
    """The fixes of all causes, best first; what cannot be done here is left out.

    Fixes of causes less likely than `none`, "none of these", come after all others.
    """
    ranked = [
        _ranked(cause, knowledge.by_slug[cause.slug], _for_this_case(fix, facts), facts)
        for cause in causes
        for fix in knowledge.by_slug[cause.slug].fixes
        if possible(fix, facts)
    ]
    return sorted(ranked, key=lambda r: (r.probability < none, r.fix.risk == IRREVERSIBLE, -r.value, r.slug, r.fix.id))


def _for_this_case(fix: Fix, facts: FactSet) -> Fix:
    """The fix with the commands that run here, and no others."""
    return fix.model_copy(update={"commands": commands_here(fix, facts)})


def possible(fix: Fix, facts: FactSet) -> bool:
    """False where its condition is known to fail, or where the running engine's version has none of its commands."""
    if fix.applies is not None and fix.applies.truth(facts) is False:
        return False
    own = [command for command in fix.commands if command.engine == facts.value("engine.name")]
    return not own or any(_known(command, facts) for command in own)


def commands_here(fix: Fix, facts: FactSet) -> list[Command]:
    """The commands for the engine and version at hand; all of them where the engine is not known."""
    engine = facts.value("engine.name")
    own = [command for command in fix.commands if engine is None or command.engine in (engine, "", "any")]
    return [command for command in own if _known(command, facts)]


def _known(command: Command, facts: FactSet) -> bool:
    version = facts.value("engine.version")
    if version is None or command.engine != facts.value("engine.name"):
        return True
    return within(str(version), command.versions) and not unavailable(command.run, str(version))


def share_of_gap(fix: Fix, facts: FactSet) -> float:
    """The part of the slowdown that the fix can close: speed-ups multiply, so in logarithms; 0 to 1."""
    slowdown, most = facts.value("normal.slowdown"), fix.effect.high
    if slowdown is None or float(slowdown) <= 1 or most is None:
        return 1.0
    if fix.effect.of == "start" or most <= 1:
        return 0.0
    return min(1.0, math.log(most) / math.log(float(slowdown)))


def _ranked(cause: RankedCause, entry: EntryFile, fix: Fix, facts: FactSet) -> RankedFix:
    minutes = fix.minutes + DOWNTIME[fix.downtime] + RISK_MINUTES * fix.risk
    hope = HOPE[fix.grounds]
    if any(fact.value == fix.change for fact in facts.holding("tried.without_effect")):
        hope *= 1 - hope  # it was done wrongly, or it does not help here
    gain = cause.probability * hope * share_of_gap(fix, facts)
    return RankedFix(cause.slug, fix, cause.probability, gain / minutes, entry)
