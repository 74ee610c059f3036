"""Who may do what: one group a role. A role holds what the roles before it hold."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction

from kb.models import AuditEvent

ROLES: dict[str, tuple[str, ...]] = {
    "reader": (),
    "reporter": ("add_case", "add_revision"),
    "operator": ("run_probe", "run_disruptive", "view_host", "view_run"),
    "curator": ("add_entry", "change_entry", "view_entry", "add_claim", "change_claim", "change_thread"),
}

ADMINISTRATOR = "administrator"
WORDS: dict[str, dict[str, str]] = {
    "reader": {"en": "reader", "zh": "读者"},
    "reporter": {"en": "reporter", "zh": "报告者"},
    "operator": {"en": "operator", "zh": "操作员"},
    "curator": {"en": "curator", "zh": "维护者"},
    ADMINISTRATOR: {"en": "administrator", "zh": "管理员"},
}


def role_of(person: Any) -> str:
    """The highest role that somebody holds; whoever has none reads."""
    if person.is_superuser:
        return ADMINISTRATOR
    held = {group.name for group in person.groups.all()}
    return next((role for role in reversed(ROLES) if role in held), "reader")


@transaction.atomic
def grant(person: User, role: str, by: Any = None) -> None:
    """Give somebody this role and no other; `by` None for a command on the server.

    Raises:
        ValueError: there is no such role.
    """
    if role not in WORDS:
        raise ValueError(f"no role {role!r}: one of {', '.join(WORDS)}")
    ensure_roles()
    before = role_of(person)
    person.groups.set(Group.objects.filter(name=role))
    person.is_superuser = person.is_staff = role == ADMINISTRATOR
    person.save(update_fields=["is_superuser", "is_staff"])
    AuditEvent.record(by, "role.granted", person.get_username(), before=before, after=role)


def ensure_roles() -> None:
    """Make the groups and their rights; an administrator is a superuser."""
    held: list[Permission] = []
    for role, codenames in ROLES.items():
        found = Permission.objects.filter(content_type__app_label="kb", codename__in=codenames)
        held += found
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.set(held)
