"""The launch flags and environment variables of the engines: what they mean, and in which versions they exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kb.flag_file import Flag, FlagFile, catalogue
from kb.versions import within

KINDS: dict[str, dict[str, str]] = {
    "flag": {"en": "flags", "zh": "启动参数"},
    "variable": {"en": "environment variables", "zh": "环境变量"},
    "removed": {"en": "removed ones", "zh": "已移除的"},
}
DEFAULT_ENGINE = "vllm"


@dataclass(frozen=True, slots=True)
class Row:
    """A flag as the page shows it; `default` is that of the version asked for, else the newest."""

    flag: Flag
    standing: str
    default: str
    changed: tuple[Any, ...]


def flags(request: HttpRequest) -> HttpResponse:
    """`engine` chooses the file, `q` searches in names and meanings, `kind` and `version` narrow down."""
    asked = {name: request.GET.get(name, "").strip()[:80] for name in ("engine", "q", "kind", "version")}
    file = catalogue().get(asked["engine"]) or catalogue()[DEFAULT_ENGINE]
    version = asked["version"].removeprefix("v")
    found = [flag for flag in file.flags if _wanted(flag, asked["q"], asked["kind"])]
    context = {
        "file": file, "files": list(catalogue().values()), "q": asked["q"], "kind": asked["kind"], "version": version,
        "kinds": KINDS, "rows": [_row(file, flag, version) for flag in found], "conflicts": file.conflicts,
    }  # fmt: skip
    return render(request, "kb/flags.html", context)


def _wanted(flag: Flag, query: str, kind: str) -> bool:
    """A search looks everywhere; without one the page lists what can still be passed."""
    if kind in KINDS and kind != _kind(flag):
        return False
    if not query:
        return kind in KINDS or _kind(flag) == "flag"
    words = query.lower().replace("_", "-").split()
    meaning = f"{flag.meaning.en} {flag.meaning.zh}" if flag.meaning else ""
    text = " ".join([*flag.names, meaning]).lower().replace("_", "-")
    return all(word in text for word in words)


def _kind(flag: Flag) -> str:
    return "removed" if flag.removed else "variable" if flag.is_variable else "flag"


def _row(file: FlagFile, flag: Flag, version: str) -> Row:
    newest = file.read[-1] if file.read else ""
    standing = file.standing(flag, version) if version else ""
    return Row(
        flag=flag,
        standing=standing,
        default="" if standing in ("not_yet", "removed") else flag.default(version or newest),
        changed=tuple(change for change in flag.changes if not version or within(version, f">={change.version}")),
    )


urlpatterns = [path("flags/", flags, name="flags")]
