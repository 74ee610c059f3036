"""A cause that is too small for the slowdown is not its main cause, however plain the flag is."""

import math

import pytest

from kb.assessment import assess
from kb.judgement import Submission
from kb.knowledge import shipped
from kb.ranking import rank
from kb.reach import beyond_reach, reach
from tests.ranking.made import entry, facts, fix, knowledge, rule

EAGER = {"fact": "engine.enforce_eager"}


def effect(high, **more):
    return {"text": {"en": "faster", "zh": "更快"}, "high": high, **more}


def costing(most, slug="alpha", **more):
    return entry(slug, fixes=[fix("a-fix", effect=effect(most))], **more)


def against(cause, slowdown):
    return [term.weight for term in beyond_reach(cause, facts(normal__slowdown=slowdown), [])]


def test_the_largest_known_effect_of_a_fix_is_what_a_cause_can_cost():
    fixes = [fix("small", effect=effect(1.5)), fix("large", effect=effect(8.0)), fix("unmeasured")]
    assert reach(entry("alpha", fixes=fixes)) == 8


def test_what_only_delays_the_start_costs_no_speed():
    assert reach(entry("alpha", fixes=[fix("disk", effect=effect(20.0, of="start"))])) == 1


def test_a_cause_whose_effect_nobody_measured_is_not_bounded():
    assert reach(entry("alpha")) is None
    assert against(entry("alpha"), 1000.0) == []


def test_what_can_hang_an_engine_can_slow_it_without_bound():
    assert reach(costing(1.3, symptoms_of=["slow", "hang"])) is None


def test_within_its_reach_nothing_is_said_against_a_cause():
    assert against(costing(8.0), 7.9) == []


def test_the_further_beyond_the_more_it_counts_and_never_more_than_one_strong_rule():
    weights = [against(costing(8.0), slowdown)[0] for slowdown in (10.0, 20.0, 42.0, 400.0, 1e6)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] == pytest.approx(-math.log(30))


def test_hosts_that_differ_by_the_known_spread_are_hardly_a_contradiction():
    assert -math.log(2) < against(costing(8.0), 8.0 * 2.4)[0] < 0


def test_without_a_measured_slowdown_nothing_is_said():
    assert beyond_reach(costing(8.0), facts(), []) == []


def test_it_is_said_with_both_figures_in_both_languages():
    (term,) = beyond_reach(costing(8.0), facts(normal__slowdown=42.5), [])
    assert "8 times" in term.en
    assert "42.5" in term.en
    assert "8 倍" in term.zh
    assert "42.5" in term.zh
    assert [fact.name for fact in term.facts] == ["normal.slowdown"]


def test_an_obvious_flag_that_explains_too_little_stands_behind_a_cause_that_explains_it_all():
    flagged = costing(3.0, "flagged", rules=[rule("flag", EAGER, 2)])
    unflagged = costing(50.0, "unflagged", rules=[rule("r", {"fact": "observed.tp_without_effect"}, 1)])
    stated = {"engine__enforce_eager": True, "observed__tp_without_effect": True}
    small, _ = rank(facts(**stated, normal__slowdown=2.5), Submission(), knowledge(flagged, unflagged))
    large, _ = rank(facts(**stated, normal__slowdown=45.0), Submission(), knowledge(flagged, unflagged))
    assert [small[0].slug, large[0].slug] == ["flagged", "unflagged"]


def test_far_beyond_its_reach_a_cause_that_is_surely_there_is_still_not_the_main_one():
    rules = [rule(name, EAGER, 3, name) for name in ("flag", "log", "words", "more")]
    base = knowledge(costing(3.0, rules=rules), entry("beta"), entry("gamma"))
    within, _ = rank(facts(engine__enforce_eager=True, normal__slowdown=2.9), Submission(), base)
    beyond, _ = rank(facts(engine__enforce_eager=True, normal__slowdown=45.0), Submission(), base)
    assert within[0].slug == "alpha"
    assert within[0].probability > 0.8
    assert all(cause.probability < 0.5 for cause in beyond if cause.slug == "alpha")


def test_a_forgotten_flag_is_not_what_makes_a_7b_fifty_times_too_slow():
    said = "RTX 4090, Qwen2.5-7B fp16 on vLLM gives only 1 token/s, single request."
    command = "vllm serve Qwen/Qwen2.5-7B-Instruct --enforce-eager"
    shares = {cause.slug: cause.probability for cause in assess(Submission(said, command), shipped()).causes}
    assert shares["eager-mode"] < 0.2
    starved = f"{said} The container is limited to 1 CPU and nr_throttled keeps growing."
    assert assess(Submission(starved, command), shipped()).causes[0].slug == "cpu-starved"


@pytest.mark.parametrize(
    "slug", ["tp-overhead", "interconnect-not-the-limit", "slow-disk-load", "nvlink-or-p2p-missing"]
)
def test_no_link_and_no_disk_makes_generation_forty_times_slower(slug):
    assert against(shipped().by_slug[slug], 42.0)[0] < -math.log(10)


@pytest.mark.parametrize("slug", ["quant-slow-kernel", "cpu-bound-engine", "cpu-offload", "bench-misread"])
def test_what_was_seen_at_one_percent_of_the_ceiling_is_hardly_doubted_there(slug):
    assert sum(against(shipped().by_slug[slug], 42.0)) > -math.log(2)
