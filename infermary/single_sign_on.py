"""The OpenID Connect provider of the team, as django-allauth takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def single_sign_on(settings: Mapping[str, str]) -> dict[str, Any]:
    """SOCIALACCOUNT_PROVIDERS made of ISSUER, CLIENT_ID, CLIENT_SECRET and NAME; nothing without an issuer."""
    if not settings["ISSUER"]:
        return {}
    app = {
        "provider_id": "sso",
        "name": settings["NAME"] or "OpenID Connect",
        "client_id": settings["CLIENT_ID"],
        "secret": settings["CLIENT_SECRET"],
        "settings": {"server_url": settings["ISSUER"].rstrip("/")},
    }
    return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
