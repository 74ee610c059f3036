"""The people of the tests: Alice operates, Bob reports, Charlie is a stranger who must see nothing."""

from __future__ import annotations

from django.contrib.auth.models import Group, User
from django.utils import timezone

from kb.models import Host
from kb.roles import ensure_roles
from probes import envelope


def person(name: str, role: str) -> User:
    ensure_roles()
    user = User.objects.create_user(name)
    user.groups.add(Group.objects.get(name=role))
    return user


def host(name: str = "gpu-box", *, online: bool = True) -> tuple[Host, str]:
    """An enrolled host whose worker offers two probes, and the host's private key."""
    private = envelope.new_key()
    row = Host.objects.create(
        name=name, public_key=envelope.public_key(private), catalogue=[document("gpu.state"), document("host.inventory")],
        last_seen=timezone.now() if online else None,
    )  # fmt: skip
    return row, private


def document(name: str) -> dict:
    """What a worker says of one of its probes."""
    return {
        "name": name, "zh": name, "en": name, "zh_about": "", "en_about": "", "mode": "passive", "seconds": 1.0,
        "limit_s": 10.0, "yields": ["gpu.temperature_c"], "parameters": {"properties": {}},
    }  # fmt: skip
