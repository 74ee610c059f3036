"""Make one machine ready: tables, roles, shipped entries, threads and reports, this machine as a host. Safe to repeat."""

import platform

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.core.management.base import BaseCommand

from kb import library, local_operator
from kb.enrolment import enrol
from kb.roles import ensure_roles


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args, **options):
        call_command("migrate", verbosity=0)
        ensure_roles()
        call_command("load_entries", stdout=self.stdout)
        call_command("load_threads", stdout=self.stdout)
        call_command("load_reports", stdout=self.stdout)
        library.learn()
        if settings.LOCAL_OPERATOR:
            self._local_operator()
        host, _ = enrol(platform.node() or "this-machine", settings.VAR / "worker")
        self.stdout.write(f"this machine is the host {host.name} ({host.pk})")

    def _local_operator(self) -> None:
        user, made = User.objects.get_or_create(username=local_operator.NAME, defaults={"is_staff": True})
        if made:
            user.set_unusable_password()
            user.save()
        user.groups.set(Group.objects.filter(name__in=["operator", "curator"]))
