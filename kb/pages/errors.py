"""Pages for what went wrong, each with what to do next."""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or 413 where the request was larger than the site accepts."""
    status = 413 if isinstance(exception, RequestDataTooBig) else 400
    return render(request, "error.html", {"status": status}, status=status)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "error.html", {"status": 403}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "error.html", {"status": 404}, status=404)


def too_many(request: HttpRequest) -> HttpResponse:
    """429: somebody guesses passwords, or forgot which it was."""
    return render(request, "error.html", {"status": 429}, status=429)


def server_error(request: HttpRequest) -> HttpResponse:
    """Stands by itself: whatever broke may break the frame of the other pages, too."""
    return render(None, "500.html", status=500)
