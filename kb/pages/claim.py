"""One claim: its verdict and why, the measurements that bear on it, how the verdict changed; and its form."""

from __future__ import annotations

import math
import uuid
from itertools import zip_longest
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, claim_curation, track_record
from kb.diagnose import NotAllowed
from kb.difference import side_by_side
from kb.entry_file import as_yaml
from kb.language import language
from kb.models import Case, Claim, ClaimVersion, Entry, Evidence, Run
from kb.present.words import WORDS

TEXTS = ("statement", "reason", "check")


def _say(zh: str, en: str) -> str:
    return zh if language() == "zh" else en


def claim(request: HttpRequest, key: str) -> HttpResponse:
    found = get_object_or_404(Claim.objects.select_related("thread"), key=key)
    entries = [entry for entry in found.entries.all() if entry.status == Entry.Status.PUBLISHED]
    context = {
        "claim": found, "entries": entries, "history": _history(found),
        "evidence": found.evidence.select_related("by", "run", "case"),
        "records": [(entry, record) for entry in entries if not (record := track_record.of(entry)).is_empty],
        "measured_sources": [(e, s) for e in entries for s in e.file.sources if s.kind == "measurement"],
        "speaks": WORDS["speaks"],
    }  # fmt: skip
    return render(request, "kb/claim.html", context)


def _history(found: Claim) -> list[dict[str, Any]]:
    """The versions, newest first, each with the verdict before it and what changed."""
    versions = list(found.editions.select_related("author"))
    rows = []
    for newer, older in zip_longest(versions, versions[1:]):
        was = older.content if older else None
        rows.append({
            "version": newer, "verdict": newer.content["verdict"], "was": was and was["verdict"],
            "rows": side_by_side(as_yaml(was), as_yaml(newer.content)) if was else [],
        })  # fmt: skip
    return rows


def claim_edit(request: HttpRequest, key: str) -> HttpResponse:
    access.require(request, claim_curation.CURATE)
    found = get_object_or_404(Claim, key=key)
    if request.method != "POST":
        return _form(request, found, found.content)
    content, reason, edition = _typed(request.POST), request.POST.get("reason", ""), request.POST.get("edition", "")
    try:
        number = int(edition) if edition.isdecimal() and len(edition) < 10 else -1
        return redirect(claim_curation.change(found, content, reason, request.user, number))
    except claim_curation.Faults as wrong:
        return _form(request, found, content, reason=reason, faults=wrong.by_field)
    except claim_curation.Overtaken:
        theirs = side_by_side(as_yaml(found.content), as_yaml(content))
        return _form(request, found, content, reason=reason, theirs=theirs)
    except NotAllowed as refusal:
        messages.error(request, _say(refusal.zh, refusal.en))
        return _form(request, found, content, reason=reason)


def _typed(sent: QueryDict) -> dict[str, Any]:
    content: dict[str, Any] = {
        f"{name}_{code}": sent.get(f"{name}_{code}", "").strip() for name in TEXTS for code in ("en", "zh")
    }
    said_by = sent.get("said_by", "")
    return content | {
        "kind": sent.get("kind", ""), "verdict": sent.get("verdict", ""), "versions": sent.get("versions", "").strip()[:200],
        "said_by": int(said_by) if said_by.isdecimal() and len(said_by) < 7 else 0,
        "sources": [text.strip() for text in sent.getlist("source") if text.strip()],
        "entries": [slug for slug in sent.getlist("entry") if slug],
    }  # fmt: skip


def _form(
    request: HttpRequest, found: Claim, content: dict[str, Any], *, reason: str = "",
    faults: Any = None, theirs: Any = None,
) -> HttpResponse:  # fmt: skip
    context = {
        "claim": found, "content": content, "reason": reason, "faults": faults or {}, "theirs": theirs, "texts": TEXTS, "codes": ("en", "zh"),
        "sources": [*content["sources"], "", ""], "chosen": [*content["entries"], ""], "entries": Entry.objects.published(),
        "verdicts": WORDS["claim"], "kinds": WORDS["claim-kind"],
    }  # fmt: skip
    return render(request, "kb/claim_edit.html", context, status=422 if faults else 200)


@require_POST
def claim_decide(request: HttpRequest, key: str) -> HttpResponse:
    """`action`: evidence (add), drop (`evidence`), restore (`version`, `reason`)."""
    found = get_object_or_404(Claim, key=key)
    try:
        match request.POST.get("action", ""):
            case "evidence":
                claim_curation.add_evidence(found, request.user, **_measured(request.POST))
            case "drop":
                rows = Evidence.objects.filter(claim=found)
                claim_curation.remove_evidence(get_object_or_404(rows, pk=_number(request, "evidence")), request.user)
            case "restore":
                version = get_object_or_404(ClaimVersion, claim=found, edition=_number(request, "version"))
                claim_curation.restore(version, request.user, request.POST.get("reason", ""))
            case _:
                raise Http404
    except claim_curation.Faults as wrong:
        messages.error(request, " ".join(_say(*said) for said in wrong.by_field.values()))
    except NotAllowed as refusal:
        messages.error(request, _say(refusal.zh, refusal.en))
    return redirect(found)


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def _measured(sent: QueryDict) -> dict[str, Any]:
    """The fields of a measurement; `link` is the address of a run or a case of this site.

    Raises:
        NotAllowed: the figure is no number, or the link leads nowhere.
    """
    figure, link = sent.get("value", "").strip(), sent.get("link", "").strip()
    try:
        value = float(figure) if figure else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise NotAllowed(f"“{figure[:20]}”不是数字。", f"“{figure[:20]}” is no number.")
    texts = {name: sent.get(name, "").strip()[:200] for name in ("what_en", "what_zh", "setting", "source")}
    return texts | _linked(link) | {"speaks": sent.get("speaks", ""), "value": value, "unit": sent.get("unit", "")[:20]}


def _linked(link: str) -> dict[str, Any]:
    if not link:
        return {}
    name = link.rstrip("/").rpartition("/")[2]
    if "/runs/" in link and (run := _run(name)):
        return {"run": run}
    if "/case/" in link and (case := Case.objects.filter(token=name).first()):
        return {"case": case}
    raise NotAllowed("这个链接不是本站的运行或病例。", "That link is no run or case of this site.")


def _run(name: str) -> Run | None:
    try:
        return Run.objects.filter(pk=uuid.UUID(name)).first()
    except ValueError:
        return None


urlpatterns = [
    path("claims/<slug:key>/", claim, name="claim"),
    path("claims/<slug:key>/edit/", claim_edit, name="claim-edit"),
    path("claims/<slug:key>/decide/", claim_decide, name="claim-decide"),
]
