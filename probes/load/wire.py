"""HTTP/1.1 to one engine, many streamed answers at once, each read stamped before it is understood. The edge.

Bytes are parsed by llhttp (httptools) and kept with the time of the read that brought them; JSON is read only after the
answer has ended, so that one stream's parsing does not delay another one's clock.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httptools

from probes.load.latency import Stream
from probes.load.stream import note, said

BODY_LIMIT = 64 * 1024 * 1024
# Events understood before other streams get their turn: about 50 us of work.
EVENTS_A_SLICE = 16


@dataclass(slots=True)
class Answer:
    """What came back, times in seconds on the monotonic clock.

    Attributes:
        sent: when the request was written. connect_s: what connecting took before that, 0 on a kept connection.
        reads: (time, bytes of the body) of each read.
        finished: the end of the body. error: why there is none, "" if there is.
    """

    sent: float = 0.0
    connect_s: float = 0.0
    status: int = 0
    reads: list[tuple[float, bytes]] = field(default_factory=list)
    size: int = 0
    finished: float = 0.0
    error: str = ""


class _Connection(asyncio.Protocol):
    """One kept-alive connection; one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.idle, self.reusable = True, True
        self._at = 0.0

    def ask(self, request: bytes) -> asyncio.Future[Answer]:
        self.idle, self._until_close = False, True
        self._parser = httptools.HttpResponseParser(self)
        self._answer = Answer()
        self._done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._answer.sent = time.perf_counter()
        self.transport.write(request)
        return self._done

    def abort(self) -> None:
        self.reusable = False
        if self.transport:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._at = time.perf_counter()
        if self.idle:  # nobody asked
            self.abort()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(f"not HTTP: {error}")

    def connection_lost(self, exc: Exception | None) -> None:
        self.reusable = False
        if self.idle:
            return
        self._at = time.perf_counter()
        if exc is None and self._answer.status and self._until_close:
            self.on_message_complete()
        else:
            self._fail(f"the connection was closed{f': {exc}' if exc else ''}")

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() in (b"content-length", b"transfer-encoding"):
            self._until_close = False

    def on_headers_complete(self) -> None:
        self._answer.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        answer = self._answer
        answer.reads.append((self._at, body))
        answer.size += len(body)
        if answer.size > BODY_LIMIT:
            self._fail("the answer is larger than 64 MiB")

    def on_message_complete(self) -> None:
        if self.idle:
            return
        self.idle = True
        self._answer.finished = self._at
        self.reusable = self.reusable and self._parser.should_keep_alive() and not self._until_close
        if not self._done.done():
            self._done.set_result(self._answer)

    def _fail(self, why: str) -> None:
        self.idle, self._answer.error, self._answer.finished = True, why, self._at
        self.abort()
        if not self._done.done():
            self._done.set_result(self._answer)


class Wire:
    """Connections to the engine at `url`: as many as there are requests at once, kept for the next ones."""

    def __init__(self, url: str, api_key: str = "") -> None:
        parts = urlsplit(url)
        self._host, self._tls = parts.hostname or "", parts.scheme == "https"
        self._port = parts.port or (443 if self._tls else 80)
        self._base = parts.path.rstrip("/")
        authorization = f"Authorization: Bearer {api_key}\r\n" if api_key else ""
        self._head = (
            f"Host: {parts.netloc.rpartition('@')[2]}\r\nContent-Type: application/json\r\n"
            f"Accept: text/event-stream\r\nUser-Agent: infermary\r\n{authorization}"
        )
        self._kept: list[_Connection] = []

    async def post(self, path: str, body: bytes, timeout_s: float) -> Answer:
        """The answer to a request; where there is none, its `error` says why. Broken off after `timeout_s`."""
        head = f"POST {self._base}{path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        request = head.encode() + body
        while kept := self._take():
            answer = await self._ask(kept, request, timeout_s)
            if answer.status or not answer.error.startswith("the connection was closed"):
                return answer  # a kept connection that the server had closed is no answer
        return await self._ask_anew(request, timeout_s)

    async def _ask_anew(self, request: bytes, timeout_s: float) -> Answer:
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(timeout_s):
                _, connection = await asyncio.get_running_loop().create_connection(
                    _Connection, self._host, self._port, ssl=ssl.create_default_context() if self._tls else None
                )
        except (OSError, TimeoutError) as error:
            now = time.perf_counter()
            return Answer(sent=begun, finished=now, error=f"cannot connect: {str(error) or type(error).__name__}")
        connected = time.perf_counter() - begun
        answer = await self._ask(connection, request, timeout_s)
        answer.connect_s = connected
        return answer

    async def _ask(self, connection: _Connection, request: bytes, timeout_s: float) -> Answer:
        done = connection.ask(request)
        timer = asyncio.get_running_loop().call_later(timeout_s, connection._fail, f"cut after {timeout_s:g} s")
        try:
            answer = await done
        except asyncio.CancelledError:
            connection.abort()
            raise
        finally:
            timer.cancel()
        if connection.reusable:
            self._kept.append(connection)
        elif connection.transport:
            connection.transport.close()
        return answer

    def _take(self) -> _Connection | None:
        while self._kept:
            connection = self._kept.pop()
            if connection.reusable:
                return connection
        return None

    def close(self) -> None:
        for connection in self._kept:
            connection.abort()
        self._kept.clear()


async def understood(answer: Answer) -> Stream:
    """The stream that an answer was, its times counted from the sending."""
    stream = Stream(finished=answer.finished - answer.sent, error=answer.error)
    stream.cut = answer.error.startswith("cut after")
    if answer.status and answer.status != 200:
        stream.error = (
            said(b"".join(part for _, part in answer.reads).decode("utf-8", "replace")) or f"HTTP {answer.status}"
        )
        return stream
    for number, (at, data) in enumerate(_events(answer)):
        if number % EVENTS_A_SLICE == 0:
            await asyncio.sleep(0)
        stream.first_event = at if stream.first_event is None else stream.first_event
        try:
            event = json.loads(data)
        except ValueError:
            stream.error = "an event is not JSON"
            break
        if not isinstance(event, dict):
            stream.error = "an event is no JSON object"
            break
        if event.get("error"):
            stream.error = said(data.decode("utf-8", "replace"))
            break
        note(stream, event, at)
    if not stream.texts and not stream.error:
        stream.error = "no text came"
    return stream


def _events(answer: Answer) -> Iterator[tuple[float, bytes]]:
    """The `data:` of each server-sent event with the time of the read that completed it; several may share one."""
    pending = b""
    for at, part in answer.reads:
        *lines, pending = (pending + part).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                data = line[5:].strip()
                if data == b"[DONE]":
                    return
                yield at - answer.sent, data
