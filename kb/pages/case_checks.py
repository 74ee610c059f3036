"""The checks of a case: one button to start them, live progress, cancelling."""

from __future__ import annotations

import datetime as dt

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST

from kb import access, diagnose
from kb.language import language
from kb.models import Case


def _back(case: Case) -> HttpResponse:
    return redirect(case.get_absolute_url() + "#checks")


@require_POST
def case_checks(request: HttpRequest, token: str) -> HttpResponse:
    """Start the usual checks on `host`, or the one `probe`; `engine` is an address of the host, "" lets probes find it."""
    case = access.own_case(request, token)
    host = access.active_host(request.POST.get("host", ""))
    probe, engine = request.POST.get("probe", ""), request.POST.get("engine", "")
    try:
        if probe:
            diagnose.start_probe(host, probe, {}, request.user, case=case, engine=engine)
        else:
            diagnose.start_checks(case, host, request.user, engine)
    except diagnose.NotAllowed as refusal:
        messages.error(request, getattr(refusal, language()))
    return _back(case)


def _unsettled(case: Case) -> bool:
    """Whether a run is open, or ended so lately that the new ranking may still be on its way."""
    just_now = timezone.now() - dt.timedelta(seconds=5)
    return case.runs.open().exists() or case.runs.filter(ended_at__gt=just_now).exists()


def case_runs(request: HttpRequest, token: str) -> HttpResponse:
    """Fragment: the runs as they stand. It asks for itself again while one is open, and tells the page of a new answer.

    `seen` is the revision of the answer that the page shows.
    """
    case = access.readable_case(token)
    context = {
        "case": case,
        "runs": case.runs.select_related("host"),
        "any_open": _unsettled(case),
        "may_edit": access.may_edit(request, case),
    }
    response = render(request, "kb/_runs.html", context)
    if request.GET.get("seen") != str(case.revision):
        response["HX-Trigger"] = "answer-changed"
    return response


urlpatterns = [
    path("case/<slug:token>/checks/", case_checks, name="case-checks"),
    path("case/<slug:token>/runs/", case_runs, name="case-runs"),
]
