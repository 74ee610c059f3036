"""The reviewers' queue: what waits for a decision, whose drafts are open, which entries are to be read again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kb import access, curation
from kb.models import Entry, Revision


def review(request: HttpRequest) -> HttpResponse:
    access.require(request, curation.SUGGEST)
    open_ones = Revision.objects.open().select_related("entry", "author")
    context = {
        "waiting": Revision.objects.waiting().select_related("entry", "author"),
        "own": open_ones.filter(author=request.user).exclude(state=Revision.State.REVIEW),
        "others": open_ones.exclude(author=request.user).exclude(state=Revision.State.REVIEW),
        "overdue": Entry.objects.overdue().select_related("owner"),
        "retired": Entry.objects.filter(status=Entry.Status.RETIRED),
    }
    return render(request, "kb/review.html", context)


urlpatterns = [path("review/", review, name="review")]
