import json

import pytest

from kb.assessment import assess
from kb.evaluation import BadCase, Judged, calibration_error, evaluate, figures, read_case, reliability
from tests.ranking.made import entry, knowledge

BASE = knowledge(entry("alpha"), entry("beta"), entry("gamma"))


def run(*cases):
    lines = [case if isinstance(case, str) else json.dumps(case) for case in cases]
    return evaluate(lines, lambda submission: assess(submission, BASE))


def judged(rank, top=0.5):
    return Judged("x", "slow", "en", frozenset({"a"}), rank, top, 0.2, ("a",))


def test_a_right_cause_or_a_further_confirmed_one_counts():
    outcome = run(
        {"id": "1", "symptom": "alpha two", "cause": "alpha"},
        {"id": "2", "symptom": "beta two", "cause": "x", "also": ["beta"]},
    )
    assert [case.rank for case in outcome.judged] == [1, 1]


def test_the_answer_is_not_given_away():
    case = {
        "id": "1",
        "symptom": "nothing here",
        "cause": "alpha",
        "root_cause": "alpha one",
        "fix": "alpha",
        "facts": {"engine": "vllm"},
    }
    seen = []
    evaluate([json.dumps(case)], lambda submission: seen.append(submission) or assess(submission, BASE))
    assert "alpha" not in str(seen)


@pytest.mark.parametrize("line", ["{", "[1]", '{"id": "7"}', '{"symptom": 3}', '{"symptom": "x"}', "[" * 100_000])
def test_a_bad_line_is_reported_and_the_rest_goes_on(line):
    outcome = run(line, {"id": "2", "symptom": "beta two", "cause": "beta"})
    assert len(outcome.errors) == 1
    assert len(outcome.judged) == 1


def test_missing_parts_are_empty_and_null_is_missing():
    _, submission, _ = read_case('{"symptom": "slow", "log": null}')
    assert (submission.text, submission.log) == ("slow", "")


def test_an_error_names_the_case():
    with pytest.raises(BadCase) as error:
        read_case('{"id": "seven", "symptom": []}')
    assert (error.value.id, "symptom" in error.value.en, "symptom" in error.value.zh) == ("seven", True, True)


def test_figures_count_ranks():
    counted = figures([judged(1), judged(2), judged(5), judged(0)])
    assert (counted["top1"], counted["top3"], counted["top5"]) == (0.25, 0.5, 0.75)
    assert counted["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 5) / 4)


def test_reliability_compares_what_was_said_with_what_happened():
    cases = [judged(1, 0.8), judged(2, 0.8), judged(1, 1.0)]
    assert [(row["n"], row["said"], row["right"]) for row in reliability(cases)] == [(2, 0.8, 0.5), (1, 1.0, 1.0)]
    assert calibration_error(cases) == pytest.approx(2 * 0.3 / 3)


def test_the_report_is_json_by_kind_and_language():
    data = json.loads(
        json.dumps(run({"id": "1", "lang": "zh", "kind": "oom", "symptom": "alpha", "cause": "alpha"}).to_json())
    )
    assert (data["by_kind"]["oom"]["n"], data["by_lang"]["zh"]["top1"]) == (1, 1.0)


def test_nothing_to_judge_gives_figures_of_nothing():
    assert figures([])["n"] == 0


def test_a_case_that_breaks_the_judging_is_reported_and_the_rest_goes_on():
    def break_on_alpha(submission):
        if "alpha" in submission.text:
            raise ArithmeticError("broken")
        return assess(submission, BASE)

    cases = [json.dumps({"symptom": name, "cause": name}) for name in ("alpha", "beta")]
    outcome = evaluate(cases, break_on_alpha)
    assert outcome.errors == [("line 1", "ArithmeticError: broken")]
    assert len(outcome.judged) == 1
