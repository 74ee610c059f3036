"""A claim: read, changed with a reason, its verdict's history kept, measurements beside it."""

import pytest
from django.utils.html import escape

from kb import claim_curation, shipping
from kb.models import AuditEvent, Claim
from kb.shipping import THREADS

KEY = "S1-02"


@pytest.fixture
def claim(site):
    return Claim.objects.get(key=KEY)


@pytest.fixture
def site(db):
    shipping.load_threads()


def typed(claim, **changes):
    """What the form sends, as a browser fills it in."""
    content = claim.content | changes
    lists = {"source": content.pop("sources"), "entry": content.pop("entries")}
    return content | lists | {"edition": claim.edition, "reason": "measured"}


def test_everybody_reads_a_claim_with_its_reason_and_sources(client, claim):
    page = client.get(f"/claims/{KEY}/", headers={"accept-language": "en"}).text
    assert claim.statement_en in page
    assert escape(claim.sources[0]) in page
    assert "Add a measurement" not in page


def test_a_curator_changes_a_verdict_and_the_old_one_stays_readable(carol, claim):
    carol.post(f"/claims/{KEY}/edit/", typed(claim, verdict="wrong"))
    claim.refresh_from_db()
    assert (claim.verdict, claim.edition) == ("wrong", 1)
    assert [version.content["verdict"] for version in claim.editions.all()] == ["wrong", "depends"]
    page = carol.get(f"/claims/{KEY}/").text
    assert "measured" in page
    assert "carol" in page
    assert AuditEvent.objects.get(action="claim.changed").detail["verdict"] == {"from": "depends", "to": "wrong"}


def test_an_old_version_is_restored(carol, claim):
    carol.post(f"/claims/{KEY}/edit/", typed(claim, verdict="wrong"))
    carol.post(f"/claims/{KEY}/decide/", {"action": "restore", "version": "0", "reason": "the figure was misread"})
    claim.refresh_from_db()
    assert (claim.verdict, claim.edition) == ("depends", 2)


def test_of_two_who_edit_at_once_the_second_loses_nothing(carol, dave, claim):
    late = typed(claim, statement_en="What Dave wrote.")
    carol.post(f"/claims/{KEY}/edit/", typed(claim, statement_en="What Carol wrote."))
    page = dave.post(f"/claims/{KEY}/edit/", late).text
    claim.refresh_from_db()
    assert claim.statement_en == "What Carol wrote."
    assert "Somebody else changed it in between" in page
    assert "What Dave wrote." in page


def test_a_form_with_faults_says_so_at_the_field_and_keeps_what_was_typed(carol, claim):
    answer = carol.post(f"/claims/{KEY}/edit/", typed(claim, statement_en="", reason_en="Kept all the same."))
    assert answer.status_code == 422
    assert "Write something here." in answer.text
    assert "Kept all the same." in answer.text


def test_a_change_needs_a_reason(carol, claim):
    carol.post(f"/claims/{KEY}/edit/", typed(claim, verdict="wrong") | {"reason": " "})
    claim.refresh_from_db()
    assert claim.verdict == "depends"


def test_a_measurement_stands_beside_the_claim_until_it_is_removed(carol, claim):
    sent = {"action": "evidence", "speaks": "against", "what_en": "Load of 13.5 GB", "what_zh": "读 13.5 GB", "value": "9.2", "unit": "s", "source": "our own host"}  # fmt: skip
    carol.post(f"/claims/{KEY}/decide/", sent)
    page = carol.get(f"/claims/{KEY}/").text
    assert "Load of 13.5 GB" in page
    assert "9.2 s" in page
    carol.post(f"/claims/{KEY}/decide/", {"action": "drop", "evidence": claim.evidence.get().pk})
    assert not claim.evidence.exists()


@pytest.mark.parametrize(
    "changes", [{"value": "fast"}, {"source": ""}, {"what_zh": ""}, {"link": "https://example.org/"}, {"speaks": "x"}]
)
def test_a_measurement_without_a_part_is_refused_with_the_reason(carol, claim, changes):
    sent = {
        "action": "evidence",
        "speaks": "for",
        "what_en": "a",
        "what_zh": "b",
        "value": "1",
        "source": "s",
    } | changes
    answer = carol.post(f"/claims/{KEY}/decide/", sent, follow=True)
    assert not claim.evidence.exists()
    assert list(answer.context["messages"])


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_who_is_no_curator_changes_nothing(request, claim, who):
    browser = request.getfixturevalue(who)
    assert browser.post(f"/claims/{KEY}/edit/", typed(claim, verdict="wrong")).status_code == 403
    browser.post(
        f"/claims/{KEY}/decide/", {"action": "evidence", "speaks": "for", "what_en": "a", "what_zh": "b", "source": "s"}
    )
    claim.refresh_from_db()
    assert claim.verdict == "depends"
    assert not claim.evidence.exists()


def test_a_new_release_leaves_an_edited_claim_alone(carol, claim):
    claim_curation.change(claim, claim.content | {"verdict": "wrong"}, "measured", carol.person, 0)
    shipping.load_threads()
    claim.refresh_from_db()
    assert claim.verdict == "wrong"


def test_another_thread_that_says_it_is_counted_and_named_and_nothing_else_changes(carol, claim):
    before = claim.content
    claim_curation.said_again(claim, "example/forum#7", lambda count: count + 2, carol.person)
    claim.refresh_from_db()
    added = {"said_by": before["said_by"] + 2, "sources": [*before["sources"], "example/forum#7"]}
    assert claim.content == before | added
    assert [version.content for version in claim.editions.all()] == [before | added, before]
    assert AuditEvent.objects.get(action="claim.said_again").detail["source"] == "example/forum#7"


def test_a_claim_is_added_by_a_curator_and_stays_when_a_release_comes(carol, claim):
    content = claim.content | {"said_by": 1, "sources": ["example/forum#7"]}
    added = claim_curation.create(claim.thread, "OWN-1", content, "from a thread", carol.person)
    shipping.load_threads()
    added.refresh_from_db()
    assert (added.content, added.edition) == (content, 1)
    with pytest.raises(claim_curation.Faults):
        claim_curation.create(claim.thread, "OWN-2", content | {"reason_zh": ""}, "", carol.person)


def test_a_reporter_adds_no_claim(bob, claim):
    for attempt in (
        lambda: claim_curation.create(claim.thread, "OWN-1", claim.content, "", bob.person),
        lambda: claim_curation.said_again(claim, "example/forum#7", lambda count: 9, bob.person),
    ):
        with pytest.raises(claim_curation.NotAllowed):
            attempt()


def test_threads_are_written_back_byte_for_byte(site, tmp_path):
    assert shipping.export_threads(tmp_path) == len(list(THREADS.glob("*.yaml")))
    for path in THREADS.glob("*.yaml"):
        assert (tmp_path / path.name).read_text("utf-8") == path.read_text("utf-8")
