"""The people of the site and their roles, for administrators."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import local_operator, roles
from kb.language import language


def _administrator(request: HttpRequest) -> None:
    """Raises PermissionDenied for anybody else."""
    if not request.user.is_superuser:
        raise PermissionDenied


def people(request: HttpRequest) -> HttpResponse:
    _administrator(request)
    found = User.objects.exclude(username=local_operator.NAME).prefetch_related("groups").order_by("username")
    context = {"people": [(person, roles.role_of(person)) for person in found], "roles": roles.WORDS}
    return render(request, "kb/people.html", context)


@require_POST
def person_role(request: HttpRequest, pk: int) -> HttpResponse:
    """`role`: the one that the person has from now on."""
    _administrator(request)
    person = get_object_or_404(User.objects.exclude(username=local_operator.NAME), pk=pk)
    role = request.POST.get("role", "")
    if role not in roles.WORDS:
        raise Http404
    if person == request.user:
        messages.error(request, "自己的角色须由另一位管理员修改。" if language() == "zh"
                       else "Another administrator must change your own role.")  # fmt: skip
        return redirect("people")
    roles.grant(person, role, request.user)
    word = roles.WORDS[role][language()]
    name = person.get_username()
    messages.success(request, f"{name} 现在是{word}。" if language() == "zh" else f"{name} is {word} now.")
    return redirect("people")


urlpatterns = [
    path("people/", people, name="people"),
    path("people/<int:pk>/role/", person_role, name="person-role"),
]
