"""One machine: what it is, what runs on it, what its worker offers, and a form to start a probe."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, diagnose
from kb.language import language
from kb.models import Host
from kb.present import probe_form
from kb.present.facts import areas
from probes.facts import FactSet

RECENT = 20


def inventory(host: Host) -> FactSet:
    """What the latest finished inventory of the machine stated."""
    run = host.runs.filter(state="done", probe="host.inventory").last()
    return FactSet(run.measured if run else [])


def host(request: HttpRequest, host_id: str) -> HttpResponse:
    access.require(request, "kb.view_host")
    found = get_object_or_404(Host, pk=host_id)
    probes = [(doc, probe_form.fields(doc), probe_form.takes_engine(doc)) for doc in found.catalogue]
    context = {
        "host": found, "engines": found.engines.all(), "areas": areas(inventory(found)), "probes": probes,
        "runs": found.runs.select_related("case", "host").order_by("-created_at")[:RECENT],
    }  # fmt: skip
    return render(request, "kb/host.html", context)


@require_POST
def host_probe(request: HttpRequest, host_id: str) -> HttpResponse:
    """Start one probe with the parameters of its form."""
    found = access.active_host(host_id)
    name = request.POST.get("probe", "")
    try:
        document = found.probe_document(name)
        said = probe_form.parameters(document, request.POST) if document else {}
        run = diagnose.start_probe(found, name, said, request.user, engine=request.POST.get("engine", ""))
    except probe_form.WrongValue as wrong:
        texts = {"zh": f"参数 {wrong} 的值不在允许范围内。", "en": f"The value of {wrong} is not allowed."}
        messages.error(request, texts[language()])
    except diagnose.NotAllowed as refusal:
        messages.error(request, getattr(refusal, language()))
    else:
        return redirect("run", run.pk)
    return redirect("host", found.pk)


urlpatterns = [
    path("hosts/<slug:host_id>/", host, name="host"),
    path("hosts/<slug:host_id>/probe/", host_probe, name="host-probe"),
]
