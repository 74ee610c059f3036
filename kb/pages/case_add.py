"""Adding to a case what was asked for: a log, a command, the output of a tool."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.views.decorators.http import require_POST

from kb import access, diagnose, uploads
from kb.language import language

REFUSALS = {
    "empty": ("没有新内容；请贴上文字或附上文件。", "There was nothing to add; paste a text or attach a file."),
    "not-text": ("这个文件不是文本，没有添加。", "That file is no text; nothing was added."),
    "too-large": ("文件合计超过 8 MB，没有添加。", "The files are larger than 8 MB together; nothing was added."),
}


@require_POST
def case_add(request: HttpRequest, token: str) -> HttpResponse:
    case = access.own_case(request, token)
    try:
        parts = [request.POST.get("text", ""), uploads.read(request.FILES.getlist("file"))]
        text = "\n".join(part for part in parts if part.strip())
        if not text:
            raise uploads.Refused("empty", 400)
        diagnose.add_text(case, text)
    except uploads.Refused as refusal:
        zh, en = REFUSALS[refusal.problem]
        messages.error(request, zh if language() == "zh" else en)
    return redirect(case)


urlpatterns = [path("case/<slug:token>/add/", case_add, name="case-add")]
