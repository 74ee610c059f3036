import math

import pytest

from kb.judgement import Submission
from kb.ranking import EXCLUDED, NONE_PRIOR, TEXT_CEILING, TEXT_FLOOR, rank, text_weights
from kb.retrieval import TextFit
from probes.facts import FactSet
from tests.ranking.made import entry, facts, knowledge, rule

EAGER = {"fact": "engine.enforce_eager"}
NOT_EAGER = {"fact": "engine.enforce_eager", "value": False}
NOTHING = Submission()


def by_slug(ranked):
    return {cause.slug: cause for cause in ranked[0]}


def test_all_shares_and_none_sum_to_one():
    causes, none = rank(facts(), Submission("alpha is slow"), knowledge(entry("alpha"), entry("beta")))
    assert math.fsum([none, *(cause.probability for cause in causes)]) == pytest.approx(1)


def test_every_score_is_the_plain_sum_of_its_contributions():
    entries = knowledge(
        entry("alpha", rules=[rule("r", EAGER, 3), rule("s", EAGER, 2)], applies={"fact": "gpu.visible"}),
        entry("beta", signatures=[{"pattern": "boom", "example": "boom"}]),
    )
    stated = facts(engine__enforce_eager=True, gpu__visible=False, symptom__kind="oom")
    causes, _ = rank(stated, Submission("alpha", log="boom"), entries)
    for cause in causes:
        assert cause.score == pytest.approx(math.fsum(c.weight for c in cause.contributions))


def test_a_rule_that_holds_counts_its_likelihood_ratio():
    ranked = rank(
        facts(engine__enforce_eager=True),
        NOTHING,
        knowledge(entry("alpha", rules=[rule("r", EAGER, 2)]), entry("beta")),
    )
    alpha, beta = by_slug(ranked)["alpha"], by_slug(ranked)["beta"]
    assert alpha.score - beta.score == pytest.approx(math.log(10))
    assert [c.rule for c in alpha.contributions if c.kind == "rule"] == ["r"]


def test_further_rules_of_one_group_count_half_each():
    rules = [rule("a", EAGER, 2), rule("b", EAGER, 2), rule("c", EAGER, 2)]
    ranked = rank(facts(engine__enforce_eager=True), NOTHING, knowledge(entry("alpha", rules=rules)))
    weights = [c.weight for c in by_slug(ranked)["alpha"].contributions if c.kind == "rule"]
    assert weights == pytest.approx([math.log(10) * share for share in (1, 0.5, 0.25)])


def test_rules_of_different_groups_count_in_full():
    rules = [rule("a", EAGER, 2, "one"), rule("b", EAGER, 2, "two")]
    ranked = rank(facts(engine__enforce_eager=True), NOTHING, knowledge(entry("alpha", rules=rules)))
    weights = [c.weight for c in by_slug(ranked)["alpha"].contributions if c.kind == "rule"]
    assert weights == pytest.approx([math.log(10)] * 2)


def test_a_rule_whose_fact_is_missing_is_unknown_and_moves_nothing():
    ranked = rank(facts(), NOTHING, knowledge(entry("alpha", rules=[rule("r", EAGER, 3)]), entry("beta")))
    alpha, beta = by_slug(ranked)["alpha"], by_slug(ranked)["beta"]
    assert alpha.unknown_rules == ("r",)
    assert alpha.score == beta.score


def test_a_rule_that_is_false_moves_nothing_and_is_not_unknown():
    ranked = rank(facts(engine__enforce_eager=False), NOTHING, knowledge(entry("alpha", rules=[rule("r", EAGER, 3)])))
    alpha = by_slug(ranked)["alpha"]
    assert alpha.unknown_rules == ()
    assert not [c for c in alpha.contributions if c.kind == "rule"]


def test_contradicting_evidence_stays_visible_on_both_sides():
    rules = [rule("for", EAGER, 3, "flag"), rule("against", {"fact": "engine.graphs_captured"}, -3, "log")]
    stated = facts(engine__enforce_eager=True, engine__graphs_captured=True)
    alpha = by_slug(rank(stated, NOTHING, knowledge(entry("alpha", rules=rules))))["alpha"]
    assert sorted(c.weight > 0 for c in alpha.contributions if c.kind == "rule") == [False, True]


def test_a_cause_that_cannot_exist_here_comes_last_and_says_why():
    only_gpu = entry("alpha", applies={"fact": "gpu.count", "op": ">=", "value": 2}, frequency="common")
    causes, _ = rank(facts(gpu__count=1), NOTHING, knowledge(only_gpu, entry("beta", frequency="rare")))
    assert [cause.slug for cause in causes] == ["beta", "alpha"]
    assert [c.weight for c in causes[1].contributions if c.kind == "exclusion"] == [EXCLUDED]


def test_where_it_is_unknown_whether_a_cause_can_exist_it_is_not_excluded():
    only_gpu = entry("alpha", applies={"fact": "gpu.count", "op": ">=", "value": 2})
    causes, _ = rank(facts(), NOTHING, knowledge(only_gpu))
    assert not [c for c in causes[0].contributions if c.kind == "exclusion"]


def test_a_log_line_is_evidence_with_its_place():
    entries = knowledge(
        entry("alpha", signatures=[{"pattern": r"out of \w+", "example": "out of luck"}]), entry("beta")
    )
    causes, _ = rank(facts(), Submission("慢", log="显存\nCUDA OUT OF MEMORY"), entries)
    (hit,) = [c for c in causes[0].contributions if c.kind == "signature"]
    (line,) = hit.facts
    assert (line.provenance.source, line.provenance.start, line.provenance.end) == ("log", 8, 21)
    assert line.value == "OUT OF MEMORY"


def test_a_cause_of_other_trouble_is_less_likely():
    entries = knowledge(entry("alpha", symptoms_of=["oom"]), entry("beta", symptoms_of=["slow"]))
    causes, _ = rank(facts(symptom__kind="oom"), NOTHING, entries)
    assert causes[0].slug == "alpha"
    assert causes[0].probability == pytest.approx(3 * causes[1].probability)


def test_without_any_evidence_only_the_frequencies_speak():
    causes, none = rank(
        FactSet(), NOTHING, knowledge(entry("rare", frequency="rare"), entry("common", frequency="common"))
    )
    assert none == pytest.approx(NONE_PRIOR)
    assert causes[0].probability / causes[1].probability == pytest.approx(3)


def test_words_that_fit_no_entry_raise_none():
    said = {"en": ["screen flickers", "colours fade", "lamp hums"], "zh": ["一条", "二条", "三条"]}
    entries = knowledge(entry("alpha", phrases=said), *(entry(f"filler{number}") for number in range(60)))
    _, fitting = rank(facts(), Submission("the screen flickers, colours fade and the lamp hums"), entries)
    _, foreign = rank(facts(), Submission("parking garage closes at noon"), entries)
    assert foreign > 2 * fitting


def test_text_evidence_stays_between_its_floor_and_its_ceiling():
    weights = text_weights({"a": TextFit(900.0, ""), "b": TextFit(3.0, ""), "c": TextFit(0.0, "")})
    assert weights["a"] == pytest.approx(TEXT_CEILING)
    assert weights["c"] == pytest.approx(TEXT_FLOOR)
    assert weights["c"] < weights["b"] < weights["a"]


def test_the_same_case_ranks_the_same_twice():
    entries = (entry("alpha"), entry("beta"), entry("gamma"))
    first = rank(facts(), Submission("beta two"), knowledge(*entries))
    assert first == rank(facts(), Submission("beta two"), knowledge(*entries))


def test_no_entries_leave_all_to_none():
    assert rank(facts(), Submission("slow"), knowledge()) == ([], 1.0)


def test_a_more_telling_kind_of_trouble_outranks_an_error_that_is_always_printed():
    entries = knowledge(entry("alpha", symptoms_of=["oom"]), entry("beta", symptoms_of=["error"]))
    stated = facts(symptom__kind="error")
    stated.add(facts(symptom__kind="oom"))
    causes, _ = rank(stated, NOTHING, entries)
    assert causes[0].slug == "alpha"


def test_several_cards_alone_say_nothing_about_the_kind_of_trouble():
    entries = knowledge(entry("alpha", symptoms_of=["oom"]), entry("beta", symptoms_of=["multi-gpu"]))
    causes, _ = rank(facts(symptom__kind="multi-gpu"), NOTHING, entries)
    assert causes[0].score == causes[1].score


def test_a_speed_without_any_trouble_named_is_a_question_of_speed():
    entries = knowledge(entry("alpha", symptoms_of=["slow"]), entry("beta", symptoms_of=["load"]))
    causes, _ = rank(facts(decode__tokens_per_s=4.0), NOTHING, entries)
    assert causes[0].slug == "alpha"


def test_a_paste_with_few_words_but_telling_facts_is_not_none():
    entries = knowledge(entry("alpha", rules=[rule("r", EAGER, 3)]), entry("beta"))
    causes, none = rank(facts(engine__enforce_eager=True), Submission(nvidia_smi="+-----+ 0MiB / 81559MiB"), entries)
    assert causes[0].slug == "alpha"
    assert causes[0].probability > none
