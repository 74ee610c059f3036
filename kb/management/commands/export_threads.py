"""Write every thread with its claims as its file, byte for byte as `load_threads` reads it."""

from pathlib import Path

from django.core.management.base import BaseCommand

from kb import shipping


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("folder", type=Path)

    def handle(self, *args, folder: Path, **options):
        self.stdout.write(f"{shipping.export_threads(folder)} threads written to {folder}")
