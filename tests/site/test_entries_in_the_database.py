import pytest

from kb import shipping
from kb.knowledge import ENTRIES
from kb.models import AuditEvent, Claim, Entry
from tests import cast

pytestmark = pytest.mark.django_db


def test_exported_entries_equal_the_shipped_files_byte_for_byte(tmp_path):
    shipping.export_entries(tmp_path)
    for path in ENTRIES.glob("*.yaml"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_loading_twice_changes_nothing():
    assert shipping.load_entries() == 0


def test_an_entry_that_the_team_edited_is_not_overwritten_by_a_release():
    entry = Entry.objects.first()
    edited = entry.file.model_copy(update={"frequency": "rare" if entry.frequency != "rare" else "usual"})
    Entry.store(edited, author=cast.person("carol", "curator"), reason="seen less often")
    shipping.load_entries()
    entry.refresh_from_db()
    assert entry.frequency == edited.frequency
    assert entry.versions.count() == 2


def test_every_claim_of_a_thread_is_stored_with_its_verdict():
    assert Claim.objects.count() == 171
    assert shipping.load_threads() == 171
    assert Claim.objects.count() == 171


def test_the_audit_rows_form_a_chain():
    first = AuditEvent.record(None, "test", "one")
    second = AuditEvent.record(None, "test", "two")
    assert second.previous_sha256 == first.sha256 != second.sha256
