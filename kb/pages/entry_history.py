"""Every version of an entry: who, why, when, any two compared; restore, retire, owner and review date."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, curation
from kb.difference import side_by_side
from kb.entry_file import as_yaml
from kb.language import language
from kb.models import Entry, EntryVersion


def _found(request: HttpRequest, slug: str) -> Entry:
    entry = get_object_or_404(Entry, slug=slug)
    if entry.status != Entry.Status.PUBLISHED:
        access.require(request, curation.SUGGEST)
    return entry


def entry_history(request: HttpRequest, slug: str) -> HttpResponse:
    """`from` and `to` are the versions compared; without them, the newest with the one before it."""
    entry = _found(request, slug)
    versions = list(entry.versions.select_related("author"))
    by_id = {str(version.pk): version for version in versions}
    to = by_id.get(request.GET.get("to", ""), versions[0] if versions else None)
    before = [version for version in versions if to and version.pk < to.pk]
    since = by_id.get(request.GET.get("from", ""), before[0] if before else None)
    context = {
        "entry": entry, "versions": versions, "to": to, "since": since, "rows": _compared(since, to),
        "may_publish": request.user.has_perm(curation.PUBLISH),
    }  # fmt: skip
    return render(request, "kb/entry_history.html", context)


def _compared(since: EntryVersion | None, to: EntryVersion | None) -> list[Any]:
    return side_by_side(as_yaml(since.body), as_yaml(to.body)) if since and to else []


@require_POST
def entry_decide(request: HttpRequest, slug: str) -> HttpResponse:
    """`action`: restore (`version`, `reason`), retire (`reason`), or entrust (`owner`, `review_by`)."""
    access.require(request, curation.PUBLISH)
    entry = _found(request, slug)
    reason = request.POST.get("reason", "")
    try:
        match request.POST.get("action"):
            case "restore":
                number = request.POST.get("version", "")
                version = get_object_or_404(entry.versions, pk=number if number.isdecimal() else 0)
                curation.restore(version, request.user, reason)
            case "retire":
                curation.retire(entry, request.user, reason)
            case "entrust":
                _entrust(request, entry)
    except curation.NotAllowed as refusal:
        messages.error(request, refusal.zh if language() == "zh" else refusal.en)
    return redirect("entry-history", entry.slug)


def _entrust(request: HttpRequest, entry: Entry) -> None:
    name, day = request.POST.get("owner", "").strip(), request.POST.get("review_by", "").strip()
    owner = User.objects.filter(username=name).first()
    if name and owner is None:
        raise curation.NotAllowed(f"没有名为 {name} 的用户。", f"Nobody here is called {name}.")
    try:
        review_by = dt.date.fromisoformat(day) if day else None
    except ValueError:
        raise curation.NotAllowed("日期写成 2027-01-31 这样。", "Write the date as 2027-01-31.") from None
    curation.entrust(entry, request.user, owner, review_by)


urlpatterns = [
    path("entries/<slug:slug>/history/", entry_history, name="entry-history"),
    path("entries/<slug:slug>/decide/", entry_decide, name="entry-decide"),
]
