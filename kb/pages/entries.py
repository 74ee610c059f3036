"""Browse and search the causes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kb import library
from kb.entry_file import EntryFile
from kb.language import language
from kb.present.words import WORDS
from kb.search import search

FREQUENCY_ORDER = ("common", "usual", "rare")


def _wanted(entry: EntryFile, kind: str, symptom: str) -> bool:
    return kind in ("", entry.kind) and (not symptom or symptom in entry.symptoms_of)


def entries(request: HttpRequest) -> HttpResponse:
    """`q` searches; `kind` and `symptom` narrow down."""
    query, kind, symptom = (request.GET.get(name, "").strip() for name in ("q", "kind", "symptom"))
    knowledge = library.knowledge()
    kept = [entry for entry in knowledge.entries if _wanted(entry, kind, symptom)]
    groups = [(name, [entry for entry in kept if entry.frequency == name]) for name in FREQUENCY_ORDER]
    found = [hit for hit in search(knowledge, query, language()) if hit.entry in kept] if query else []
    context = {
        "q": query, "kind": kind, "symptom": symptom, "found": found, "groups": groups, "count": len(kept),
        "kinds": WORDS["kind"], "symptoms": WORDS["symptom"],
    }  # fmt: skip
    return render(request, "kb/entries.html", context)


urlpatterns = [path("entries/", entries, name="entries")]
