"""Wrong settings become system checks with a hint."""

from django.conf import settings
from django.core.checks import Warning, register


@register()
def open_door(app_configs, **kwargs):
    """The local operator is for loopback only: with other names in ALLOWED_HOSTS it is a mistake."""
    others = set(settings.ALLOWED_HOSTS) - {"localhost", "127.0.0.1", "[::1]"}
    if not (settings.LOCAL_OPERATOR and others):
        return []
    return [
        Warning(
            "LOCAL_OPERATOR is on while the site answers to other names than loopback.",
            hint="Set LOCAL_OPERATOR=0 and give the team accounts.",
            id="infermary.W001",
        )
    ]
