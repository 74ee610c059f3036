"""Evidence that is easily read wrongly: the last error of a chain, fixes tried in vain, speed where the start failed."""

import math

import pytest

from kb.assessment import assess
from kb.fixes import rank_fixes, share_of_gap
from kb.judgement import RankedCause, Submission
from kb.knowledge import shipped
from kb.ranking import NONE_LEAST, rank
from tests.ranking.made import entry, facts, fix, knowledge, rule

FIRST = {"pattern": "shared memory is full", "example": "shared memory is full", "level": 2}
LAST = {"pattern": "worker died", "example": "worker died", "level": 2}


def weight(causes, slug, kind):
    cause = next(cause for cause in causes if cause.slug == slug)
    return math.fsum(term.weight for term in cause.contributions if term.kind == kind)


def test_of_a_chain_of_errors_the_first_is_the_cause():
    base = knowledge(entry("root", signatures=[FIRST]), entry("effect", signatures=[LAST]))
    causes, _ = rank(facts(), Submission(log="shared memory is full\nretry\nworker died"), base)
    assert causes[0].slug == "root"
    assert weight(causes, "effect", "signature") == pytest.approx(weight(causes, "root", "signature") / 2)


def test_a_line_that_stands_alone_counts_in_full():
    base = knowledge(entry("root", signatures=[FIRST]), entry("effect", signatures=[LAST]))
    causes, _ = rank(facts(), Submission(log="worker died"), base)
    assert weight(causes, "effect", "signature") == pytest.approx(math.log(10))


def test_a_weak_line_before_an_error_does_not_take_its_place():
    hint = {"pattern": "deprecated", "example": "deprecated", "level": 1}
    base = knowledge(entry("hint", signatures=[hint]), entry("error", signatures=[LAST]))
    causes, _ = rank(facts(), Submission(log="deprecated\nworker died"), base)
    assert weight(causes, "error", "signature") == pytest.approx(math.log(10))


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
        "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "Exception: WorkerProc initialization failed due to an exception in a background process.",
        "subprocess.CalledProcessError: Command returned non-zero exit status 1.",
        "Traceback (most recent call last):",
    ],
)
def test_the_general_last_line_of_a_chain_tells_of_no_cause(line):
    assert shipped().signatures.scan({"log": line}) == {}


def test_a_fix_tried_in_vain_speaks_against_its_cause_and_comes_later():
    tried = [fix("upgrade", change="upgrade"), fix("other")]
    base = knowledge(entry("alpha", fixes=tried), entry("beta"))
    vain = facts(tried__without_effect="upgrade")
    before, _ = rank(facts(), Submission(), base)
    after, _ = rank(vain, Submission(), base)
    assert weight(before, "alpha", "rule") == 0
    assert weight(after, "alpha", "rule") == pytest.approx(math.log(1 - 0.8 / 2))
    alpha = [RankedCause("alpha", 0.5, 0.0, ())]
    assert [found.fix.id for found in rank_fixes(alpha, base, vain)] == ["other", "upgrade"]


def test_an_entry_with_its_own_rule_on_it_counts_a_vain_try_once():
    own = rule("own", {"fact": "tried.without_effect", "value": "upgrade"}, -2)
    base = knowledge(entry("alpha", fixes=[fix("upgrade", change="upgrade")], rules=[own]))
    causes, _ = rank(facts(tried__without_effect="upgrade"), Submission(), base)
    assert weight(causes, "alpha", "rule") == pytest.approx(-math.log(10))


def test_a_stated_speed_says_that_the_engine_started():
    base = knowledge(entry("slow"), entry("dead", kind="failure", symptoms_of=["load"]))
    causes, _ = rank(facts(symptom__kind="slow", decode__tokens_per_s=3.0), Submission(), base)
    assert weight(causes, "dead", "rule") == pytest.approx(-math.log(10))


def test_a_speed_beside_a_reported_failure_rules_out_neither():
    stated = facts(decode__tokens_per_s=3.0, symptom__kind="load")
    base = knowledge(entry("slow"), entry("dead", kind="failure", symptoms_of=["load"]))
    causes, _ = rank(stated, Submission(), base)
    assert weight(causes, "dead", "rule") == 0


def test_a_slow_figure_of_a_loaded_server_is_not_judged_as_that_of_one_stream():
    text = "单个请求很快，几个人一起用 RTX 4090 上的 Qwen2.5-7B（fp16，vLLM）时每人只有 1 tok/s"
    answer = assess(Submission(text), shipped())
    assert answer.facts.value("observed.fine_when_single") is True
    assert answer.facts.value("normal.slowdown") is None


def test_however_well_a_cause_fits_something_else_stays_possible():
    strong = [rule(name, {"fact": "engine.enforce_eager"}, 3, name) for name in ("a", "b", "c", "d")]
    causes, none = rank(facts(engine__enforce_eager=True), Submission(), knowledge(entry("alpha", rules=strong)))
    assert none == NONE_LEAST
    assert causes[0].probability == pytest.approx(1 - NONE_LEAST)


def gap(slowdown, **changes):
    effect = {"text": {"en": "faster", "zh": "更快"}, **changes}
    (made,) = entry("alpha", fixes=[fix("f", effect=effect)]).fixes
    return share_of_gap(made, facts(normal__slowdown=slowdown))


def test_a_fix_is_worth_the_share_of_the_gap_that_it_can_close():
    assert gap(9.0, high=3.0) == pytest.approx(0.5)
    assert gap(9.0, high=20.0) == 1
    assert gap(9.0, high=20.0, of="start") == 0


def test_where_gap_or_effect_is_unknown_a_fix_counts_in_full():
    assert gap(9.0) == 1
    assert gap(1.0, high=3.0) == 1


def test_fixes_of_causes_less_likely_than_none_come_last_however_cheap():
    base = knowledge(
        entry("likely", fixes=[fix("dear", minutes=600)]), entry("unlikely", fixes=[fix("cheap", minutes=1)])
    )
    causes = [RankedCause("likely", 0.3, 0.0, ()), RankedCause("unlikely", 0.05, 0.0, ())]
    assert [found.fix.id for found in rank_fixes(causes, base, facts(), none=0.1)] == ["dear", "cheap"]


def test_what_made_the_trouble_go_away_names_the_cause():
    base = knowledge(entry("cured", fixes=[fix("up", change="upgrade")]), entry("other"))
    causes, _ = rank(facts(tried__helped="upgrade"), Submission(), base)
    assert causes[0].slug == "cured"
    assert [term.group for term in causes[0].contributions if term.kind == "rule"] == ["helped"]
