"""How to use it, how the ranking works, and the keys."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kb import library


def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "kb/help.html", {"count": len(library.knowledge().entries)})


urlpatterns = [path("help/", help_page, name="help")]
