"""A draft: what it changes, what it would change on past cases, what people say of it, and the decision."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, curation, impact, library
from kb.difference import side_by_side
from kb.entry_file import as_yaml
from kb.entry_form import checked
from kb.entry_merge import merge
from kb.language import language
from kb.models import Revision


def _found(request: HttpRequest, pk: int) -> Revision:
    access.require(request, curation.SUGGEST)
    return get_object_or_404(Revision.objects.select_related("entry", "base", "author", "decided_by"), pk=pk)


def draft(request: HttpRequest, pk: int) -> HttpResponse:
    """`?impact=1` also ranks the past cases with it, for a browser without JavaScript."""
    revision = _found(request, pk)
    form = checked(revision.body)
    base = revision.base.body if revision.base else {}
    context: dict[str, Any] = {
        "revision": revision, "faulty": form.wrong, "whole": form.errors, "sound": form.file is not None,
        "rows": side_by_side(as_yaml(base) if base else "", as_yaml(revision.body)),
        "may_edit": revision.may_edit(request.user), "may_publish": request.user.has_perm(curation.PUBLISH),
        "comments": revision.comments.select_related("author"),
    }  # fmt: skip
    if revision.stale:
        context |= _three_ways(revision, base)
    if "impact" in request.GET and form.file:
        context |= {"impact": impact.of_publishing(form.file), "knowledge": library.knowledge()}
    return render(request, "kb/draft.html", context)


def _three_ways(revision: Revision, base: dict[str, Any]) -> dict[str, Any]:
    """What was published since the draft was begun, and what both changed."""
    newest = revision.entry.newest
    _, conflicts = merge(base, newest.body, revision.body)
    return {
        "newest": newest,
        "theirs": side_by_side(as_yaml(base) if base else "", as_yaml(newest.body)),
        "clashes": conflicts,
    }


def draft_impact(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that says which past cases would rank differently."""
    file = checked(_found(request, pk).body).file
    if file is None:
        raise Http404
    context = {"impact": impact.of_publishing(file), "knowledge": library.knowledge()}
    return render(request, "kb/_impact.html", context)


@require_POST
def draft_decide(request: HttpRequest, pk: int) -> HttpResponse:
    """`action`: submit, publish, reject (`why`), rebase, comment (`text`) or discard."""
    revision = _found(request, pk)
    try:
        return _done(request, revision, request.POST.get("action", ""))
    except curation.NotAllowed as refusal:
        messages.error(request, refusal.zh if language() == "zh" else refusal.en)
        return redirect(revision)


def _done(request: HttpRequest, revision: Revision, action: str) -> HttpResponse:
    match action:
        case "submit":
            curation.submit(revision, request.user)
        case "publish":
            return redirect("entry", curation.publish(revision, request.user).slug)
        case "reject":
            curation.reject(revision, request.user, request.POST.get("why", ""))
        case "comment":
            curation.comment(revision, request.user, request.POST.get("text", ""))
        case "discard":
            curation.discard(revision, request.user)
            return redirect("review")
        case "rebase":
            merged = curation.rebase(revision, request.user)
            if merged.conflicts:
                return redirect("draft-edit", merged.pk)
        case _:
            raise Http404
    return redirect(revision)


urlpatterns = [
    path("drafts/<int:pk>/", draft, name="draft"),
    path("drafts/<int:pk>/impact/", draft_impact, name="draft-impact"),
    path("drafts/<int:pk>/decide/", draft_decide, name="draft-decide"),
]
