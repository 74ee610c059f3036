"""Correcting what was understood: a person's word stands above the text, and the causes are ranked again."""

from __future__ import annotations

import math

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, diagnose
from kb.language import language
from probes.vocabulary import FactType, UnknownFactError, fact_type
from probes.vocabulary.declare import Value


def value_of(declared: FactType, text: str) -> Value:
    """What a person typed, as the fact's type.

    Raises:
        ValueError: it is no such value.
    """
    text = text.strip()
    if not text:
        raise ValueError("empty")
    if declared.kind == "bool":
        return {"true": True, "false": False}[text] if text in ("true", "false") else declared.coerce(text)
    if declared.kind in ("int", "float"):
        number = float(text.replace(",", ""))
        if not math.isfinite(number):
            raise ValueError("not a finite number")
        return declared.coerce(number)
    return declared.coerce(text[:200])


def _declared(name: str) -> FactType:
    try:
        return fact_type(name)
    except UnknownFactError:
        raise Http404 from None


@require_POST
def case_fact(request: HttpRequest, token: str) -> HttpResponse:
    """Set (`value`), remove (`action=remove`) or restore (`action=restore`) the fact `name`."""
    case = access.own_case(request, token)
    declared = _declared(request.POST.get("name", ""))
    match request.POST.get("action", "set"):
        case "remove":
            diagnose.correct_fact(case, declared.name, None)
        case "restore":
            diagnose.restore_fact(case, declared.name)
        case _:
            try:
                diagnose.correct_fact(case, declared.name, value_of(declared, request.POST.get("value", "")))
            except (ValueError, OverflowError):
                messages.error(request, _refusal(declared))
    return redirect(case.get_absolute_url() + "#understood")


def _refusal(declared: FactType) -> str:
    wanted = {
        "int": ("一个整数", "a whole number"), "float": ("一个数字", "a number"), "bool": ("是或否", "yes or no"),
        "str": ("一段文字", "a text"),
    }[declared.kind]  # fmt: skip
    if declared.choices:
        wanted = (f"其中之一：{'、'.join(declared.choices)}", f"one of {', '.join(declared.choices)}")
    if language() == "zh":
        return f"“{declared.zh}”需要{wanted[0]}；没有改动。"
    return f"“{declared.en}” takes {wanted[1]}; nothing was changed."


urlpatterns = [path("case/<slug:token>/fact/", case_fact, name="case-fact")]
