"""Language and theme of a reader: `?lang=zh`, `?theme=dark`, kept in a cookie, so that both work without JavaScript."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

LANGUAGES = ("en", "zh")
THEMES = ("auto", "light", "dark")
YEAR_S = 365 * 24 * 3600
DJANGO_CODE = {"en": "en", "zh": "zh-hans"}


def language() -> str:
    """The language of the page that is being rendered: "en" or "zh"."""
    return "zh" if (translation.get_language() or "").startswith("zh") else "en"


def accepted(header: str) -> str:
    """The first of our languages that an Accept-Language header names; English if it names none."""
    ranked = []
    for position, item in enumerate(header.split(",")):
        tag, _, quality = item.strip().partition(";q=")
        try:
            ranked.append((-float(quality or 1), position, tag.strip().lower()[:2]))
        except ValueError:
            continue
    return next((tag for _, _, tag in sorted(ranked) if tag in LANGUAGES), "en")


def _chosen(request: HttpRequest, name: str, allowed: tuple[str, ...]) -> str | None:
    asked = (request.GET.get(name), request.COOKIES.get(name))
    return next((value for value in asked if value in allowed), None)


class LanguageMiddleware:
    """Sets `request.language` and `request.theme`, activates the language, and remembers what a link chose."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chosen = _chosen(request, "lang", LANGUAGES) or accepted(request.headers.get("Accept-Language", ""))
        request.language = chosen  # type: ignore[attr-defined]
        request.theme = _chosen(request, "theme", THEMES) or "auto"  # type: ignore[attr-defined]
        with translation.override(DJANGO_CODE[chosen]):
            response = self.get_response(request)
        for name, allowed in (("lang", LANGUAGES), ("theme", THEMES)):
            if (value := request.GET.get(name)) in allowed:
                response.set_cookie(name, value, max_age=YEAR_S, samesite="Lax", httponly=True)
        response.headers.setdefault("Content-Language", chosen)
        patch_vary_headers(response, ["Cookie", "Accept-Language"])
        return response
