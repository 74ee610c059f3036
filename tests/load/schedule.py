"""A server that streams by a known schedule, and notes when it really sent each chunk."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable

Shape = Callable[[int], list[tuple[float, dict]]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
MODELS = b'{"data": [{"id": "scheduled"}]}'


def text(words: str) -> dict:
    return {"choices": [{"delta": {"content": words}}]}


def usage(tokens: int) -> dict:
    return {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": tokens}}


def steady(ttft: float, gap: float) -> Shape:
    """A token a chunk: the first after `ttft` seconds, the others `gap` seconds apart."""
    return lambda n: [*((ttft + gap * k, text("w ")) for k in range(n)), (ttft + gap * (n - 1), usage(n))]


def early_role(ttft: float, gap: float) -> Shape:
    """The role comes at once, as from vLLM; it is no token."""
    return lambda n: [(0.0, {"choices": [{"delta": {"role": "assistant", "content": ""}}]}), *steady(ttft, gap)(n)]


def several(ttft: float, gap: float, each: int) -> Shape:
    """`each` tokens a chunk, as with speculative decoding."""

    def made(n: int) -> list[tuple[float, dict]]:
        chunks = n // each
        times = [ttft + gap * k for k in range(chunks)]
        return [*((at, text("w " * each)) for at in times), (times[-1], usage(n))]

    return made


def stalled(ttft: float, gap: float, at: int, stall: float) -> Shape:
    """One pause of `stall` seconds before token `at`."""

    def made(n: int) -> list[tuple[float, dict]]:
        times = [ttft + gap * k + (stall if k >= at else 0) for k in range(n)]
        return [*((when, text("w ")) for when in times), (times[-1], usage(n))]

    return made


class Server:
    """Serves one shape on a free port of loopback, in a thread of its own."""

    def __init__(self, shape: Shape) -> None:
        self.shape, self.requests = shape, 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    def _run(self) -> None:
        self._server = self._loop.run_until_complete(asyncio.start_server(self._answer, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self._ready.set()
        self._loop.run_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if head.startswith(b"GET"):
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(MODELS), MODELS))
                    continue
                length = next(
                    int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
                )
                body = json.loads(await reader.readexactly(length))
                self.requests += 1
                await self._stream(writer, self.shape(body["max_tokens"]))
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def _stream(self, writer: asyncio.StreamWriter, chunks: list[tuple[float, dict]]) -> None:
        began = time.perf_counter()
        writer.write(HEAD)
        for at, event in chunks:
            if (wait := began + at - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            self._send(writer, b"data: " + json.dumps(event).encode() + b"\n\n")
        self._send(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")

    @staticmethod
    def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(b"%x\r\n%s\r\n" % (len(data), data))
