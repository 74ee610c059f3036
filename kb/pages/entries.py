"""Browse the causes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode

from kb import library
from kb.entry_file import EntryFile
from kb.present.words import WORDS

FREQUENCY_ORDER = ("common", "usual", "rare")


def _wanted(entry: EntryFile, kind: str, symptom: str) -> bool:
    return kind in ("", entry.kind) and (not symptom or symptom in entry.symptoms_of)


def entries(request: HttpRequest) -> HttpResponse:
    """`kind` and `symptom` narrow down; an address with `q`, as it was once, leads to the look-up."""
    query, kind, symptom = (request.GET.get(name, "").strip() for name in ("q", "kind", "symptom"))
    if query:
        return redirect(f"{reverse('search')}?{urlencode({'q': query, 'what': 'entry'})}")
    knowledge = library.knowledge()
    kept = [entry for entry in knowledge.entries if _wanted(entry, kind, symptom)]
    groups = [(name, [entry for entry in kept if entry.frequency == name]) for name in FREQUENCY_ORDER]
    context = {
        "kind": kind, "symptom": symptom, "groups": groups, "count": len(kept),
        "kinds": WORDS["kind"], "symptoms": WORDS["symptom"],
    }  # fmt: skip
    return render(request, "kb/entries.html", context)


urlpatterns = [path("entries/", entries, name="entries")]
