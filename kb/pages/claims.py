"""Public threads, claim by claim, with a verdict, its reason and its sources."""

from __future__ import annotations

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kb.models import Claim, Thread
from kb.present.words import WORDS

FILTERS = ("thread", "verdict", "kind")


def claims(request: HttpRequest) -> HttpResponse:
    """`thread`, `verdict` and `kind` narrow down."""
    chosen = {name: request.GET.get(name, "") for name in FILTERS}
    found = Claim.objects.select_related("thread").prefetch_related("entries")
    if chosen["thread"]:
        found = found.filter(thread__slug=chosen["thread"])
    counts = Counter(found.values_list("verdict", flat=True))
    if chosen["verdict"]:
        found = found.filter(verdict=chosen["verdict"])
    if chosen["kind"]:
        found = found.filter(kind=chosen["kind"])
    context = {
        "claims": found, "threads": Thread.objects.all(), "chosen": chosen, "kinds": WORDS["claim-kind"],
        "verdicts": [(name, word, counts[name]) for name, word in WORDS["claim"].items()],
    }  # fmt: skip
    return render(request, "kb/claims.html", context)


urlpatterns = [path("claims/", claims, name="claims")]
