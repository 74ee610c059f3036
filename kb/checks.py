"""Wrong settings become system checks with a hint."""

from django.conf import settings
from django.core.checks import Error, Warning, register


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


@register()
def half_a_provider(app_configs, **kwargs):
    """Single sign-on needs an account of this site at the provider."""
    missing = [name for name in ("CLIENT_ID", "CLIENT_SECRET") if not settings.OIDC[name]]
    if not settings.OIDC["ISSUER"] or not missing:
        return []
    named = " and ".join(f"OIDC_{name}" for name in missing)
    return [Error(f"OIDC_ISSUER is set without {named}.", hint="See docs/settings.md.", id="infermary.E001")]
