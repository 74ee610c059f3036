"""One cause, with everything that the team knows about it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path

from kb import explain, library, track_record
from kb.models import Entry

# As many of its confirmed reports are shown.
REPORTS = 30


def entry(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Entry.objects.published(), slug=slug)
    file, knowledge = found.file, library.knowledge()
    context = {
        "entry": found,
        "file": file,
        "applies": explain.condition(file.applies) if file.applies else None,
        "rules": [
            (rule, explain.condition(rule.when), explain.factor(explain.likelihood(rule.level))) for rule in file.rules
        ],
        "signatures": [(s, explain.factor(explain.likelihood(s.level))) for s in file.signatures],
        "confused": [(other, knowledge.by_slug.get(other.slug)) for other in file.confused_with],
        "backlinks": [e for e in knowledge.entries if any(c.slug == slug for c in e.confused_with)],
        "claims": found.claims.select_related("thread"),
        "versions": found.versions.count(),
        "record": track_record.of(found),
        "fixes_by_id": {fix.id: fix for fix in file.fixes},
        "reports": found.reports.order_by("-pk")[:REPORTS],
        "report_count": found.reports.count(),
    }
    return render(request, "kb/entry.html", context)


urlpatterns = [path("entries/<slug:slug>/", entry, name="entry")]
