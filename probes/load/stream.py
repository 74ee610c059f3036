"""Sends one streamed request to an engine and notes when what arrived. The edge."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from probes.http import client
from probes.load.latency import Stream

TEXT_KEYS = ("content", "reasoning_content", "reasoning")
Stop = Callable[[int], None]


def complete(
    url: str, model: str, prompt: str, tokens: int, *, chat: bool, timeout_s: float, on_text: Stop = lambda count: None
) -> tuple[int, Stream]:
    """One streamed greedy completion of exactly `tokens` tokens where the server honours ignore_eos.

    Args:
        url: base URL of the engine. chat: /v1/chat/completions instead of /v1/completions.
        timeout_s: for the whole answer.
        on_text: called with the number of chunks so far; may raise to break off.

    Returns:
        The HTTP status (0 if there was no answer) and the stream; its `error` says what went wrong.
    """
    body: dict[str, Any] = {
        "model": model, "max_tokens": tokens, "temperature": 0, "ignore_eos": True, "stream": True,
        "stream_options": {"include_usage": True},
    }  # fmt: skip
    body |= {"messages": [{"role": "user", "content": prompt}]} if chat else {"prompt": prompt}
    path = "/v1/chat/completions" if chat else "/v1/completions"
    stream, sent = Stream(), time.perf_counter()
    try:
        with client(timeout_s) as http:
            # Making the client takes tens of milliseconds, which are not the server's.
            busy, sent = _busy_s(), time.perf_counter()
            with http.stream("POST", url + path, json=body) as answer:
                if answer.status_code != 200:
                    stream.error = said(answer.read().decode("utf-8", "replace"))
                    return answer.status_code, stream
                _receive(answer, stream, sent, timeout_s, on_text)
                stream.busy = None if busy is None else (_busy_s() or busy) - busy
                return 200, stream
    except httpx.HTTPError as error:
        stream.error = f"{type(error).__name__}: {error}"[:200]
        return 0, stream
    finally:
        stream.finished = time.perf_counter() - sent


def _busy_s() -> float | None:
    """Seconds in which this thread ran or was ready to run and had no CPU, None if the kernel does not count."""
    try:
        ran, waited, _ = Path("/proc/thread-self/schedstat").read_text().split()
        return (int(ran) + int(waited)) / 1e9
    except (OSError, ValueError):
        return None


def _receive(answer: httpx.Response, stream: Stream, sent: float, timeout_s: float, on_text: Stop) -> None:
    for data, at in _events(answer, sent):
        if stream.first_event is None:
            stream.first_event = at
        try:
            event = json.loads(data)
        except ValueError:
            stream.error = "an event is not JSON"
            return
        if event.get("error"):
            stream.error = said(json.dumps(event))
            return
        note(stream, event, at)
        on_text(len(stream.texts))
        if at > timeout_s:
            stream.cut = True
            stream.error = "" if stream.texts else f"no text within {timeout_s:g} s"
            return


def _events(answer: httpx.Response, sent: float) -> Iterator[tuple[str, float]]:
    """The `data:` of each server-sent event, with the time at which its read returned."""
    pending = ""
    for part in answer.iter_text():
        at = time.perf_counter() - sent
        *lines, pending = (pending + part).split("\n")
        for line in lines:
            if line.startswith("data:"):
                data = line[5:].strip()
                if data == "[DONE]":
                    return
                yield data, at


def note(stream: Stream, event: dict[str, Any], at: float) -> None:
    """Put one event into the stream: its text, if it has any, and the server's count, if it counts."""
    characters = sum(_characters(choice) for choice in event.get("choices") or [])
    if characters:
        stream.texts.append((at, characters))
    usage = event.get("usage") or {}
    if isinstance(usage.get("completion_tokens"), int):
        stream.usage.append((at, usage["completion_tokens"]))
        stream.prompt_tokens = usage.get("prompt_tokens", stream.prompt_tokens)


def _characters(choice: dict[str, Any]) -> int:
    delta = choice.get("delta") or {}
    texts = [choice.get("text"), *(delta.get(key) for key in TEXT_KEYS)]
    for call in delta.get("tool_calls") or []:
        function = call.get("function") or {}
        texts += [function.get("name"), function.get("arguments")]
    return sum(len(text) for text in texts if isinstance(text, str))


def said(body: str) -> str:
    """The message of an error answer, or its beginning."""
    try:
        error = json.loads(body).get("error")
        return str(error.get("message") if isinstance(error, dict) else error or body)[:300]
    except (ValueError, AttributeError):
        return body[:300]
