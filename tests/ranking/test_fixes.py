from kb.fixes import commands_here, rank_fixes
from kb.judgement import RankedCause
from tests.ranking.made import entry, facts, fix, knowledge

VLLM_NEW = {"engine": "vllm", "run": "vllm serve --new", "versions": ">=0.8.0"}
VLLM_OLD = {"engine": "vllm", "run": "vllm serve --old", "versions": "<0.8.0"}


def ranked(stated, *fixes, probability=0.5):
    base = knowledge(entry("alpha", fixes=list(fixes)))
    return rank_fixes([RankedCause("alpha", probability, 0.0, ())], base, stated)


def ids(found):
    return [item.fix.id for item in found]


def test_the_value_is_probability_times_hope_per_minute():
    (only,) = ranked(facts(), fix("f", minutes=5, downtime="none", risk=0, grounds="vendor"))
    assert only.value == 0.5 * 0.8 / 5


def test_cheap_comes_before_dear_and_documented_before_rumoured():
    found = ranked(facts(), fix("dear", minutes=60), fix("rumour", grounds="forum"), fix("cheap"))
    assert ids(found) == ["cheap", "rumour", "dear"]


def test_a_restart_and_a_risk_cost_minutes():
    found = ranked(
        facts(),
        fix("reboots", downtime="reboot"),
        fix("risky", risk=2),
        fix("restarts", downtime="restart"),
        fix("plain"),
    )
    assert ids(found) == ["plain", "restarts", "reboots", "risky"]


def test_what_may_lose_data_is_never_first():
    assert ids(ranked(facts(), fix("loses", minutes=1, risk=3), fix("slow", minutes=1440)))[0] == "slow"


def test_a_fix_that_the_running_version_lacks_is_dropped():
    new = fix("new", commands=[VLLM_NEW])
    assert ids(ranked(facts(engine__name="vllm", engine__version="0.6.3"), new)) == []
    assert ids(ranked(facts(engine__name="vllm", engine__version="0.9.1.post1"), new)) == ["new"]


def test_a_fix_stays_where_the_version_is_unknown_or_the_command_is_for_another_engine():
    new = fix("new", commands=[VLLM_NEW])
    assert ids(ranked(facts(engine__name="vllm"), new)) == ["new"]
    assert ids(ranked(facts(engine__name="sglang", engine__version="0.4"), new)) == ["new"]


def test_only_the_command_for_the_running_version_is_shown():
    (found,) = ranked(facts(), fix("both", commands=[VLLM_NEW, VLLM_OLD]))
    assert [c.run for c in commands_here(found.fix, facts(engine__name="vllm", engine__version="0.6.0"))] == [
        "vllm serve --old"
    ]
    assert len(commands_here(found.fix, facts())) == 2


def test_a_fix_whose_condition_fails_is_dropped_and_an_unknown_one_stays():
    needs = fix("needs", applies={"fact": "gpu.count", "op": ">=", "value": 2})
    assert ids(ranked(facts(gpu__count=1), needs)) == []
    assert ids(ranked(facts(), needs)) == ["needs"]
