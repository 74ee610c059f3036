"""Asks an engine for a small page. Never follows a redirect, never reads more than its cap, never uses a proxy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

BODY_LIMIT = 4 * 1024 * 1024
"""A vLLM /metrics page has 50 KB; anything beyond 4 MiB is not one."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer; status 0 and `error` if there was none."""

    status: int
    text: str = ""
    error: str = ""


def client(timeout_s: float) -> httpx.Client:
    return httpx.Client(timeout=timeout_s, follow_redirects=False, trust_env=False)


def get(url: str, timeout_s: float = 5.0) -> Page:
    """The page at `url`, cut off at BODY_LIMIT."""
    try:
        with client(timeout_s) as http, http.stream("GET", url) as answer:
            body = b""
            for part in answer.iter_bytes():
                body += part
                if len(body) > BODY_LIMIT:
                    break
            return Page(answer.status_code, body[:BODY_LIMIT].decode("utf-8", "replace"))
    except httpx.HTTPError as error:
        return Page(0, error=f"{type(error).__name__}: {error}"[:200])


def get_json(url: str, timeout_s: float = 5.0) -> Any:
    """The JSON at `url`, None without an answer of status 200 that is JSON."""
    page = get(url, timeout_s)
    if page.status != 200:
        return None
    try:
        return httpx.Response(200, text=page.text).json()
    except ValueError:
        return None
