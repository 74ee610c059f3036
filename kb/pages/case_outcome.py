"""Closing a case: what it was, which fix helped and by how much; and what a curator makes of it."""

from __future__ import annotations

import math

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, outcomes
from kb.diagnose import NotAllowed
from kb.language import language
from kb.models import Case, Outcome


def _say(zh: str, en: str) -> str:
    return zh if language() == "zh" else en


def _speed(request: HttpRequest, name: str) -> float | None:
    """A number above zero, None where nothing was typed.

    Raises:
        NotAllowed: something else was typed.
    """
    text = request.POST.get(name, "").strip().replace(",", "")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise NotAllowed(
            f"“{text[:20]}”不是大于零的数字；没有保存。", f"“{text[:20]}” is no number above zero; nothing was saved."
        )
    return value


def _told(request: HttpRequest) -> outcomes.Told:
    sent = request.POST
    slug = sent.get("cause", "")
    if slug == "another":
        slug = sent.get("another", "")
    of, _, fix = sent.get("fix", "").partition("/")
    unit = sent.get("unit", "")
    return outcomes.Told(
        slug="" if slug == "none" else slug, other=sent.get("other", "") if slug == "none" else "",
        fix=fix if of == slug else "", helped={"yes": True, "no": False}.get(sent.get("helped", "")),
        before=_speed(request, "before"), after=_speed(request, "after"),
        unit=unit if unit in Outcome.Unit.values else Outcome.Unit.TOKENS, note=sent.get("note", ""),
    )  # fmt: skip


@require_POST
def case_outcome(request: HttpRequest, token: str) -> HttpResponse:
    """`action`: close, reopen, confirm, report (keep as a confirmed report) or draft (of a new entry)."""
    case = access.readable_case(token)
    try:
        return _done(request, case, request.POST.get("action", "close"))
    except NotAllowed as refusal:
        messages.error(request, _say(refusal.zh, refusal.en))
        return redirect(case.get_absolute_url() + "#outcome")


def _done(request: HttpRequest, case: Case, action: str) -> HttpResponse:
    is_own = access.may_edit(request, case)
    match action:
        case "close":
            outcomes.close(case, _told(request), request.user, is_own=is_own)
            messages.success(request, _say("已结案，谢谢。", "The case is closed, thank you."))
        case "reopen":
            outcomes.reopen(case, request.user, is_own=is_own)
        case "confirm":
            outcomes.confirm(case.outcome, request.user)
        case "report":
            report = outcomes.keep_as_report(case, request.user)
            messages.success(request, _say("已作为确认报告加入条目。", "It is now a confirmed report of the entry."))
            return redirect("entry", report.entry.slug)
        case "draft":
            return redirect("draft-edit", outcomes.draft_from(case, request.user).pk)
        case _:
            raise Http404
    return redirect(case.get_absolute_url() + "#outcome")


urlpatterns = [path("case/<slug:token>/outcome/", case_outcome, name="case-outcome")]
