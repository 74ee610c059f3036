"""Closing a case, what it teaches, and what a curator makes of it."""

import pytest
from django.contrib.auth.models import AnonymousUser

from kb import diagnose, library, outcomes, track_record
from kb.judgement import Submission
from kb.models import ConfirmedReport, Entry, Outcome, Revision
from kb.outcomes import Told
from tests import cast

SLOW = "Qwen2.5-7B on a 4090 with --enforce-eager gives only 20 tok/s and the GPU idles"


def submitted(person=None):
    return diagnose.submit(Submission(SLOW), "en", person)


def closed(person, slug="eager-mode", **told):
    case = submitted(person)
    return outcomes.close(case, Told(slug=slug, helped=True, **told), person, is_own=True)


def test_whoever_submitted_a_case_closes_it_on_its_page(bob):
    case = submitted(bob.person)
    assert "What was it?" in bob.get(case.get_absolute_url()).text
    told = {"action": "close", "cause": "eager-mode", "fix": "eager-mode/drop-flag", "helped": "yes", "before": "20", "after": "60", "unit": "tok/s"}  # fmt: skip
    page = bob.post(f"/case/{case.token}/outcome/", told, follow=True).text
    outcome = case.outcome
    assert (outcome.entry.slug, outcome.helped, outcome.factor) == ("eager-mode", True, 3.0)
    assert "×3" in page


def test_a_cause_that_no_entry_has_is_told_in_words(bob):
    case = submitted(bob.person)
    bob.post(f"/case/{case.token}/outcome/", {"action": "close", "cause": "none", "other": "a loose power cable"})
    assert case.outcome.other == "a loose power cable"


@pytest.mark.parametrize(
    "told", [{"cause": "none"}, {"cause": "eager-mode", "before": "fast"}, {"cause": "eager-mode", "after": "-1"}, {}]
)
def test_what_cannot_be_stored_is_refused_with_the_reason(bob, told):
    case = submitted(bob.person)
    answer = bob.post(f"/case/{case.token}/outcome/", {"action": "close"} | told, follow=True)
    assert not Outcome.objects.exists()
    assert list(answer.context["messages"])


def test_a_stranger_closes_nothing(bob, charlie):
    case = submitted(bob.person)
    charlie.post(f"/case/{case.token}/outcome/", {"action": "close", "cause": "eager-mode"})
    assert not Outcome.objects.exists()


def test_a_confirmed_cause_becomes_more_likely_and_says_why(db):
    before = library.knowledge()
    closed(cast.person("ann", "reporter"))
    after = library.knowledge()
    assert (before.confirmations.get("eager-mode", 0), after.confirmations["eager-mode"]) == (0, 1)
    first = diagnose.assessment(submitted()).causes[0]
    assert "closed cases here" in next(term.en for term in first.contributions if term.group == "frequency")


def test_a_hundred_false_outcomes_of_one_account_weigh_as_one(db):
    person = cast.person("mallory", "reporter")
    for _ in range(100):
        closed(person, "faulty-gpu")
    assert library.knowledge().confirmations["faulty-gpu"] == 1


def test_what_was_told_without_an_account_counts_once_a_curator_confirms_it(client, carol):
    case = submitted()
    outcome = outcomes.close(case, Told(slug="eager-mode", helped=True), AnonymousUser(), is_own=True)
    assert "eager-mode" not in library.knowledge().confirmations
    carol.post(f"/case/{case.token}/outcome/", {"action": "confirm"})
    outcome.refresh_from_db()
    assert outcome.counts
    assert library.knowledge().confirmations["eager-mode"] == 1


def test_reopening_takes_back_what_was_learnt(bob):
    case = submitted(bob.person)
    outcomes.close(case, Told(slug="eager-mode", helped=True), bob.person, is_own=True)
    bob.post(f"/case/{case.token}/outcome/", {"action": "reopen"})
    assert "eager-mode" not in library.knowledge().confirmations


def test_a_closed_case_is_a_confirmed_report_in_one_more_click(bob, carol, entry):
    case = submitted(bob.person)
    outcomes.close(case, Told(slug=entry.slug), bob.person, is_own=True)
    page = carol.post(f"/case/{case.token}/outcome/", {"action": "report"}, follow=True).text
    assert ConfirmedReport.objects.get(case=case).symptom == SLOW
    assert "Confirmed reports" in page
    assert any(report.text == SLOW for report in library.knowledge().reports)


def test_a_closed_case_is_a_draft_of_a_new_entry_in_one_more_click(bob, carol):
    case = submitted(bob.person)
    outcomes.close(case, Told(other="a loose power cable"), bob.person, is_own=True)
    page = carol.post(f"/case/{case.token}/outcome/", {"action": "draft"}, follow=True).text
    draft = Revision.objects.get()
    assert draft.title["en"] == "a loose power cable"
    assert draft.body["examples"][0]["symptom"] == SLOW
    assert "a loose power cable" in page


@pytest.mark.parametrize("action", ["confirm", "report", "draft"])
def test_only_a_curator_makes_something_of_a_case(bob, action):
    case = submitted(bob.person)
    outcomes.close(case, Told(slug="eager-mode"), bob.person, is_own=True)
    bob.post(f"/case/{case.token}/outcome/", {"action": action})
    assert not ConfirmedReport.objects.exists()
    assert not Revision.objects.exists()


def test_an_entry_shows_how_often_it_was_right_and_what_its_fixes_measured(db, client, entry):
    closed(cast.person("ann", "reporter"), fix="drop-flag", before=20.0, after=60.0)
    record = track_record.of(entry)
    assert (record.first, record.was_it, record.was_another, record.confirmed) == (1, 1, 0, 1)
    assert record.right_share == pytest.approx(2 / 3)
    assert record.fixes[0].middle == 3.0
    page = client.get(f"/entries/{entry.slug}/", headers={"accept-language": "en"}).text
    assert "How often it was right here" in page
    assert "×3" in page


def test_a_case_that_was_something_else_counts_against_the_one_suggested(db, entry):
    closed(cast.person("ann", "reporter"), "faulty-gpu")
    assert track_record.of(entry).was_another == 1


def test_causes_are_listed_by_how_often_they_came_first(db):
    submitted()
    assert track_record.firsts() == {"eager-mode": 1}
    assert Entry.objects.filter(slug="eager-mode").exists()
