"""On one machine, a browser on the loopback address is signed in as its operator.

Only where LOCAL_OPERATOR is set (`make run` does), only from a loopback address without a proxy in between;
the Host header is held to ALLOWED_HOSTS, so that a foreign page cannot reach in by DNS rebinding. Elsewhere that account
lets nobody in, whatever cookie, password or single sign-on is shown, and it is given neither of the latter two.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

NAME = "local-operator"


def is_direct_loopback(request: HttpRequest) -> bool:
    if "HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META:
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


class LocalOperatorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        welcome = settings.LOCAL_OPERATOR and is_direct_loopback(request)
        if request.user.get_username() == NAME and not welcome:
            logout(request)
        if welcome and not request.user.is_authenticated:
            user = User.objects.filter(username=NAME).first()
            if user is not None:
                login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return self.get_response(request)
