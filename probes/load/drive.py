"""Sends a load and notes what came back: open or closed loop, warm-up first. The edge.

Nothing but the clock decides when an open loop sends: connections are unlimited, and how late each request was sent is noted,
as is how busy and how late the client itself was.
"""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from probes.load.arrivals import Arrivals, times
from probes.load.latency import Stream, figures
from probes.load.prompts import Ask
from probes.load.wire import Wire, understood

# How often the client looks at its own clock, and by how much the system rounds a timer up (epoll: a millisecond).
LOOK_S, TICK_S = 0.005, 0.0011
# A client of a closed loop tries again after a failure as late as a person would, instead of spinning against a dead server.
AFTER_FAILURE_S = 0.5
Progress = Callable[[float, int, int], None]


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked, and how.

    Attributes:
        chat: /v1/chat/completions instead of /v1/completions.
        extra: further keys of the body (sampling, adapter, response format).
        timeout_s: of one request.
    """

    url: str
    model: str
    chat: bool = True
    api_key: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    timeout_s: float = 600.0

    @property
    def path(self) -> str:
        return "/v1/chat/completions" if self.chat else "/v1/completions"

    def body(self, ask: Ask) -> bytes:
        said = {"messages": [{"role": "user", "content": ask.prompt}]} if self.chat else {"prompt": ask.prompt}
        fixed = {
            "model": self.model, "max_tokens": ask.tokens, "temperature": 0, "ignore_eos": True, "stream": True,
            "stream_options": {"include_usage": True},
        }  # fmt: skip
        return json.dumps(fixed | said | self.extra, ensure_ascii=False).encode()


@dataclass(slots=True)
class Request:
    """One request of the load, times in seconds since the load began.

    Attributes:
        scheduled: when it was to be sent. sent: when it was.
        connect_s: what a new connection took before that, 0 on a kept one.
        figures: of `probes.load.latency.figures`; error: why it failed, "" if it did not.
        texts: when text arrived.
    """

    scheduled: float
    sent: float
    connect_s: float
    status: int
    error: str
    figures: dict[str, Any]
    texts: list[float]


@dataclass(slots=True)
class Load:
    """What a load brought.

    Attributes:
        seconds: how long requests were sent.
        lags: by how much the client's clock tick was late, s. cpu_share: of one core that the client used.
    """

    seconds: float
    requests: list[Request]
    lags: list[float]
    cpu_share: float


def drive(
    target: Target, arrivals: Arrivals, asks: Iterator[Ask], seconds: float, *, warm_up: int = 1, seed: int = 0,
    progress: Progress = lambda share, sent, ended: None,
) -> Load:  # fmt: skip
    """Load the target for `seconds`; requests on the way are waited for. Ctrl-C ends it, and gives what was measured.

    Args:
        asks: taken in turn; there must be enough.
        warm_up: requests before, one after the other, that do not count.
        progress: called about every second with the share of the time, requests sent and ended; may raise to break off.
    """
    return asyncio.run(_drive(target, arrivals, asks, seconds, warm_up, seed, progress))


async def _drive(
    target: Target, arrivals: Arrivals, asks: Iterator[Ask], seconds: float, warm_up: int, seed: int, progress: Progress
) -> Load:
    wire = Wire(target.url, target.api_key)
    sender = _Sender(target, wire, asks, seconds)
    try:
        for _ in range(warm_up):
            await sender.send(0.0, counts=False)
        gc.collect()
        gc.disable()  # a collection stops the clock of every stream
        sender.begin()
        cpu = time.process_time()
        offsets = times(arrivals, seconds, seed) if arrivals.kind != "closed" else []
        sending = asyncio.create_task(_open(sender, offsets) if offsets else _closed(sender, arrivals.clients))
        watch = asyncio.create_task(sender.watch(progress))
        watch.add_done_callback(lambda _: sending.cancel())  # it only ends when it was told to break off
        with suppress(ValueError, NotImplementedError, RuntimeError):  # only the main thread gets signals
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, sending.cancel)
        try:
            await sending
        except asyncio.CancelledError:
            if watch.done():
                watch.result()
            seconds = min(seconds, sender.now())
        spent, took = time.process_time() - cpu, sender.now()
        watch.cancel()
        return Load(seconds, sorted(sender.requests, key=lambda request: request.sent), sender.lags, spent / took)
    finally:
        gc.enable()
        wire.close()


class _Sender:
    """Sends requests and keeps what came of them."""

    def __init__(self, target: Target, wire: Wire, asks: Iterator[Ask], seconds: float) -> None:
        self.target, self.wire, self.asks, self.seconds = target, wire, asks, seconds
        self.requests: list[Request] = []
        self.lags: list[float] = []
        self.sent = 0
        self._began = time.perf_counter()

    def begin(self) -> None:
        self._began = time.perf_counter()

    def now(self) -> float:
        return time.perf_counter() - self._began

    def is_over(self) -> bool:
        return self.now() >= self.seconds

    async def send(self, scheduled: float, *, counts: bool = True) -> bool:
        """Send the next request; whether it was answered."""
        body = self.target.body(next(self.asks))
        self.sent += counts
        answer = await self.wire.post(self.target.path, body, self.target.timeout_s)
        stream = await understood(answer)
        if counts:
            self.requests.append(
                _request(stream, scheduled, answer.sent - self._began, answer.connect_s, answer.status)
            )
        return not stream.error

    async def watch(self, progress: Progress) -> None:
        """Notes how late the client's own clock ticks, and reports."""
        due, reported = self.now() + LOOK_S, 0.0
        while True:
            await asyncio.sleep(max(0.0, due - self.now()))
            now = self.now()
            self.lags.append(max(0.0, now - due - TICK_S))
            due = now + LOOK_S
            if now - reported >= 1.0:
                reported = now
                progress(min(1.0, now / self.seconds), self.sent, len(self.requests))


def _request(stream: Stream, scheduled: float, sent: float, connect_s: float, status: int) -> Request:
    return Request(
        scheduled, sent, connect_s, status, "" if stream.cut and stream.texts else stream.error, figures(stream),
        [sent + at for at, _ in stream.texts],
    )  # fmt: skip


async def _open(sender: _Sender, offsets: list[float]) -> None:
    async with asyncio.TaskGroup() as group:
        for offset in offsets:
            if (wait := offset - sender.now()) > 0:
                await asyncio.sleep(wait)
            group.create_task(sender.send(offset))


async def _closed(sender: _Sender, clients: int) -> None:
    async def client() -> None:
        while not sender.is_over():
            if not await sender.send(sender.now()):
                await asyncio.sleep(AFTER_FAILURE_S)

    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
