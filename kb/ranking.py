"""Facts and words to ranked causes: prior times likelihood ratios, with a share for "none of these". Pure.

    score(c) = ln prior + ln symptom fit + 0.8 * (text + sum over groups of the halved weights) [+ exclusion]
    P(c)     = softmax over all causes and "none"

Every probability unfolds into contributions whose plain sum is the score. Causes of slowness can be true together;
the softmax then says how likely each is the main one, so that with "none" all shares sum to 1.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from kb import explain
from kb.entry_file import EntryFile, Rule
from kb.judgement import Contribution, RankedCause, Submission
from kb.knowledge import Knowledge
from kb.reach import beyond_reach
from kb.retrieval import TextFit
from kb.saying import said
from kb.signatures import Hit
from probes.facts import Fact, FactSet, Provenance

# Dependent evidence is counted too often by a plain sum: halving within a group and this factor brought the
# calibration error of a simulation with dependent evidence from 0.163 to 0.027 at an equal hit rate.
TEMPER = 0.8
HALVE = 0.5
# Pseudo-counts of the frequency words, until outcomes replace them. With 4 : 2 : 0.5 the common causes hid the right
# one more often (first place 51% against 55%, log loss 1.86 against 1.79 on the same cases).
FREQUENCY = {"common": 3.0, "usual": 2.0, "rare": 1.0}
# Share of cases whose cause is in no entry, until closed cases tell.
NONE_PRIOR = 0.12
# A cause that shows as other trouble than the one reported: the kind of trouble read from 68 real reports was the stated one
# in 46, so it is weak evidence, one step of the scale.
OTHER_TROUBLE = math.log(1 / 3)
SPEEDS = ("decode.tokens_per_s", "decode.tpot_ms", "latency.ttft_s", "prefill.tokens_per_s")
# A cause that cannot exist here stays visible, last.
EXCLUDED = math.log(1 / 1000)
# The words choose among a hundred causes, so a good fit must be worth more than the x30 of one strong rule: with a
# ceiling of 30 the first cause was given 28% and right in 52%; with 1000, 48% and 56% (log loss 2.28 and 1.79).
TEXT_FLOOR, TEXT_CEILING = -math.log(3), math.log(1000)
# BM25 score of the best entry under which a case has hardly a word in common with any: of 18 questions off the subject the
# best scored 6.7, of 90 real cases the least scored 10.8.
TEXT_LEAST = 8.0
_FREQUENCY_WORDS = {
    "common": ("常见", "common"), "usual": ("一般", "as usual as most"), "rare": ("少见", "rare"),
}  # fmt: skip


def text_weights(fits: Mapping[str, TextFit]) -> dict[str, float]:
    """Natural log-odds that the words give each cause, between -ln 3 and ln 1000.

    A score counts as its share of the best one, so that a long paste is no stronger evidence than a sentence;
    where even the best has little in common with the case, all are weak.
    """
    best = max((fit.score for fit in fits.values()), default=0.0)
    scale = max(best, TEXT_LEAST)
    span = TEXT_CEILING - TEXT_FLOOR
    return {slug: TEXT_FLOOR + span * fit.score / scale for slug, fit in fits.items()}


def rank(facts: FactSet, submission: Submission, knowledge: Knowledge) -> tuple[list[RankedCause], float]:
    """All causes of `knowledge`, best first, and the probability of none of them; together they sum to 1."""
    parts = submission.parts()
    saying = "\n".join(filter(None, map(said, parts.values())))
    fits = knowledge.text.fits(saying)
    words = text_weights(fits) if saying else {}
    hits = knowledge.signatures.scan(parts)
    priors = _priors(knowledge.entries, facts)
    scored = []
    for entry in knowledge.entries:
        contributions = list(priors[entry.slug])
        if entry.slug in words:
            contributions.append(_text(words[entry.slug], fits[entry.slug]))
        contributions += _signatures(hits.get(entry.slug, []))
        fired, unknown = _rules(entry, facts)
        contributions += fired + beyond_reach(entry, facts, TEMPER) + _exclusion(entry, facts)
        scored.append((entry.slug, tuple(contributions), unknown))
    recognised = any(c.kind in ("rule", "signature") and c.weight > 0 for _, terms, _ in scored for c in terms)
    foreign = bool(words) and not recognised
    return _softmax(scored, _none_score(fits) if foreign else math.log(NONE_PRIOR))


def _priors(entries: tuple[EntryFile, ...], facts: FactSet) -> dict[str, list[Contribution]]:
    stated = _trouble_stated(facts)
    kinds = {fact.value if fact.name == "symptom.kind" else "slow" for fact in stated}
    total = sum(FREQUENCY[entry.frequency] for entry in entries)
    fit = {e.slug: 0.0 if not kinds or kinds & set(e.symptoms_of) else OTHER_TROUBLE for e in entries}
    evens = math.log(sum(FREQUENCY[e.frequency] * math.exp(fit[e.slug]) for e in entries) / total) if total else 0.0
    priors = {}
    for entry in entries:
        zh, en = _FREQUENCY_WORDS[entry.frequency]
        share = math.log((1 - NONE_PRIOR) * FREQUENCY[entry.frequency] / total)
        priors[entry.slug] = [
            Contribution("prior", share, f"在全部报告中{zh}", f"{en} among all reports", group="frequency")
        ]
        if kinds:
            priors[entry.slug].append(_trouble(fit[entry.slug] - evens, tuple(stated), fits=not fit[entry.slug]))
    return priors


def _trouble_stated(facts: FactSet) -> list[Fact]:
    """The facts that say what kind of trouble it is.

    An error is printed and several cards are named in many reports of any kind, so these two speak only where nothing
    more telling does, and several cards alone say nothing. A speed without any trouble named is a question of speed.
    """
    stated = facts.holding("symptom.kind")
    telling = [fact for fact in stated if fact.value not in ("error", "multi-gpu")]
    if telling or any(fact.value == "error" for fact in stated):
        return telling or stated
    return [] if stated else [fact for name in SPEEDS for fact in facts.holding(name)]


def _trouble(weight: float, stated: tuple[Fact, ...], *, fits: bool) -> Contribution:
    kinds = ", ".join(dict.fromkeys(str(f.value) if f.name == "symptom.kind" else "slow" for f in stated))
    zh = f"表现{'相符' if fits else '不符'}（{kinds}）"
    en = f"{'shows' if fits else 'does not usually show'} as this kind of trouble ({kinds})"
    return Contribution("prior", weight, zh, en, group="symptom", facts=stated)


def _text(weight: float, fit: TextFit) -> Contribution:
    passage = " ".join(fit.passage.split())
    nearest = passage if len(passage) <= 80 else passage[:79] + "…"
    return Contribution(
        "text", TEMPER * weight, f"描述与条目的相似程度，最接近：“{nearest}”",
        f"how the words fit; nearest: “{nearest}”", nominal=weight, group="text",
    )  # fmt: skip


def _signatures(hits: list[Hit]) -> list[Contribution]:
    """Lines that tell of one cause are printed together, so they form one group."""
    weighed = sorted(((explain.likelihood(hit.signature.level), hit) for hit in hits), key=lambda item: -abs(item[0]))
    found = []
    for number, (weight, hit) in enumerate(weighed):
        line = Fact(
            "observed.log_line", hit.quote, Provenance("log", hit.part, hit.start, hit.end, hit.quote)
        )  # fmt: skip
        found.append(Contribution(
            "signature", TEMPER * HALVE**number * weight, f"出现这一行：{hit.quote}", f"this line is there: {hit.quote}",
            nominal=weight, group="log-line", facts=(line,), source=hit.signature.source,
        ))  # fmt: skip
    return found


def _rules(entry: EntryFile, facts: FactSet) -> tuple[list[Contribution], tuple[str, ...]]:
    """The rules that hold, each further one of a group at half its weight, and the ids of those still unknown."""
    groups: defaultdict[str, list[Rule]] = defaultdict(list)
    unknown = []
    for rule in entry.rules:
        truth = rule.when.truth(facts)
        if truth is None:
            unknown.append(rule.id)
        elif truth:
            groups[rule.group].append(rule)
    fired = []
    for rules in groups.values():
        for number, rule in enumerate(sorted(rules, key=lambda rule: -abs(rule.level))):
            fired.append(_rule(rule, HALVE**number, facts))
    return fired, tuple(unknown)


def _rule(rule: Rule, share: float, facts: FactSet) -> Contribution:
    nominal, said = explain.likelihood(rule.level), explain.condition(rule.when)
    support = tuple(dict.fromkeys(rule.when.support(facts)))
    return Contribution(
        "rule", TEMPER * share * nominal, f"{said.zh}。{rule.why.zh}", f"{said.en}. {rule.why.en}",
        nominal=nominal, group=rule.group, facts=support, rule=rule.id, source=rule.source,
    )  # fmt: skip


def _exclusion(entry: EntryFile, facts: FactSet) -> list[Contribution]:
    if entry.applies is None or entry.applies.truth(facts) is not False:
        return []
    needed = explain.condition(entry.applies)
    support = tuple(dict.fromkeys(entry.applies.support(facts)))
    return [
        Contribution(
            "exclusion", EXCLUDED, f"这里不可能：需要{needed.zh}", f"cannot be here: needs {needed.en}", facts=support
        )
    ]


def _none_score(fits: Mapping[str, TextFit]) -> float:
    """ln of the prior, raised by up to the strongest text evidence where the words fit no entry.

    For cases in which nothing else was recognised: a paste of a tool has few of anybody's words and may tell much.
    """
    best = max((fit.score for fit in fits.values()), default=0.0)
    return math.log(NONE_PRIOR) + TEMPER * TEXT_CEILING * max(0.0, 1 - best / TEXT_LEAST)


def _softmax(
    scored: list[tuple[str, tuple[Contribution, ...], tuple[str, ...]]], none: float
) -> tuple[list[RankedCause], float]:
    scores = [math.fsum(c.weight for c in contributions) for _, contributions, _ in scored]
    top = max([none, *scores])
    weights = [math.exp(score - top) for score in scores]
    total = math.fsum([*weights, math.exp(none - top)])
    causes = [
        RankedCause(slug, weight / total, score, contributions, unknown)
        for (slug, contributions, unknown), score, weight in zip(scored, scores, weights, strict=True)
    ]
    return sorted(causes, key=lambda cause: (-cause.score, cause.slug)), math.exp(none - top) / total
