"""The one box: paste a sentence, a command, a log, `nvidia-smi`; what is recognised shows while typing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from kb import diagnose, recording, uploads
from kb.facts import extract
from kb.facts.redact import redact
from kb.judgement import Submission
from kb.language import language
from kb.models import Case
from kb.present.facts import areas
from probes.facts import FactSet

EXAMPLES = Path(__file__).parent.parent / "examples"
RECENT = 8
# While somebody types, the head of a long text is enough to show that it was understood.
PREVIEW_CHARS = 64_000


@dataclass(frozen=True, slots=True)
class Opening:
    """An example to try: a file of the folder, its first line is the title."""

    name: str
    title: str
    text: str


def openings(code: str) -> list[Opening]:
    """The examples in a language, one a file `NAME.zh.txt` or `NAME.en.txt`."""
    found = []
    for file in sorted(EXAMPLES.glob(f"*.{code}.txt")):
        title, _, text = file.read_text("utf-8").partition("\n")
        found.append(Opening(file.name.partition(".")[0], title.strip(), text.strip()))
    return found


def _recordings() -> list[tuple[str, str]]:
    """Name and title of each shipped recording, the healthy one first."""
    titles = [(name, found.title(language())) for name, found in recording.shipped().items()]
    return sorted(titles, key=lambda item: (not item[0].endswith("-healthy"), item[0]))


def _page(request: HttpRequest, problem: str = "", text: str = "", status: int = 200) -> HttpResponse:
    recent = Case.objects.of(request.user, request.session.session_key)[:RECENT]
    context = {
        "openings": openings(language()),
        "recordings": _recordings(),
        "recent": recent,
        "problem": problem,
        "text": text,
    }
    return render(request, "kb/home.html", context, status=status)


def home(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, text=request.GET.get("text", ""))
    text = request.POST.get("text", "")
    try:
        submission = Submission(text=text, log=uploads.read(request.FILES.getlist("file")))
    except uploads.Refused as refusal:
        return _page(request, refusal.problem, text, status=refusal.status)
    if not any(part.strip() for part in submission.parts().values()):
        return _page(request, "empty", text, status=400)
    try:
        carried = recording.read(submission.log) or recording.read(text)
    except recording.Unreadable:
        return _page(request, "recording", text, status=400)
    person = language(), request.user, _session_key(request)
    return redirect(diagnose.open_recording(carried, *person) if carried else diagnose.submit(submission, *person))


def _session_key(request: HttpRequest) -> str:
    """By it a browser without an account knows its own cases again."""
    if not request.session.session_key:
        request.session.save()
    return request.session.session_key or ""


@require_POST
def open_example(request: HttpRequest, name: str) -> HttpResponse:
    """A case of one of the shipped recordings."""
    if name not in recording.shipped():
        raise Http404
    return redirect(diagnose.open_recording(recording.shipped()[name], language(), request.user, _session_key(request)))


@require_POST
def recognise(request: HttpRequest) -> HttpResponse:
    """Fragment: the facts of the text as it stands; nothing is stored."""
    text, redactions = redact(request.POST.get("text", "")[:PREVIEW_CHARS])
    facts = extract(Submission(text=text)) if text.strip() else FactSet()
    context = {"areas": areas(facts), "count": len(facts), "redactions": redactions, "text": text}
    return render(request, "kb/_recognised.html", context)


urlpatterns = [
    path("", home, name="home"),
    path("recognise/", recognise, name="recognise"),
    path("examples/<slug:name>/", open_example, name="example"),
]
