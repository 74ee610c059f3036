"""Entries and threads between files and the database."""

from __future__ import annotations

from pathlib import Path

from django.db import transaction

from kb import entry_file, reports, thread_file
from kb.knowledge import ENTRIES
from kb.models import Claim, ConfirmedReport, Entry, Thread

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


@transaction.atomic
def load_reports(folder: Path = reports.FOLDER) -> int:
    """Store the confirmed reports of a folder, those of unknown entries left out; the number of new ones.

    Raises:
        ValueError: a line that is no report.
    """
    entries = {entry.slug: entry for entry in Entry.objects.all()}
    held = set(ConfirmedReport.objects.values_list("entry__slug", "source"))
    count = 0
    for report in reports.load_folder(folder):
        slug, *also = report.causes
        if slug in entries and (slug, report.source) not in held:
            said = report.submission
            row = ConfirmedReport.objects.create(
                entry=entries[slug], source=report.source, lang=report.lang, symptom=said.text, command=said.command,
                log=said.log, nvidia_smi=said.nvidia_smi, root_cause=report.root_cause,
            )  # fmt: skip
            row.also.set([entries[other] for other in also if other in entries])
            held.add((slug, report.source))
            count += 1
    return count


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
    """A claim that the team edited on the site is left as it is."""
    if Claim.objects.filter(key=file.key, edition__gt=0).exists():
        return
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


def thread_document(thread: Thread) -> thread_file.ThreadFile:
    """A thread with its claims, as its file holds them."""
    claims = thread.claims.prefetch_related("entries").order_by("pk")
    return thread_file.ThreadFile.model_validate({
        "slug": thread.slug, "title": {"en": thread.title_en, "zh": thread.title_zh},
        "about": {"en": thread.about_en, "zh": thread.about_zh}, "claims": [_claim_document(claim) for claim in claims],
    })  # fmt: skip


def claim_files() -> list[thread_file.ClaimFile]:
    """Every claim as the team has it now, shipped, edited or its own."""
    claims = Claim.objects.prefetch_related("entries")
    return [thread_file.ClaimFile.model_validate(_claim_document(claim)) for claim in claims]


def _claim_document(claim: Claim) -> dict[str, object]:
    both = {
        name: {"en": getattr(claim, f"{name}_en"), "zh": getattr(claim, f"{name}_zh")}
        for name in ("statement", "reason", "check")
    }
    if not both["check"]["en"]:
        del both["check"]
    return {
        "key": claim.key, "kind": claim.kind, "verdict": claim.verdict, **both, "versions": claim.versions,
        "said_by": claim.said_by, "sources": claim.sources, "entries": [entry.slug for entry in claim.entries.all()],
    }  # fmt: skip


def export_threads(folder: Path) -> int:
    """Write every thread as its file, byte for byte as `load_threads` reads it; the number written."""
    folder.mkdir(parents=True, exist_ok=True)
    threads = Thread.objects.all()
    for thread in threads:
        (folder / f"{thread.slug}.yaml").write_text(thread_file.dump(thread_document(thread)), "utf-8")
    return len(threads)
