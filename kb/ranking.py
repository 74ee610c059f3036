"""Facts and words to ranked causes: prior times likelihood ratios, with a share for "none of these". Pure.

    score(c) = ln prior + ln symptom fit + text + sum over groups of the halved weights [+ reach] [+ exclusion]
    P(c)     = softmax over all causes and "none", which never falls below a tenth

Every probability unfolds into contributions whose plain sum is the score. Causes of slowness can be true together;
the softmax then says how likely each is the main one, so that with "none" all shares sum to 1.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from kb import explain
from kb.condition import fact_names
from kb.entry_file import EntryFile, Rule
from kb.fixes import HOPE
from kb.judgement import Contribution, RankedCause, Submission
from kb.knowledge import Knowledge
from kb.likeness import readable, terms
from kb.reach import beyond_reach
from kb.retrieval import TextFit
from kb.saying import said
from kb.signatures import Hit
from kb.text import Query
from probes.facts import Fact, FactSet, Provenance

# Dependent evidence is counted too often by a plain sum: in a simulation with dependent evidence halving within a group
# brought the calibration error down at an equal hit rate. The further factor of 0.8 on all evidence that it suggested made
# the percentages too low on 109 real cases (0.114 with it, 0.062 without, both with the floor of "none" below).
HALVE = 0.5
# Pseudo-counts of the frequency words, until outcomes replace them. With 4 : 2 : 0.5 the common causes hid the right
# one more often (first place 51% against 55%, log loss 1.86 against 1.79 on the same cases).
FREQUENCY = {"common": 3.0, "usual": 2.0, "rare": 1.0}
# Share of cases whose cause is in no entry, until closed cases tell.
NONE_PRIOR = 0.12
# However well a cause fits, something unforeseen stays possible: what was said to be 97% sure was right in 25 of 29 real
# cases. Fitted by five-fold cross-validation on 109 cases: 0.10 to 0.12 in every fold, calibration error 0.070 on the cases
# left out (0.12 without), where perfect percentages would show 0.070 by chance alone.
NONE_LEAST = 0.10
# A cause that shows as other trouble than the one reported: the kind of trouble read from 68 real reports was the stated one
# in 46, so it is weak evidence, one step of the scale.
OTHER_TROUBLE = math.log(1 / 3)
SPEEDS = ("decode.tokens_per_s", "decode.tpot_ms", "latency.ttft_s", "prefill.tokens_per_s")
# What stops an engine from starting or fails a request, where the engine serves and nobody reports that trouble: as strong
# as one decisive rule where a probe measured it, one step less where a person states a speed.
SERVES, SAID_TO_SERVE = math.log(1 / 30), math.log(1 / 10)
# Level of a log line from which on it is taken for the error itself; weaker ones are printed in many runs.
TELLING = 2
# Level of a fix that was tried and helped, on the scale of rules.
HELPED = 2
# A cause that cannot exist here stays visible, last.
EXCLUDED = math.log(1 / 1000)
# The words choose among a hundred causes, so a good fit must be worth more than the x30 of one strong rule: with a
# ceiling of 30 the first cause was given 28% and right in 52%; with 1000, 48% and 56% (log loss 2.28 and 1.79).
TEXT_FLOOR, TEXT_CEILING = -math.log(3), math.log(1000)
# Beside what was learned from reports. With 0.35, 0.5 and 0.7 the right cause came first in 70.0, 71.1 and 71.1 % of 263
# cases that were not learned from, and among three in 84.4, 84.4 and 82.9 %.
UNTAUGHT = 0.5
# Both witnesses of the words together can weigh more than three decisive measurements; once something was measured they
# count half, so that a complaint in the words of another cause does not outweigh it (tests/whole, a real engine).
SAID_BESIDE_MEASURED = 0.5
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
    query = Query.of(saying)
    fits = knowledge.text.fits(query)
    words = _words(knowledge, query, fits, facts) if saying else {}
    hits = knowledge.signatures.scan(parts)
    first = _first_error(hits)
    priors = _priors(knowledge, facts)
    scored = []
    for entry in knowledge.entries:
        contributions = list(priors[entry.slug])
        contributions += words.get(entry.slug, [])
        contributions += _signatures(hits.get(entry.slug, []), first)
        fired, unknown = _rules(entry, facts)
        contributions += fired
        contributions += beyond_reach(entry, facts, contributions)
        contributions += _tried(entry, facts) + _helped(entry, facts) + _serves(entry, facts) + _exclusion(entry, facts)
        scored.append((entry.slug, tuple(contributions), unknown))
    recognised = any(c.kind in ("rule", "signature") and c.weight > 0 for _, terms, _ in scored for c in terms)
    foreign = bool(words) and not recognised
    return _softmax(scored, _none_score(fits) if foreign else math.log(NONE_PRIOR))


def _priors(knowledge: Knowledge, facts: FactSet) -> dict[str, list[Contribution]]:
    entries, count = knowledge.entries, prior_counts(knowledge)
    stated = _trouble_stated(facts)
    kinds = {fact.value if fact.name == "symptom.kind" else "slow" for fact in stated}
    total = sum(count.values())
    fit = {e.slug: 0.0 if not kinds or kinds & set(e.symptoms_of) else OTHER_TROUBLE for e in entries}
    evens = math.log(sum(count[e.slug] * math.exp(fit[e.slug]) for e in entries) / total) if total else 0.0
    priors = {}
    for entry in entries:
        share = math.log((1 - NONE_PRIOR) * count[entry.slug] / total)
        priors[entry.slug] = [_frequency(entry, share, knowledge.confirmations.get(entry.slug, 0))]
        if kinds:
            priors[entry.slug].append(_trouble(fit[entry.slug] - evens, tuple(stated), fits=not fit[entry.slug]))
    return priors


def prior_counts(knowledge: Knowledge) -> dict[str, float]:
    """Slug -> pseudo-count of its frequency word, and one more for each account that closed a case with it: the mean of a
    Dirichlet prior. Taking an outcome back takes its count back."""
    return {e.slug: FREQUENCY[e.frequency] + knowledge.confirmations.get(e.slug, 0) for e in knowledge.entries}


def _frequency(entry: EntryFile, share: float, confirmed: int) -> Contribution:
    zh, en = _FREQUENCY_WORDS[entry.frequency]
    here_zh, here_en = (
        (f"，这里有 {confirmed} 个已结案病例", f", and {confirmed} closed cases here") if confirmed else ("", "")
    )
    return Contribution(
        "prior", share, f"在全部报告中{zh}{here_zh}", f"{en} among all reports{here_en}", group="frequency"
    )


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


def _words(
    knowledge: Knowledge, query: Query, fits: Mapping[str, TextFit], facts: FactSet
) -> dict[str, list[Contribution]]:
    """Slug -> what the words say of it: two witnesses of the same words, of which the one that nobody taught counts half."""
    if (likeness := knowledge.likeness) is None:
        return {slug: [_text(weight, fits[slug])] for slug, weight in text_weights(fits).items()}
    share = SAID_BESIDE_MEASURED if any(fact.provenance.origin == "probe" for fact in facts) else 1.0
    said = {slug: [_text(share * UNTAUGHT * weight, fits[slug])] for slug, weight in text_weights(fits).items()}
    seen = terms(query, facts)
    for slug, weight in likeness.fits(seen).items():
        if slug in said:
            said[slug].append(_like(share * weight, likeness.telling(seen, slug)))
    return said


def _text(weight: float, fit: TextFit) -> Contribution:
    passage = " ".join(fit.passage.split())
    nearest = passage if len(passage) <= 80 else passage[:79] + "…"
    zh, en = (f"（已确诊的报告 {fit.source}）", f" (a confirmed report, {fit.source})") if fit.source else ("", "")
    return Contribution(
        "text", weight, f"描述与条目的相似程度，最接近：“{nearest}”{zh}",
        f"how the words fit; nearest: “{nearest}”{en}", nominal=weight, group="text",
    )  # fmt: skip


def _like(weight: float, telling: list[str]) -> Contribution:
    shown = ", ".join(map(readable, telling))
    zh, en = (f"，最能说明的是：{shown}", f"; most telling: {shown}") if shown else ("", "")
    return Contribution(
        "text", weight, f"与该病因已知报告的用词和事实相像的程度{zh}",
        f"how much words and facts are like those of known reports of it{en}", nominal=weight, group="likeness",
    )  # fmt: skip


def _first_error(hits: Mapping[str, list[Hit]]) -> dict[str, int]:
    """Part -> where its first telling error line begins: of a chain of errors the first is the cause, the rest follow from it."""
    first: dict[str, int] = {}
    for hit in (hit for found in hits.values() for hit in found if hit.signature.level >= TELLING):
        first[hit.part] = min(hit.start, first.get(hit.part, hit.start))
    return first


def _signatures(hits: list[Hit], first: Mapping[str, int]) -> list[Contribution]:
    """Lines that tell of one cause are printed together, so they form one group; where another error came before all of
    them, they count half."""
    weighed = sorted(((explain.likelihood(hit.signature.level), hit) for hit in hits), key=lambda item: -abs(item[0]))
    later = bool(hits) and all(hit.start > first.get(hit.part, hit.start) for hit in hits)
    found = []
    for number, (weight, hit) in enumerate(weighed):
        line = Fact(
            "observed.log_line", hit.quote, Provenance("log", hit.part, hit.start, hit.end, hit.quote)
        )  # fmt: skip
        after = ("，但在另一个错误之后", ", but after another error") if later else ("", "")
        found.append(Contribution(
            "signature", HALVE ** (number + later) * weight, f"出现这一行：{hit.quote}{after[0]}",
            f"this line is there: {hit.quote}{after[1]}", nominal=weight, group="log-line", facts=(line,),
            source=hit.signature.source,
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
        "rule", share * nominal, f"{said.zh}。{rule.why.zh}", f"{said.en}. {rule.why.en}",
        nominal=nominal, group=rule.group, facts=support, rule=rule.id, source=rule.source,
    )  # fmt: skip


def _tried(entry: EntryFile, facts: FactSet) -> list[Contribution]:
    """Against a cause one of whose fixes was tried in vain: the fix cures it with its hope, shared among the alternatives.

    An entry with a rule of its own on this says itself how much it tells.
    """
    if any("tried.without_effect" in fact_names(rule.when) for rule in entry.rules):
        return []
    vain = {str(fact.value): fact for fact in facts.holding("tried.without_effect")}
    found = []
    for fix in entry.fixes:
        if fix.change in vain:
            nominal = math.log(1 - HOPE[fix.grounds] / len(entry.fixes))
            found.append(Contribution(
                "rule", nominal, f"已经试过而没有效果：{fix.title.zh}", f"tried without effect: {fix.title.en}",
                nominal=nominal, group="tried", facts=(vain[fix.change],),
            ))  # fmt: skip
    return found


def _helped(entry: EntryFile, facts: FactSet) -> list[Contribution]:
    """For a cause one of whose fixes made the trouble go away: that is the very test that its fix names.

    One strong rule and no more, since a change often takes away several things at once (one GPU: no all-reduce, no NCCL).
    """
    if any("tried.helped" in fact_names(rule.when) for rule in entry.rules):
        return []
    cures = {str(fact.value): fact for fact in facts.holding("tried.helped")}
    found = [(fix, cures[fix.change]) for fix in entry.fixes if fix.change in cures]
    if not found:
        return []
    fix, fact = found[0]
    nominal = explain.likelihood(HELPED)
    return [Contribution(
        "rule", nominal, f"这样做之后就好了：{fix.title.zh}", f"this made it go away: {fix.title.en}",
        nominal=nominal, group="helped", facts=(fact,),
    )]  # fmt: skip


def _serves(entry: EntryFile, facts: FactSet) -> list[Contribution]:
    """Against what cannot merely slow an engine down: it would show as a trouble that is neither measured nor reported."""
    reported = {fact.value for fact in facts.holding("symptom.kind")}
    if entry.kind != "failure" or {"slow", *reported} & set(entry.symptoms_of):
        return []
    if working := serving(facts):
        weight, zh, en = SERVES, "引擎实测在正常处理请求", "The engine was measured to serve requests"
    elif working := tuple(fact for name in SPEEDS for fact in facts.holding(name)):
        weight, zh, en = SAID_TO_SERVE, "给出了速度，说明引擎在工作", "A speed is stated, so the engine works"
    else:
        return []
    return [Contribution(
        "rule", weight, f"{zh}，也没有人报告这类问题。", f"{en}, and nobody reports this kind of trouble.",
        nominal=weight, group="serving", facts=working,
    )]  # fmt: skip


def serving(facts: FactSet) -> tuple[Fact, ...]:
    """What shows that the engine answers requests without errors: a stream that a probe timed, or its own counters."""
    if (failed := facts.value("metrics.error_ratio")) is not None and float(failed) > 0:
        return ()
    timed = facts.best("decode.tpot_ms")
    finished = facts.best("metrics.requests_finished")
    shown = [timed] if timed and timed.provenance.origin == "probe" else []
    return tuple(shown + ([finished] if finished and float(finished.value) > 0 else []))


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
    return math.log(NONE_PRIOR) + TEXT_CEILING * max(0.0, 1 - best / TEXT_LEAST)


def _softmax(
    scored: list[tuple[str, tuple[Contribution, ...], tuple[str, ...]]], none: float
) -> tuple[list[RankedCause], float]:
    scores = [math.fsum(c.weight for c in contributions) for _, contributions, _ in scored]
    top = max([none, *scores])
    weights = [math.exp(score - top) for score in scores]
    total = math.fsum(weights)
    share = max(math.exp(none - top) / (total + math.exp(none - top)), NONE_LEAST) if scored else 1.0
    causes = [
        RankedCause(slug, (1 - share) * weight / total, score, contributions, unknown)
        for (slug, contributions, unknown), score, weight in zip(scored, scores, weights, strict=True)
    ]
    return sorted(causes, key=lambda cause: (-cause.score, cause.slug)), share
