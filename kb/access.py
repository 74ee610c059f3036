"""Who may see and change what on the pages. A link to a case is the right to read it; changing it takes its owner."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from kb.models import Case, Host, Run


def may_edit(request: HttpRequest, case: Case) -> bool:
    return case.may_edit(request.user, request.session.session_key)


def readable_case(token: str) -> Case:
    return get_object_or_404(Case, token=token)


def own_case(request: HttpRequest, token: str) -> Case:
    """The case, for somebody who may change it.

    Raises:
        Http404: no such case. PermissionDenied: somebody else's.
    """
    case = readable_case(token)
    if not may_edit(request, case):
        raise PermissionDenied
    return case


def require(request: HttpRequest, permission: str) -> None:
    """Raises PermissionDenied without the right."""
    if not request.user.has_perm(permission):
        raise PermissionDenied


def readable_run(request: HttpRequest, run_id: str) -> Run:
    """A run of a case can be read by whoever has its link; one without a case by the operators."""
    run = get_object_or_404(Run.objects.select_related("host", "case"), pk=run_id)
    if run.case is None:
        require(request, "kb.view_run")
    return run


def active_host(host_id: str) -> Host:
    """An enrolled host; what a form sent may be anything, and PostgreSQL refuses to look for some of it."""
    if not host_id.isalnum():
        raise Http404
    return get_object_or_404(Host.objects.active(), pk=host_id)


def usable_hosts(request: HttpRequest) -> list[Host]:
    """The hosts on which this person may run the checks."""
    return list(Host.objects.active()) if request.user.has_perm("kb.run_probe") else []
