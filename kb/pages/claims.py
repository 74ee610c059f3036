"""Public threads, claim by claim, with a verdict, its reason and its sources."""

from __future__ import annotations

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kb.models import Claim, Thread
from kb.present.words import WORDS


def claims(request: HttpRequest) -> HttpResponse:
    """`thread`, `verdict` and `kind` narrow down."""
    threads = list(Thread.objects.all())
    allowed = {"thread": [thread.slug for thread in threads], "verdict": WORDS["claim"], "kind": WORDS["claim-kind"]}
    chosen = {name: value for name in allowed if (value := request.GET.get(name)) in allowed[name]}
    found = Claim.objects.select_related("thread").prefetch_related("entries")
    if "thread" in chosen:
        found = found.filter(thread__slug=chosen["thread"])
    counts = Counter(found.values_list("verdict", flat=True))
    if "verdict" in chosen:
        found = found.filter(verdict=chosen["verdict"])
    if "kind" in chosen:
        found = found.filter(kind=chosen["kind"])
    context = {
        "claims": found, "threads": threads, "chosen": chosen, "kinds": WORDS["claim-kind"],
        "verdicts": [(name, word, counts[name]) for name, word in WORDS["claim"].items()],
    }  # fmt: skip
    return render(request, "kb/claims.html", context)


urlpatterns = [path("claims/", claims, name="claims")]
