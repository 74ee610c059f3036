import pytest

from kb import diagnose
from kb.judgement import Submission
from kb.models import Case

pytestmark = pytest.mark.django_db
THREAD_1 = "双路 3090 用 vLLM 跑 7B GPTQ 4bit，1秒只有2-3个token，改 tensor_parallel 也没有区别。"


def submit(text=THREAD_1, **more):
    return diagnose.submit(Submission(text=text, **more), "zh")


def test_a_case_is_ranked_when_it_is_submitted():
    case = submit()
    ranking = case.rankings.get()
    assert [cause["slug"] for cause in ranking.result["causes"]]
    assert ranking.because_zh == "按提交的内容"


def test_secrets_are_gone_before_anything_is_stored():
    case = submit("my token is hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345 and vLLM is slow")
    assert "hf_AbCdEf" not in Case.objects.get(pk=case.pk).text
    assert case.redactions == 1


def test_a_nul_byte_is_replaced_so_that_every_database_takes_it():
    assert "\x00" not in submit("slow\x00 vllm").text


def test_a_corrected_fact_stands_above_the_text_and_changes_the_ranking():
    case = submit()
    before = case.rankings.count()
    diagnose.correct_fact(case, "gpu.count", 1)
    assert diagnose.assessment(case).facts.value("gpu.count") == 1
    assert case.rankings.count() == before + 1


def test_a_removed_fact_is_unknown_and_can_be_restored():
    case = submit()
    diagnose.correct_fact(case, "gpu.name", None)
    assert diagnose.assessment(case).facts.value("gpu.name") is None
    diagnose.restore_fact(case, "gpu.name")
    assert diagnose.assessment(case).facts.value("gpu.name") == "RTX 3090"


def test_a_correction_of_another_type_is_refused():
    with pytest.raises(ValueError, match="number"):
        diagnose.correct_fact(submit(), "gpu.count", "many")


def test_a_stranger_may_not_edit_a_case(alice, charlie):
    case = diagnose.submit(Submission(text=THREAD_1), "zh", alice)
    assert case.may_edit(alice, None)
    assert not case.may_edit(charlie, None)


def test_a_case_without_an_account_belongs_to_its_browser_session(charlie):
    case = diagnose.submit(Submission(text=THREAD_1), "zh", None, "browser-1")
    assert list(Case.objects.of(charlie, "browser-1")) == []
    from django.contrib.auth.models import AnonymousUser

    assert list(Case.objects.of(AnonymousUser(), "browser-1")) == [case]
    assert list(Case.objects.of(AnonymousUser(), "browser-2")) == []


def test_a_negative_correction_is_refused():
    case = submit()
    with pytest.raises(ValueError, match="from 0 on"):
        diagnose.correct_fact(case, "decode.tokens_per_s", -3.0)
    assert case.corrections == {}
