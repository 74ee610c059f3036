"""Writing an entry: the form of a new draft, of a saved one, and the parts of it that follow what is typed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, curation, library
from kb.alike import nearest
from kb.difference import Line, side_by_side
from kb.entry_file import as_yaml
from kb.entry_form import checked, fields, normal, read, read_condition, rearranged
from kb.language import language
from kb.models import Entry, EntryVersion, Revision
from probes.vocabulary import fact_types
from probes.vocabulary.engine import ENGINES

ROW_ACTIONS = ("add", "remove", "up")


def _say(zh: str, en: str) -> str:
    return zh if language() == "zh" else en


def _typed(request: HttpRequest) -> dict[str, Any]:
    """What the form says, with the row removed whose button was pressed."""
    sent = request.POST.copy()
    if dropped := sent.get("drop"):
        for key in [key for key in sent if key.startswith(f"{dropped}.")]:
            del sent[key]
    return read(sent)


def entry_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change a published entry: a draft of one's own that begins as the newest version."""
    access.require(request, curation.SUGGEST)
    entry = get_object_or_404(Entry, slug=slug)
    base = entry.newest
    if request.method == "POST":
        base = EntryVersion.objects.filter(entry=entry, pk=_number(request.POST.get("base"))).first() or base
        return _posted(request, None, entry, base)
    return _page(request, normal(entry.file), entry=entry, base=base)


def draft_new(request: HttpRequest) -> HttpResponse:
    """A cause that no entry describes yet."""
    access.require(request, curation.SUGGEST)
    if request.method == "POST":
        return _posted(request, None, None, None)
    start = {
        "signatures": [],
        "rules": [{}],
        "fixes": [{}],
        "sources": [{}],
        "examples": [{"lang": "en"}, {"lang": "zh"}],
    }
    return _page(request, start)


def draft_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Go on with a draft, with what is still wrong beside each field."""
    access.require(request, curation.SUGGEST)
    revision = get_object_or_404(Revision.objects.select_related("entry", "base"), pk=pk)
    if not revision.may_edit(request.user):
        return redirect(revision)
    if request.method == "POST":
        return _posted(request, revision, revision.entry, revision.base)
    return _page(request, revision.body, revision=revision, entry=revision.entry, base=revision.base, wrong=True)


def _posted(
    request: HttpRequest, revision: Revision | None, entry: Entry | None, base: EntryVersion | None
) -> HttpResponse:
    body, reason = _typed(request), request.POST.get("reason", "")
    where: dict[str, Any] = {"revision": revision, "entry": entry, "base": base, "reason": reason}
    if "save" not in request.POST:
        for action in ROW_ACTIONS:
            if target := request.POST.get(action):
                body = rearranged(body, action, target)
        return _page(request, body, **where, wrong="check" in request.POST)
    try:
        if revision is None:
            revision = curation.begin(entry, body, reason, request.user, base)
        else:
            edition = _number(request.POST.get("edition"))
            revision = curation.save(revision, body, reason, request.user, edition)
    except curation.Overtaken:
        revision.refresh_from_db()
        theirs = side_by_side(as_yaml(revision.body), as_yaml(body))
        return _page(request, body, **where, wrong=True, overtaken=theirs)
    except curation.NotAllowed as refusal:
        messages.error(request, _say(refusal.zh, refusal.en))
        return _page(request, body, **where, wrong=True)
    return _saved(request, revision)


def _saved(request: HttpRequest, revision: Revision) -> HttpResponse:
    """To the draft where it is sound, else back to the form: everything typed is kept either way."""
    if checked(revision.body).file is None:
        messages.warning(
            request,
            _say(
                "草稿已保存，但还有需要改正的地方；改好后才能送审。",
                "The draft is saved; some fields are still wrong and must be mended before review.",
            ),
        )
        return redirect("draft-edit", revision.pk)
    messages.success(request, _say("草稿已保存。", "The draft is saved."))
    return redirect(revision)


def _page(
    request: HttpRequest,
    body: dict[str, Any],
    *,
    revision: Revision | None = None,
    entry: Entry | None = None,
    base: EntryVersion | None = None,
    reason: str | None = None,
    wrong: bool = False,
    overtaken: list[Line] | None = None,
) -> HttpResponse:
    form = checked(body)
    shown = form.fields if wrong else fields(body)
    context = {
        "fields": shown, "faulty": form.wrong if wrong else [], "whole": form.errors if wrong else [],
        "revision": revision, "entry": entry, "base": base, "fixed_slug": entry is not None, "overtaken": overtaken,
        "reason": reason if reason is not None else (revision.reason if revision else ""),
        "facts": fact_types().values(), "engines": ENGINES, "slugs": library.knowledge().by_slug.values(),
        "sources": _source_ids(body),
    }  # fmt: skip
    return render(request, "kb/entry_edit.html", context)


def _source_ids(body: dict[str, Any]) -> list[str]:
    return [str(source["id"]) for source in body.get("sources", []) if isinstance(source, dict) and source.get("id")]


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else -1


@require_POST
def entry_part(request: HttpRequest) -> HttpResponse:
    """The sentence of a condition, or a text as it will look, of the form as it stands."""
    access.require(request, curation.SUGGEST)
    part = request.POST.get("part", "")
    if request.POST.get("as") == "sentence":
        return render(request, "kb/_form_sentence.html", {"data": read_condition(request.POST, part)})
    texts = {code: request.POST.get(f"{part}.{code}", "") for code in ("en", "zh")}
    return render(request, "kb/_form_markdown.html", texts)


@require_POST
def entry_alike(request: HttpRequest) -> HttpResponse:
    """The entries nearest to what is typed, so that nobody writes a second one that says the same."""
    access.require(request, curation.SUGGEST)
    alike = nearest(library.knowledge(), _typed(request), but=request.POST.get("entry", ""))
    return render(request, "kb/_alike.html", {"alike": alike})


urlpatterns = [
    path("entries/<slug:slug>/edit/", entry_edit, name="entry-edit"),
    path("drafts/new/edit/", draft_new, name="draft-new"),
    path("drafts/<int:pk>/edit/", draft_edit, name="draft-edit"),
    path("drafts/part/", entry_part, name="entry-part"),
    path("drafts/alike/", entry_alike, name="entry-alike"),
]
