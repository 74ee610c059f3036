"""Give a person a role: reader, reporter, operator, curator or administrator."""

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from kb import roles


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("user", help="name of the account")
        parser.add_argument("role", choices=list(roles.WORDS))

    def handle(self, *args, user: str, role: str, **options):
        person = User.objects.filter(username=user).first()
        if person is None:
            raise CommandError(f"nobody here is called {user}; manage.py createsuperuser makes a first account")
        roles.grant(person, role)
        self.stdout.write(f"{user} is {role} now")
