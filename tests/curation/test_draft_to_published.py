"""An edit goes from draft through review to published, and no edit overwrites another unseen."""

import pytest
from bs4 import BeautifulSoup

from kb import curation, library, shipping
from kb.entry_file import dump
from kb.knowledge import shipped
from kb.models import AuditEvent, Entry, Revision
from tests.curation.form import sent


def edited(entry, **changes):
    return entry.body | changes


def begun(entry, person, reason="seen less often", **changes):
    return curation.begin(entry, edited(entry, **changes), reason, person, entry.newest)


def title(text):
    return {"en": text, "zh": "标题"}


def test_an_edit_by_a_reporter_is_published_by_a_curator(bob, carol, entry):
    data = sent(bob.get(f"/entries/{entry.slug}/edit/").content)
    data |= {"title.en": ["CUDA graphs do not run"], "reason": ["clearer"], "save": ["1"]}
    bob.post(f"/entries/{entry.slug}/edit/", data)
    draft = Revision.objects.get()
    bob.post(f"/drafts/{draft.pk}/decide/", {"action": "submit"})
    assert b"CUDA graphs do not run" in carol.get("/review/").content
    carol.post(f"/drafts/{draft.pk}/decide/", {"action": "publish"})
    entry.refresh_from_db()
    assert entry.title_en == "CUDA graphs do not run"
    newest = entry.newest
    assert (newest.author, newest.reason) == (bob.person, "clearer")
    assert library.knowledge().by_slug["eager-mode"].title.en == "CUDA graphs do not run"
    assert AuditEvent.objects.filter(action="entry.published", actor=carol.person).exists()


def test_a_draft_that_is_sent_back_says_why_and_may_come_again(bob, carol, entry):
    draft = begun(entry, bob.person, frequency="rare")
    curation.submit(draft, bob.person)
    curation.reject(draft, carol.person, "no source for that")
    assert "no source for that" in bob.get(f"/drafts/{draft.pk}/").text
    draft.refresh_from_db()
    curation.save(draft, edited(entry, frequency="usual"), "with a source", bob.person, draft.edition)
    draft.refresh_from_db()
    assert draft.state == Revision.State.DRAFT


def test_a_draft_with_a_fault_or_without_a_reason_is_not_published(carol, entry):
    for draft in (begun(entry, carol.person, level=3, fixes=[]), begun(entry, carol.person, reason=" ")):
        with pytest.raises(curation.NotAllowed):
            curation.publish(draft, carol.person)
        with pytest.raises(curation.NotAllowed):
            curation.submit(draft, carol.person)
    assert entry.versions.count() == 1


def test_by_the_two_person_rule_another_curator_publishes(carol, dave, entry, settings):
    settings.TWO_PERSON_RULE = True
    draft = begun(entry, carol.person, frequency="rare")
    with pytest.raises(curation.NotAllowed):
        curation.publish(draft, carol.person)
    curation.publish(draft, dave.person)
    entry.refresh_from_db()
    assert entry.frequency == "rare"
    with pytest.raises(curation.NotAllowed):
        curation.restore(entry.versions.last(), carol.person, "was better")


def test_of_two_edits_of_one_entry_the_second_is_rebased_and_both_stay(carol, dave, entry):
    one = begun(entry, carol.person, frequency="rare")
    two = begun(entry, dave.person, title=title("Eager"))
    curation.publish(one, carol.person)
    with pytest.raises(curation.NotAllowed):
        curation.publish(two, dave.person)
    page = dave.get(f"/drafts/{two.pk}/")
    assert "Another version was published in between" in page.text and "do not touch the same places" in page.text
    dave.post(f"/drafts/{two.pk}/decide/", {"action": "rebase"})
    curation.publish(two, dave.person)
    entry.refresh_from_db()
    assert (entry.frequency, entry.title_en) == ("rare", "Eager")


def test_what_both_changed_is_shown_and_left_to_the_author(carol, dave, entry):
    one, two = begun(entry, carol.person, title=title("One")), begun(entry, dave.person, title=title("Two"))
    curation.publish(one, carol.person)
    assert "Changed by both" in dave.get(f"/drafts/{two.pk}/").text
    page = dave.post(f"/drafts/{two.pk}/decide/", {"action": "rebase"}, follow=True)
    assert sent(page.content)["title.en"] == ["Two"]
    clashes = BeautifulSoup(page.content, "html.parser").find("section", {"aria-labelledby": "clashes"}).text
    assert "title.en" in clashes and "One" in clashes


def test_two_browsers_on_one_draft_overwrite_nothing_unseen(carol, dave, entry):
    draft = begun(entry, carol.person)
    mine, theirs = (sent(who.get(f"/drafts/{draft.pk}/edit/").content) for who in (carol, dave))
    dave.post(f"/drafts/{draft.pk}/edit/", theirs | {"title.en": ["By Dave"], "save": ["1"]})
    page = carol.post(f"/drafts/{draft.pk}/edit/", mine | {"title.en": ["By Carol"], "save": ["1"]})
    again = sent(page.content)
    assert again["title.en"] == ["By Carol"] and "Somebody else saved this draft" in page.text
    assert Revision.objects.get().body["title"]["en"] == "By Dave"
    carol.post(f"/drafts/{draft.pk}/edit/", again | {"save": ["1"]})
    assert Revision.objects.get().body["title"]["en"] == "By Carol"


def test_a_new_entry_is_written_from_nothing(carol, entry):
    body = shipped().by_slug["eager-mode"].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    draft = curation.begin(None, body | {"slug": "fan-off"}, "met twice", carol.person, None)
    assert carol.get(f"/drafts/{draft.pk}/").status_code == 200
    curation.publish(draft, carol.person)
    assert carol.get("/entries/fan-off/").status_code == 200
    twin = curation.begin(None, body, "again", carol.person, None)
    with pytest.raises(curation.NotAllowed):
        curation.publish(twin, carol.person)


def test_the_short_name_of_an_entry_stays(carol, entry):
    with pytest.raises(curation.NotAllowed):
        curation.publish(begun(entry, carol.person, slug="another"), carol.person)


def test_an_old_version_comes_back_as_the_newest(carol, entry):
    old = entry.newest
    curation.publish(begun(entry, carol.person, frequency="rare"), carol.person)
    page = carol.get(f"/entries/{entry.slug}/history/").text
    assert "rare" in page and "seen less often" in page and "carol" in page
    carol.post(f"/entries/{entry.slug}/decide/", {"action": "restore", "version": old.pk, "reason": "was right"})
    entry.refresh_from_db()
    assert entry.frequency == "common" and entry.versions.count() == 3 and entry.newest.reason == "was right"
    compared = carol.get(f"/entries/{entry.slug}/history/?from={old.pk}&to={entry.newest.pk}")
    assert "No difference" in compared.text


def test_a_retired_entry_leaves_the_ranking_and_no_release_brings_it_back(carol, entry):
    carol.post(f"/entries/{entry.slug}/decide/", {"action": "retire", "reason": "no engine does that any more"})
    assert "eager-mode" not in library.knowledge().by_slug
    shipping.load_entries()
    entry.refresh_from_db()
    assert entry.status == Entry.Status.RETIRED
    curation.restore(entry.newest, carol.person, "one still does")
    assert "eager-mode" in library.knowledge().by_slug


def test_comments_stay_beside_the_draft(bob, carol, entry):
    draft = begun(entry, bob.person)
    carol.post(f"/drafts/{draft.pk}/decide/", {"action": "comment", "text": "Which <b>version</b>?"})
    assert "Which &lt;b&gt;version&lt;/b&gt;?" in bob.get(f"/drafts/{draft.pk}/").text


def test_an_entry_past_its_review_date_is_listed_with_its_owner(carol, dave, entry):
    answer = carol.post(
        f"/entries/{entry.slug}/decide/", {"action": "entrust", "owner": "dave", "review_by": "2020-01-31"}
    )
    assert answer.status_code == 302
    page = BeautifulSoup(carol.get("/review/").content, "html.parser").find("section", {"aria-labelledby": "overdue"})
    assert "dave" in page.text and "2020-01-31" in page.text
    wrong = carol.post(
        f"/entries/{entry.slug}/decide/", {"action": "entrust", "owner": "nobody", "review_by": ""}, follow=True
    )
    assert "Nobody here is called nobody" in wrong.text


def test_a_published_edit_is_exported_as_its_file(carol, entry, tmp_path):
    curation.publish(begun(entry, carol.person, frequency="rare"), carol.person)
    shipping.export_entries(tmp_path)
    text = (tmp_path / "eager-mode.yaml").read_text("utf-8")
    assert text == dump(entry.file).replace(f"frequency: {entry.frequency}", "frequency: rare", 1)
