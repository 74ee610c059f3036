"""A case: what was understood, whether it is normal, what it most likely is, what to do, and the checks."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, diagnose, library, outcomes
from kb.language import language
from kb.models import AuditEvent, Case, Outcome
from kb.present import answer, report
from kb.present.facts import areas, key_facts, marked
from kb.present.normal import panel

PARTS = {
    "symptom": ("文字描述", "Description"), "command": ("启动命令", "Launch command"),
    "log": ("日志或文件", "Log or file"), "nvidia_smi": ("nvidia-smi", "nvidia-smi"),
}  # fmt: skip
# The page shows this much of a long paste; all of it was read.
SHOWN_CHARS = 60_000


def _pasted(case: Case) -> list[dict[str, Any]]:
    """The parts of the paste, cut where facts stand in them."""
    stated = case.stated()
    return [
        {
            "zh": PARTS[name][0],
            "en": PARTS[name][1],
            "pieces": marked(text[:SHOWN_CHARS], stated, name),
            "cut": len(text) > SHOWN_CHARS,
        }
        for name, text in case.submission.parts().items()
        if text.strip()
    ]


def _answer(case: Case) -> dict[str, Any]:
    """Everything of the answer that a new measurement or correction can change."""
    found, knowledge = diagnose.assessment(case), library.knowledge()
    rankings = list(case.rankings.all())
    before = answer.shares(rankings[-2].result) if len(rankings) > 1 else {}
    leading, others = answer.causes(found, knowledge, before)
    return {
        "case": case,
        "knowledge": knowledge,
        "answer": found,
        "verdict": answer.verdict(found),
        "normal": panel(found.normal, language()),
        "leading": leading,
        "others": others,
        "fixes": answer.fixes(found),
        "history": answer.history(rankings, knowledge),
        "areas": areas(found.facts),
        "key": key_facts(found.facts),
        "removed": [name for name, value in case.corrections.items() if value is None],
        "pasted": _pasted(case),
    }


def case(request: HttpRequest, token: str) -> HttpResponse:
    found = access.readable_case(token)
    hosts = access.usable_hosts(request)
    engines = {engine.address: engine for host in hosts for engine in host.engines.all()}
    context = _answer(found) | {
        "engines": list(engines.values()) if len(engines) > 1 else [],
        "choose_engine": not found.engine and len(diagnose.engines_found(found)) > 1,
        "may_edit": access.may_edit(request, found),
        "hosts": hosts,
        "runs": found.runs.select_related("host"),
        "recorded": diagnose.recorded(found),
        "any_open": found.runs.open().exists(),
        "address": request.build_absolute_uri(found.get_absolute_url()),
    }
    return render(request, "kb/case.html", context | _outcome(request, found, context["leading"]))


def _outcome(request: HttpRequest, case: Case, leading: list[answer.Cause]) -> dict[str, Any]:
    """What the case turned out to be, or the form that asks for it."""
    outcome = Outcome.objects.select_related("entry", "by").filter(case=case).first()
    known = library.knowledge().entries
    fixes = outcome.entry.file.fixes if outcome and outcome.entry else []
    return {
        "outcome": outcome, "fixed": next((fix for fix in fixes if fix.id == outcome.fix), None) if outcome else None,
        "may_close": access.may_edit(request, case) or request.user.has_perm(outcomes.CURATE),
        "candidates": leading, "known": known, "units": Outcome.Unit.choices, "suggested": outcomes.suggested(case),
    }  # fmt: skip


def case_markdown(request: HttpRequest, token: str) -> HttpResponse:
    """The case as a text for an issue or a chat."""
    found = access.readable_case(token)
    text = report.as_markdown(
        diagnose.assessment(found),
        library.knowledge(),
        language(),
        title=found.title,
        address=request.build_absolute_uri(found.get_absolute_url()),
    )
    response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    if "download" in request.GET:
        response["Content-Disposition"] = f'attachment; filename="infermary-{found.token}.md"'
    return response


@require_POST
def case_delete(request: HttpRequest, token: str) -> HttpResponse:
    found = access.own_case(request, token)
    AuditEvent.record(request.user, "case.deleted", found.token)
    found.delete()
    messages.success(request, {"zh": "这个病例已删除。", "en": "The case is deleted."}[language()])
    return redirect("home")


urlpatterns = [
    path("case/<slug:token>/", case, name="case"),
    path("case/<slug:token>/report.md", case_markdown, name="case-markdown"),
    path("case/<slug:token>/delete/", case_delete, name="case-delete"),
]
