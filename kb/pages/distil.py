"""A thread, from paste to claims: its posts with what they say marked, and the lines to decide beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from kb import access, distilling, uploads
from kb.claim_curation import Faults
from kb.diagnose import NotAllowed
from kb.distil import MAX_CHARS, MAX_POSTS, TooLong
from kb.language import language
from kb.models import Claim, Digest, DigestLine, Entry, Thread
from kb.models.digest import PART
from kb.present.digest import pieces
from kb.present.words import WORDS, Word

TEXTS, CODES = ("statement", "reason"), ("en", "zh")
SHOWS: dict[str, tuple[Word, Callable[[DigestLine], bool]]] = {
    "all": (Word("", "", "全部", "all"), lambda line: True),
    "open": (Word("", "", "待定", "to decide"), lambda line: line.is_open),
    "known": (Word("", "", "已知", "known"), lambda line: line.claim is not None),
    "wrong": (Word("", "", "已知有误", "known to be wrong"), lambda line: line.is_known_wrong),
    "new": (Word("", "", "新说法", "new"), lambda line: line.claim is None),
}
PROBLEMS = {
    "empty": ("框里还是空的。请贴上帖子全文，或附上一个文本文件。", "The box is empty. Paste the thread, or attach a text file."),
    "not-text": ("这个文件不是文本。请附上帖子的文本。", "That file is no text. Attach the text of the thread."),
    "too-large": ("文件太大。请只留下要拆解的楼层。", "The file is too large. Cut it to the posts that matter."),
}  # fmt: skip


def _say(zh: str, en: str) -> str:
    return zh if language() == "zh" else en


def _sent(request: HttpRequest, name: str) -> str:
    """A field of a form; PostgreSQL neither stores nor looks for NUL."""
    return request.POST.get(name, "").replace("\x00", "").strip()


def distil(request: HttpRequest) -> HttpResponse:
    """The box to paste a thread into, and the digests made so far."""
    access.require(request, distilling.RIGHT)
    if request.method != "POST":
        return _start(request)
    sent = request.POST
    try:
        parts = [sent.get("text", ""), uploads.read(request.FILES.getlist("file"))]
        text = "\n\n".join(part for part in parts if part.strip())
        if not text:
            raise uploads.Refused("empty", 400)
        return redirect(distilling.begin(text, sent.get("title", ""), sent.get("source", ""), request.user))
    except uploads.Refused as refusal:
        return _start(request, PROBLEMS[refusal.problem], refusal.status)
    except TooLong as refusal:
        return _start(request, (refusal.zh, refusal.en), 413)


def _start(request: HttpRequest, problem: tuple[str, str] | None = None, status: int = 200) -> HttpResponse:
    digests = Digest.objects.counted().select_related("by").defer("posts")
    context = {
        "own": digests.filter(by=request.user), "others": digests.exclude(by=request.user), "problem": problem,
        "typed": request.POST, "max_chars": f"{MAX_CHARS:,}", "max_posts": f"{MAX_POSTS:,}",
    }  # fmt: skip
    return render(request, "kb/distil.html", context, status=status)


def digest(request: HttpRequest, pk: int) -> HttpResponse:
    """`show` narrows the lines down; `page` counts parts of a long thread; `line` opens the part where that line stands."""
    access.require(request, distilling.RIGHT)
    found = get_object_or_404(Digest.objects.select_related("by", "thread"), pk=pk)
    lines = list(found.lines.select_related("claim", "entry", "became", "draft", "by"))
    show = request.GET.get("show", "")
    show = show if show in SHOWS else "all"
    shown = [line for line in lines if SHOWS[show][1](line)]
    pager = _part(found, shown, request.GET)
    context = {
        "digest": found, "shows": [(name, word, sum(map(fits, lines))) for name, (word, fits) in SHOWS.items()], "show": show,
        "lines": [line for line in shown if _part_of(found, line.post_numbers[0]) == pager.number], "pager": pager,
        "posts": _marked(pager.object_list, shown), "threads": Thread.objects.all(),
        "known_count": found.lines.known().count(), **_progress(found),
    }  # fmt: skip
    return render(request, "kb/digest.html", context)


def _part(digest: Digest, lines: list[DigestLine], asked: Any) -> Any:
    """The posts of the part asked for: by its number, by a line, or by a post that a line stands in."""
    pager = Paginator(digest.posts, PART)
    wanted = next((line for line in lines if str(line.pk) == asked.get("line")), None)
    if wanted is None:
        return pager.get_page(asked.get("page"))
    post = next((number for number in wanted.post_numbers if str(number) == asked.get("post")), wanted.post_numbers[0])
    return pager.get_page(_part_of(digest, post))


def _part_of(digest: Digest, post: int) -> int:
    return digest.place_of(post) // PART + 1


def _marked(posts: Any, lines: list[DigestLine]) -> list[dict[str, Any]]:
    """The posts with the quotes of these lines told apart."""
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for line in lines:
        for place in line.said:
            spans[place["post"]].append((place["start"], place["end"], line.pk))
    return [post | {"pieces": pieces(post["text"], spans.pop(post["number"], []))} for post in posts]


def _progress(digest: Digest) -> dict[str, int]:
    counted = Digest.objects.counted().get(pk=digest.pk)
    return {"line_count": counted.line_count, "open_count": counted.open_count}


@require_POST
def digest_decide(request: HttpRequest, pk: int) -> HttpResponse:
    """`action`: accept-known, thread (of which the new claims become part) or discard."""
    access.require(request, distilling.RIGHT)
    found = get_object_or_404(Digest, pk=pk)
    match request.POST.get("action"):
        case "accept-known":
            count = distilling.accept_known(found, request.user)
            messages.success(request, _say(f"已接受 {count} 条。", f"Accepted {count} lines."))
        case "thread":
            distilling.keep_in(found, Thread.objects.filter(slug=_sent(request, "thread")).first(), request.user)
        case "discard":
            distilling.discard(found, request.user)
            return redirect("distil")
        case _:
            raise Http404
    return redirect(found)


DECISIONS: dict[str, Callable[..., DigestLine]] = {
    "accept": distilling.accept, "reject": distilling.reject, "reopen": distilling.reopen,
}  # fmt: skip


def digest_line(request: HttpRequest, pk: int, line: int) -> HttpResponse:
    """A line; `action` decides it."""
    found = _line(request, pk, line)
    if request.method != "POST":
        return _answer(request, found) if request.htmx else redirect(found)
    if request.POST.get("action") not in DECISIONS:
        raise Http404
    return _decided(request, found, DECISIONS[request.POST["action"]])


def digest_line_edit(request: HttpRequest, pk: int, line: int) -> HttpResponse:
    """A line in other words: `action` save keeps it, draft begins an entry with it."""
    found = _line(request, pk, line)
    if request.method != "POST":
        return _form(request, found, distilling.content(found)) if found.is_open else _answer(request, found)
    if request.POST.get("action") == "draft":
        return _decided(request, found, distilling.draft)
    typed = _typed(request)
    return _decided(request, found, lambda *of: distilling.edit(of[0], typed, *of[1:]), typed)


def _typed(request: HttpRequest) -> dict[str, Any]:
    names = [f"{name}_{code}" for name in TEXTS for code in CODES]
    entry = _sent(request, "entry")
    texts = {name: _sent(request, name) for name in (*names, "kind", "verdict", "known")}
    return texts | {"entries": [entry] if entry else []}


def _line(request: HttpRequest, pk: int, line: int) -> DigestLine:
    access.require(request, distilling.RIGHT)
    rows = DigestLine.objects.select_related("digest", "claim", "entry", "became", "draft", "by")
    return get_object_or_404(rows, pk=line, digest=pk)


def _decided(
    request: HttpRequest, line: DigestLine, decide: Callable[..., DigestLine], typed: dict[str, Any] | None = None
) -> HttpResponse:
    """The line as it is afterwards; what was typed is kept where it could not be stored."""
    edition = request.POST.get("edition", "")
    try:
        decided = decide(line, request.user, int(edition) if edition.isdecimal() and len(edition) < 10 else -1)
    except distilling.Overtaken:
        return _overtaken(request, _line(request, line.digest_id, line.pk), typed)
    except Faults as wrong:
        return _form(request, line, typed or {}, faults=wrong.by_field)
    except NotAllowed as refusal:
        if typed is not None:
            return _form(request, line, typed, notice=(refusal.zh, refusal.en))
        return _answer(request, line, notice=(refusal.zh, refusal.en))
    if decided.draft and request.POST.get("action") == "draft":
        return _away(request, decided)
    return _answer(request, _line(request, line.digest_id, line.pk), moved=True)


def _away(request: HttpRequest, line: DigestLine) -> HttpResponse:
    """On to the draft that was begun."""
    target = redirect("draft-edit", line.draft_id)
    return HttpResponseClientRedirect(target.url) if request.htmx else target


def _overtaken(request: HttpRequest, line: DigestLine, typed: dict[str, Any] | None) -> HttpResponse:
    who = str(line.by or "–")
    notice = (
        f"{who} 刚刚处理了这一条；你的决定没有保存。",
        f"{who} decided this line in between; your decision was not stored.",
    )
    if typed is not None:
        return _form(request, line, typed, notice=notice)
    return _answer(request, line, notice=notice)


def _answer(
    request: HttpRequest, line: DigestLine, *, notice: tuple[str, str] | None = None, moved: bool = False
) -> HttpResponse:
    """The line alone for htmx, else the page at its line."""
    if not request.htmx:
        if notice:
            messages.error(request, _say(*notice))
        return redirect(line)
    context = {"digest": line.digest, "line": line, "notice": notice, "moved": moved, "swapped": True}
    return render(request, "kb/_digest_answer.html", context | _progress(line.digest))


def _form(
    request: HttpRequest, line: DigestLine, content: dict[str, Any], *, faults: Any = None, notice: Any = None
) -> HttpResponse:
    context = {
        "digest": line.digest, "line": line, "content": content, "faults": faults or {}, "notice": notice, "editing": True,
        "texts": TEXTS, "codes": CODES, "kinds": WORDS["claim-kind"], "verdicts": WORDS["claim"],
        "entries": Entry.objects.published(), "claims": Claim.objects.all(),
    }  # fmt: skip
    if request.htmx:  # htmx shows an answer only where it is a success
        return render(request, "kb/_digest_line.html", context)
    return render(request, "kb/digest_line.html", context, status=422 if faults or notice else 200)


urlpatterns = [
    path("distil/", distil, name="distil"),
    path("distil/<int:pk>/", digest, name="digest"),
    path("distil/<int:pk>/decide/", digest_decide, name="digest-decide"),
    path("distil/<int:pk>/lines/<int:line>/", digest_line, name="digest-line"),
    path("distil/<int:pk>/lines/<int:line>/edit/", digest_line_edit, name="digest-line-edit"),
]
