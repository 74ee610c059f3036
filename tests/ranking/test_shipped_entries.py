"""Every shipped entry carries short cases of its own; these are the examples that the ranking must get right."""

import math

import pytest

from kb.assessment import Submission, assess
from kb.knowledge import shipped

EXAMPLES = [
    pytest.param(entry.slug, example, id=f"{entry.slug}-{number}")
    for entry in shipped().entries
    for number, example in enumerate(entry.examples)
]


@pytest.mark.parametrize(("slug", "example"), EXAMPLES)
def test_an_example_ranks_its_own_entry_among_the_first_three(slug, example):
    answer = assess(Submission(example.symptom, example.command, example.log, example.nvidia_smi), shipped())
    assert slug in [cause.slug for cause in answer.causes[:3]]


def test_a_question_off_the_subject_is_none_of_these():
    for text in ("How do I bake sourdough bread without a starter?", "我的车冬天启动困难", "Excel 公式求和出错"):
        answer = assess(Submission(text), shipped())
        assert answer.none > max(cause.probability for cause in answer.causes)


def test_every_number_of_a_real_answer_unfolds_into_its_sum():
    text = "7B 很慢，单张 4090 只有 12 tok/s\nvllm serve Qwen/Qwen2.5-7B-Instruct --enforce-eager --max-num-seqs 4"
    answer = assess(Submission(text), shipped())
    scores = [cause.score for cause in answer.causes]
    assert [math.fsum(c.weight for c in cause.contributions) for cause in answer.causes] == pytest.approx(scores)
    assert math.fsum([answer.none, *(cause.probability for cause in answer.causes)]) == pytest.approx(1)
    assert scores == sorted(scores, reverse=True)


def test_every_fix_shown_belongs_to_a_cause_and_every_step_separates_some():
    answer = assess(Submission("vllm 很慢，并发一高就卡"), shipped())
    slugs = {cause.slug for cause in answer.causes}
    assert {fix.slug for fix in answer.fixes} <= slugs
    assert answer.next_steps
    assert all(step.separates and set(step.separates) <= slugs for step in answer.next_steps)
