"""Store the shipped entries, or those of another folder."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from kb import shipping
from kb.knowledge import ENTRIES


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("folder", nargs="?", type=Path, default=ENTRIES)

    def handle(self, *args, folder: Path, **options):
        try:
            changed = shipping.load_entries(folder)
        except ValueError as error:
            raise CommandError(error) from error
        self.stdout.write(f"{changed} entries new or changed")
