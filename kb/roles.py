"""Who may do what: one group a role. A role holds what the roles before it hold."""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission

ROLES: dict[str, tuple[str, ...]] = {
    "reader": (),
    "reporter": ("add_case", "add_revision"),
    "operator": ("run_probe", "run_disruptive", "view_host", "view_run"),
    "curator": ("add_entry", "change_entry", "view_entry", "add_claim", "change_claim", "change_thread"),
}


def ensure_roles() -> None:
    """Make the groups and their rights; an administrator is a superuser."""
    held: list[Permission] = []
    for role, codenames in ROLES.items():
        found = Permission.objects.filter(content_type__app_label="kb", codename__in=codenames)
        held += found
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.set(held)
