"""A stranger and a reader may look; a reporter may suggest; a curator publishes."""

import pytest
from django.test import Client

from kb import curation
from kb.models import AuditEvent, Entry, Revision

EDITING = ["/entries/eager-mode/edit/", "/drafts/new/edit/", "/review/"]


@pytest.mark.parametrize("path", EDITING)
def test_a_stranger_and_a_reader_may_not_edit(charlie, path):
    assert Client().get(path).status_code == 403
    assert charlie.get(path).status_code == 403
    assert charlie.post(path, {"save": "1"}).status_code in (403, 405)


def test_everybody_may_read_the_history(charlie):
    assert Client().get("/entries/eager-mode/history/").status_code == 200
    assert charlie.get("/entries/eager-mode/history/").status_code == 200


@pytest.mark.parametrize("path", EDITING)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reporter_may_suggest(bob, path, language):
    assert bob.get(path, headers={"accept-language": language}).status_code == 200


def test_a_reporter_cannot_publish_retire_or_restore(bob, entry):
    draft = curation.begin(entry, entry.body, "because", bob.person, entry.newest)
    bob.post(f"/drafts/{draft.pk}/decide/", {"action": "publish"})
    assert Revision.objects.get().state == "draft"
    assert bob.post(f"/entries/{entry.slug}/decide/", {"action": "retire", "reason": "x"}).status_code == 403
    entry.refresh_from_db()
    assert entry.status == Entry.Status.PUBLISHED


def test_a_reader_sees_no_draft(charlie, bob, entry):
    draft = curation.begin(entry, entry.body, "", bob.person, entry.newest)
    for path in (f"/drafts/{draft.pk}/", f"/drafts/{draft.pk}/edit/", f"/drafts/{draft.pk}/impact/"):
        assert charlie.get(path).status_code == 403
    assert charlie.post(f"/drafts/{draft.pk}/decide/", {"action": "comment", "text": "x"}).status_code == 403


def test_a_reporter_cannot_write_into_the_draft_of_another(bob, carol, entry):
    draft = curation.begin(entry, entry.body, "", carol.person, entry.newest)
    assert bob.get(f"/drafts/{draft.pk}/edit/").status_code == 302
    with pytest.raises(curation.NotAllowed):
        curation.save(draft, {}, "", bob.person, 0)


def test_what_was_decided_is_on_record(carol, entry):
    curation.retire(entry, carol.person, "gone since 1.0")
    event = AuditEvent.objects.first()
    assert (event.action, event.actor, event.subject) == ("entry.retired", carol.person, "eager-mode")
