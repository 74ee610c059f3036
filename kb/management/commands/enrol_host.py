"""Enrol a GPU host: make its key and the configuration file of its worker."""

from pathlib import Path

from django.core.management.base import BaseCommand

from kb.enrolment import enrol


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("name")
        parser.add_argument("folder", type=Path, help="where the key and worker.json go; copy it to the host")

    def handle(self, *args, name: str, folder: Path, **options):
        host, path = enrol(name, folder)
        self.stdout.write(f"host {host.name} ({host.pk})\nstart its worker: python -m probes.worker --config {path}")
