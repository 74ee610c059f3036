"""Store the shipped threads with their claims."""

from django.core.management.base import BaseCommand, CommandError

from kb import shipping


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args, **options):
        try:
            count = shipping.load_threads()
        except ValueError as error:
            raise CommandError(error) from error
        self.stdout.write(f"{count} claims")
