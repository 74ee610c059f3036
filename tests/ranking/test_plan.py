import pytest

from kb.judgement import ProbeInfo, Submission
from kb.plan import QUESTION_S, entropy, expected_gain, next_steps
from kb.ranking import rank
from probes.facts import Fact, FactSet, Provenance
from tests.ranking.made import entry, facts, knowledge, rule

THROTTLE = {"fact": "gpu.throttle_reason", "value": "hw_thermal"}
SLOW_CPU = {"fact": "host.cpu_pressure_pct", "op": ">", "value": 50}
STATE = ProbeInfo("gpu.state", "显卡状态", "state of the cards", ("gpu.throttle_reason",), 3.0, "passive")
STREAM = ProbeInfo("decode.single_stream", "单流", "one stream", ("host.cpu_pressure_pct",), 20.0, "active")


def steps(*entries, stated=None, probes=()):
    stated = stated or facts()
    base = knowledge(*entries)
    causes, _ = rank(stated, Submission(), base)
    return next_steps(causes, base, stated, probes)


def test_a_probe_that_settles_a_leading_cause_is_offered_with_what_it_would_mean():
    hot = entry("hot", rules=[rule("r", THROTTLE, 3)])
    first = steps(hot, entry("other"), probes=[STATE])[0]
    assert (first.kind, first.name, first.separates) == ("probe", "gpu.state", ("hot",))
    assert "hw_thermal" in first.meanings[0].en
    assert first.gain > 0


def test_a_probe_that_tells_nothing_new_is_not_offered():
    hot = entry("hot", rules=[rule("r", THROTTLE, 3)])
    known = facts(gpu__throttle_reason="hw_thermal")
    assert steps(hot, entry("other"), stated=known, probes=[STATE, STREAM]) == []


def test_a_probe_that_ran_is_not_offered_again():
    hot = entry("hot", rules=[rule("r", THROTTLE, 3)])
    stated = FactSet([Fact("gpu.temperature_c", 60.0, Provenance("probe", "gpu.state"))])
    assert [step.kind for step in steps(hot, entry("other"), stated=stated, probes=[STATE])] == ["question"]


def test_passive_probes_come_before_those_that_send_requests():
    hot, busy = entry("hot", rules=[rule("r", THROTTLE, 1)]), entry("busy", rules=[rule("r", SLOW_CPU, 3)])
    names = [step.name for step in steps(hot, busy, probes=[STREAM, STATE]) if step.kind == "probe"]
    assert names == ["gpu.state", "decode.single_stream"]


def test_a_question_costs_two_minutes_and_carries_the_command_to_copy():
    hot = entry("hot", rules=[rule("r", THROTTLE, 3)])
    (question,) = steps(hot, entry("other"))
    assert (question.kind, question.name, question.cost_s) == ("question", "gpu.throttle_reason", QUESTION_S)
    assert question.ask.startswith("nvidia-smi")


def test_a_fact_that_only_a_probe_can_tell_is_no_question():
    assert steps(entry("busy", rules=[rule("r", SLOW_CPU, 3)]), entry("other")) == []


def test_an_excluded_cause_asks_for_nothing():
    hot = entry("hot", rules=[rule("r", THROTTLE, 3)], applies={"fact": "gpu.visible"})
    assert steps(hot, entry("other"), stated=facts(gpu__visible=False), probes=[STATE]) == []


def test_entropy_is_in_bits():
    assert entropy([0.5, 0.5]) == pytest.approx(1)
    assert entropy([1.0, 0.0]) == 0


def test_stronger_evidence_gains_more_and_evidence_about_a_hopeless_cause_hardly_anything():
    shares = {"a": 0.5, "b": 0.49, "c": 0.01}
    assert expected_gain(shares, {"a": 2.7}) > expected_gain(shares, {"a": 0.9}) > 0
    assert expected_gain(shares, {"c": 2.7}) < expected_gain(shares, {"a": 2.7})
    assert expected_gain(shares, {}) == 0
