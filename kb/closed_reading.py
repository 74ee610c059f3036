"""Where PUBLIC_READING is off, every page but the way in needs an account; a link to a case does, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase
from django_htmx.http import HttpResponseClientRefresh


class ClosedReadingMiddleware(LoginRequiredMiddleware):
    """A page is open only if its view says so by `login_not_required`: a new page is closed by itself."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        return None if settings.PUBLIC_READING else super().process_view(request, view, args, kwargs)

    def handle_no_permission(self, request: HttpRequest, view: Callable[..., HttpResponseBase]) -> HttpResponseBase:
        """A part of a page cannot be the sign-in page: the whole page is loaded again, and leads there."""
        # django_htmx marks the request after this middleware, so the header is read here.
        if request.headers.get("HX-Request"):
            return HttpResponseClientRefresh()
        return super().handle_no_permission(request, view)
