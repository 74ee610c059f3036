"""Entries and threads between files and the database."""

from __future__ import annotations

from pathlib import Path

from django.db import transaction

from kb import entry_file, thread_file
from kb.knowledge import ENTRIES
from kb.models import Claim, Entry, Thread

THREADS = ENTRIES.parent / "threads"


@transaction.atomic
def load_entries(folder: Path = ENTRIES) -> int:
    """Store every entry of a folder; the number of new and changed ones.

    An entry that the team edited on the site is left as it is: the newest version then came from a person.

    Raises:
        ValueError: a file that is no entry.
    """
    changed = 0
    for file in entry_file.load_folder(folder):
        entry = Entry.objects.filter(slug=file.slug).first()
        if entry and entry.versions.filter(author__isnull=False).exists():
            continue
        changed += Entry.store(file, reason="shipped with this release")
    return changed


def export_entries(folder: Path) -> int:
    """Write every published entry as its file; the number written."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = Entry.objects.published()
    for entry in entries:
        (folder / f"{entry.slug}.yaml").write_text(entry_file.dump(entry.file), "utf-8")
    return len(entries)


@transaction.atomic
def load_threads(folder: Path = THREADS) -> int:
    """Store every thread of a folder with its claims; the number of claims.

    Raises:
        ValueError: a file that is no thread.
    """
    entries = {entry.slug: entry for entry in Entry.objects.all()}
    count = 0
    for file in thread_file.load_folder(folder):
        thread, _ = Thread.objects.update_or_create(
            slug=file.slug,
            defaults={
                "title_en": file.title.en, "title_zh": file.title.zh,
                "about_en": file.about.en, "about_zh": file.about.zh,
            },
        )  # fmt: skip
        for claim in file.claims:
            _store_claim(thread, claim, entries)
            count += 1
    return count


def _store_claim(thread: Thread, file: thread_file.ClaimFile, entries: dict[str, Entry]) -> None:
    claim, _ = Claim.objects.update_or_create(
        key=file.key,
        defaults={
            "thread": thread, "kind": file.kind, "verdict": file.verdict,
            "statement_en": file.statement.en, "statement_zh": file.statement.zh,
            "reason_en": file.reason.en, "reason_zh": file.reason.zh,
            "check_en": file.check.en if file.check else "", "check_zh": file.check.zh if file.check else "",
            "versions": file.versions, "said_by": file.said_by, "sources": file.sources,
        },
    )  # fmt: skip
    claim.entries.set([entries[slug] for slug in file.entries if slug in entries])
