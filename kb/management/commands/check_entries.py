"""Check the shipped entries, or those of another folder: schema, languages, sources, rules, fixes, repetition."""

from collections import Counter
from pathlib import Path

import yaml
from django.core.management.base import BaseCommand, CommandError

from kb import entry_file
from kb import links as pages
from kb.entry_check import Finding, check
from kb.knowledge import ENTRIES
from kb.links import GITHUB


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("folder", nargs="?", type=Path, default=ENTRIES)
        parser.add_argument("--notes", action="store_true", help="also list what is for the curator to weigh")
        parser.add_argument(
            "--links", action="store_true", help="also ask for every page that a source cites (network)"
        )
        parser.add_argument("--github", default=GITHUB, help="where issues are asked for, instead of github.com")

    def handle(self, *args, folder: Path, notes: bool, links: bool, github: str, **options):
        entries, found = read(folder)
        found += check(tuple(entries))
        if links:
            found += self._links(entries, github.rstrip("/"))
        faults = [finding for finding in found if not finding.note]
        for finding in sorted(found) if notes else faults:
            self.stdout.write(f"{'note ' if finding.note else 'FAULT'} {finding}")
        self.stdout.write(summary(entries))
        self.stdout.write(f"{len(faults)} faults, {len(found) - len(faults)} notes")
        if faults:
            raise CommandError(f"{len(faults)} faults in {folder}")

    def _links(self, entries: list[entry_file.EntryFile], github: str) -> list[Finding]:
        """Pages that are gone are faults; pages that could not be reached are notes."""
        answers = pages.tried(pages.links(entries, github))
        count = Counter(answer.state for answer in answers)
        self.stdout.write(f"{count['there']} pages are there, {count['gone']} gone, {count['unreached']} not reached")
        if answers and count["unreached"] == len(answers):
            raise CommandError("no page could be reached, so none was checked: is there a network?")
        return [
            Finding(a.link.slug, f"sources.{a.link.source}", f"{a.link.url}: {a.state} ({a.why})", note=a.state != "gone")
            for a in answers if a.state != "there"
        ]  # fmt: skip


def read(folder: Path) -> tuple[list[entry_file.EntryFile], list[Finding]]:
    """The sound entries of a folder, and a finding for every file that is none."""
    entries, found = [], []
    for path in sorted(folder.glob("*.yaml")):
        text = path.read_text("utf-8")
        try:
            entry = entry_file.parse(text)
        except (yaml.YAMLError, ValueError) as error:
            found.append(Finding(path.stem, path.name, str(error)))
            continue
        if entry.slug != path.stem:
            found.append(Finding(path.stem, path.name, f"holds the entry {entry.slug}"))
        if entry_file.dump(entry) != text:
            found.append(Finding(path.stem, path.name, "is not in the canonical form: load and export it"))
        entries.append(entry)
    return entries, found


def summary(entries: list[entry_file.EntryFile]) -> str:
    """How much there is, in one line."""
    kinds = Counter(entry.kind for entry in entries)
    parts = {
        name: sum(len(getattr(entry, name)) for entry in entries)
        for name in ("rules", "signatures", "fixes", "sources")
    }
    counts = ", ".join(f"{count} {name}" for name, count in parts.items())
    return f"{len(entries)} entries ({kinds['slow']} slow, {kinds['failure']} failure): {counts}"
