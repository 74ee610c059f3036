"""One probe run: plan, steps, results, raw readings, charts; cancelling; the bundle to carry away."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, diagnose, recording
from kb.language import language
from kb.models import Run


def _context(run: Run) -> dict[str, object]:
    return {
        "run": run,
        "document": run.host.probe_document(run.probe),
        "raw": json.dumps(run.raw, ensure_ascii=False, indent=2) if run.raw else "",
        "missing": [{"zh": zh, "en": en} for zh, en in run.missing],
    }


def run(request: HttpRequest, run_id: str) -> HttpResponse:
    return render(request, "kb/run.html", _context(access.readable_run(request, run_id)))


def run_part(request: HttpRequest, run_id: str) -> HttpResponse:
    """Fragment: the run as it stands; it asks for itself again while the run is open."""
    return render(request, "kb/_run.html", _context(access.readable_run(request, run_id)))


@require_POST
def run_cancel(request: HttpRequest, run_id: str) -> HttpResponse:
    found = access.readable_run(request, run_id)
    try:
        diagnose.cancel(found, request.user)
    except diagnose.NotAllowed as refusal:
        messages.error(request, getattr(refusal, language()))
    return redirect(found.case.get_absolute_url() + "#checks") if found.case else redirect("run", found.pk)


def run_bundle(request: HttpRequest, run_id: str) -> HttpResponse:
    """Everything that the run brought, as JSON to carry away and judge again."""
    found = access.readable_run(request, run_id)
    result = {
        "probe": found.probe, "outcome": found.outcome, "reason_zh": found.reason_zh, "reason_en": found.reason_en,
        "facts": found.facts, "raw": found.raw, "series": found.series, "missing": found.missing,
        "started_at": found.started_at.isoformat() if found.started_at else "", "seconds": found.seconds or 0.0,
    }  # fmt: skip
    bundle = {
        "format": recording.FORMAT, "version": recording.VERSION, "host": found.host.name,
        "made_at": found.created_at.isoformat(), "origin": f"run {found.pk}", "results": [result],
    }  # fmt: skip
    response = JsonResponse(bundle, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="{found.probe}-{found.pk}.json"'
    return response


urlpatterns = [
    path("runs/<uuid:run_id>/", run, name="run"),
    path("runs/<uuid:run_id>/part/", run_part, name="run-part"),
    path("runs/<uuid:run_id>/cancel/", run_cancel, name="run-cancel"),
    path("runs/<uuid:run_id>/bundle.json", run_bundle, name="run-bundle"),
]
