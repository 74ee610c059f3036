"""Store the shipped confirmed reports, or those of another folder."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from kb import shipping
from kb.reports import FOLDER


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)

    def handle(self, *args, folder: Path, **options):
        try:
            count = shipping.load_reports(folder)
        except ValueError as error:
            raise CommandError(error) from error
        self.stdout.write(f"{count} confirmed reports new")
