"""Look something up among causes, claims and cases: as you type, and without JavaScript."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from kb import lookup
from kb.documents import WHATS, Document
from kb.language import language
from kb.models import MissedSearch
from kb.present.words import WORDS
from kb.search import LONGEST_QUERY, Filters
from probes.vocabulary.engine import ENGINES

ALLOWED = {
    "what": WHATS, "kind": tuple(WORDS["kind"]), "engine": ENGINES[:-1], "verdict": tuple(WORDS["claim"]),
    "measured": ("yes", "no"),
}  # fmt: skip
_VERSION = re.compile(r"v?(\d{1,4}(?:\.\w{1,8}){0,4})")


def _asked(request: HttpRequest) -> tuple[str, dict[str, str]]:
    """The words and the filters of an address; what is no value of a filter is none."""
    words = request.GET.get("q", "").replace("\x00", " ").strip()[:LONGEST_QUERY]
    chosen = {name: value for name in ALLOWED if (value := request.GET.get(name)) in ALLOWED[name]}
    if (gpu := request.GET.get("gpu")) in lookup.gpus():
        chosen["gpu"] = gpu
    if version := _VERSION.fullmatch(request.GET.get("version", "").strip()):
        chosen["version"] = version[1]
    return words, chosen


def _address(words: str, chosen: dict[str, str]) -> str:
    query = urlencode({name: value for name, value in ({"q": words} | chosen).items() if value})
    return f"{reverse('search')}?{query}"


def _link(document: Document) -> str:
    """Where it is read: an example or a report at its entry."""
    match document.what:
        case "entry":
            return reverse("entry", args=[document.name])
        case "claim":
            return reverse("claim", args=[document.name])
    slug, _, example = document.name.partition("/")
    if not example:
        return reverse("case", args=[slug])
    return reverse("entry", args=[slug]) + (f"#{example}" if example.startswith("report-") else "")


def _context(request: HttpRequest) -> dict[str, Any]:
    words, chosen = _asked(request)
    results = lookup.search(words, language(), Filters(**chosen), request.user, request.session.session_key)
    narrowed = {name: value for name, value in chosen.items() if name != "what"}
    tabs = [("", sum(results.counts.values()), _address(words, narrowed))]
    tabs += [(what, results.counts.get(what, 0), _address(words, narrowed | {"what": what})) for what in WHATS]
    return {
        "q": words, "chosen": chosen, "results": results, "hits": [(hit, _link(hit.document)) for hit in results.found],
        "shown_of": results.counts.get(chosen.get("what", ""), tabs[0][1]), "tabs": tabs, "total": tabs[0][1],
        "kinds": WORDS["kind"], "verdicts": WORDS["claim"], "engines": ALLOWED["engine"], "gpus": lookup.gpus(), "address": _address(words, chosen),
    }  # fmt: skip


def search(request: HttpRequest) -> HttpResponse:
    """`q` searches; `what`, `kind`, `engine`, `gpu`, `version`, `verdict` and `measured` narrow down."""
    context = _context(request)
    if context["results"].nothing_fits:
        MissedSearch.objects.note(context["q"], language())
    return render(request, "kb/search.html", context)


def results(request: HttpRequest) -> HttpResponse:
    """Fragment: the results while somebody types; the address of the page follows."""
    context = _context(request)
    response = render(request, "kb/_results.html", context)
    response["HX-Replace-Url"] = context["address"]
    return response


@require_POST
def missed(request: HttpRequest) -> HttpResponse:
    """Words that stood for a while and found nothing: nobody types on."""
    words = request.POST.get("missed", "")[:LONGEST_QUERY]
    found = lookup.search(words, language(), Filters(), request.user, request.session.session_key)
    if found.nothing_fits:
        MissedSearch.objects.note(words, language())
    return HttpResponse(status=204)


urlpatterns = [
    path("search/", search, name="search"),
    path("search/results/", results, name="search-results"),
    path("search/missed/", missed, name="search-missed"),
]
