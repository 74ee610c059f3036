"""An inference server that only pretends: /metrics of a chosen scenario, streamed answers of a chosen shape.

Counters move by a fixed step with every scrape, so that the means of any window are known exactly.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REQUESTS_A_SCRAPE = 10


@dataclass(frozen=True)
class Load:
    """What the metrics say: gauges, and what each finished request adds."""

    running: float = 4
    waiting: float = 0
    kv: float = 0.35
    preemptions: int = 0
    errors: int = 0
    ttft: float = 0.12
    tpot: float = 0.012
    queue: float = 0.01
    hit_rate: float = 0.6
    prompt: int = 512
    output: int = 128
    requests: int = REQUESTS_A_SCRAPE


SCENARIOS: dict[str, Load] = {
    "healthy": Load(),
    "kvfull": Load(running=48, waiting=22, kv=0.985, preemptions=6, ttft=3.5, tpot=0.06, queue=2.8, prompt=4096),
    "queue": Load(running=8, waiting=40, ttft=6.0, tpot=0.03, queue=5.5),
    "preempt": Load(running=64, waiting=6, kv=0.97, preemptions=15, tpot=0.11, queue=0.6),
    "errors": Load(errors=3),
    "decode_slow": Load(tpot=0.18),
    "prefix_low": Load(running=16, hit_rate=0.01, prompt=4096),
    "idle": Load(running=0, kv=0, requests=0),
    "v0names": Load(),
    "imbalance": Load(),
    "resets": Load(),
}
HISTOGRAMS = {
    "time_to_first_token_seconds": "ttft", "inter_token_latency_seconds": "tpot", "request_queue_time_seconds": "queue",
    "request_prompt_tokens": "prompt", "request_generation_tokens": "output",
}  # fmt: skip
OLD_NAMES = {
    "kv_cache_usage_perc": "gpu_cache_usage_perc", "inter_token_latency_seconds": "time_per_output_token_seconds",
    "prefix_cache_queries_total": "gpu_prefix_cache_queries_total", "prefix_cache_hits_total": "gpu_prefix_cache_hits_total",
}  # fmt: skip
SGLANG = {
    "num_running_reqs": 12, "num_queue_reqs": 30, "token_usage": 0.97, "gen_throughput": 420.0, "cache_hit_rate": 0.02,
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How an answer is streamed. Times in seconds.

    usage: "end" (a last event without choices), "cont" (with every chunk), "inline" (with the last chunk), "none".
    per_chunk: tokens a chunk. coalesce: chunks a write. empty: chunks without text first. stall: after the third chunk.
    """

    ttft: float = 0.08
    gap: float = 0.01
    per_chunk: int = 1
    coalesce: int = 1
    early_role: bool = False
    empty: int = 0
    usage: str = "end"
    stall: float = 0.0
    status: int = 200
    reasoning: bool = False


@dataclass
class MockEngine:
    """What the handler reads; tests change it between requests."""

    scenario: str = "healthy"
    shape: Shape = field(default_factory=Shape)
    only_chat: bool = False
    scrapes: int = 0
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def metrics(self) -> str:
        self.scrapes += 1
        if self.scenario == "sglang":
            return "".join(
                f'# TYPE sglang:{name} gauge\nsglang:{name}{{model_name="m"}} {value}\n'
                for name, value in SGLANG.items()
            )
        lines: list[str] = []
        for replica in range(2 if self.scenario == "imbalance" else 1):
            load = SCENARIOS.get(self.scenario, Load())
            if self.scenario == "imbalance":
                load = replace(
                    load, **({"running": 30, "waiting": 20, "kv": 0.95} if replica == 0 else {"running": 1, "kv": 0.05})
                )
            lines += self._vllm(load, f'engine="{replica}",model_name="m"')
        text = "\n".join(lines) + "\n"
        if self.scenario == "v0names":
            for new, old in OLD_NAMES.items():
                text = text.replace(f"vllm:{new}", f"vllm:{old}")
        return text.replace("vllm:", "vllm:v9_") if self.scenario == "renamed" else text

    def _vllm(self, load: Load, labels: str) -> list[str]:
        finished = 400 + load.requests * (self.scrapes % 2 if self.scenario == "resets" else self.scrapes)
        moved = finished - 400
        steps = moved // load.requests if load.requests else 0
        counters = {
            "num_preemptions_total": load.preemptions * steps, "prompt_tokens_total": finished * load.prompt,
            "generation_tokens_total": finished * load.output, "prefix_cache_queries_total": finished * load.prompt,
            "prefix_cache_hits_total": finished * load.prompt * load.hit_rate,
        }  # fmt: skip
        gauges = {
            "num_requests_running": load.running, "num_requests_waiting": load.waiting, "kv_cache_usage_perc": load.kv,
        }  # fmt: skip
        lines = [f"vllm:{name}{{{labels}}} {float(value)}" for name, value in (counters | gauges).items()]
        for reason, count in (("stop", finished - load.errors * steps), ("error", load.errors * steps)):
            lines.append(f'vllm:request_success_total{{finished_reason="{reason}",{labels}}} {float(count)}')
        for name, attribute in HISTOGRAMS.items():
            lines.append(f"vllm:{name}_count{{{labels}}} {float(finished)}")
            # The past was ten times slower, so that a total over the server's life gives a wrong mean.
            lines.append(f"vllm:{name}_sum{{{labels}}} {getattr(load, attribute) * (4000 + moved)}")
        return lines


@contextmanager
def mock_engine(**settings: Any) -> Iterator[MockEngine]:
    """A running mock on a free port of loopback."""
    engine = MockEngine(**settings)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(engine))
    server.daemon_threads = True
    engine.address = f"127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield engine
    finally:
        server.shutdown()
        server.server_close()


def _handler(engine: MockEngine) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Silent."""

        def do_GET(self) -> None:
            if self.path == "/v1/models":
                return self._answer(
                    json.dumps({"data": [{"id": "m", "root": "m", "parent": None, "max_model_len": 8192}]})
                )
            if self.path != "/metrics":
                return self._answer("{}", 404)
            if engine.scenario == "http500":
                return self._answer("boom", 500)
            fixed = {"empty": "", "html": "<!doctype html><p>gateway</p>", "foreign": "node_load1 0.5\n"}
            return self._answer(fixed[engine.scenario] if engine.scenario in fixed else engine.metrics())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            engine.asked.append(self.path)
            chat = "chat" in self.path
            if engine.shape.status != 200 or (engine.only_chat and not chat):
                message = json.dumps({"error": {"message": "mock failure"}})
                return self._answer(message, 404 if engine.shape.status == 200 else engine.shape.status)
            return self._stream(engine.shape, chat, body["max_tokens"])

        def _answer(self, text: str, status: int = 200) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, shape: Shape, chat: bool, tokens: int) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                for wait, events in pieces(shape, chat, tokens):
                    time.sleep(wait)
                    self.wfile.write(b"".join(f"data: {event}\n\n".encode() for event in events))
                    self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                return
            self.close_connection = True

    return Handler


def pieces(shape: Shape, chat: bool, tokens: int) -> Iterator[tuple[float, list[str]]]:
    """Waits and the events written together after each."""
    if chat and shape.early_role:
        yield 0.0, [_event(chat, "", role=True)]
    yield shape.ttft, []
    for _ in range(shape.empty):
        yield 0.0, [_event(chat, "")]
        yield 0.05, []
    held: list[str] = []
    waits, done, chunk = 0.0, 0, 0
    while done < tokens:
        step = min(shape.per_chunk, tokens - done)
        done, chunk = done + step, chunk + 1
        counts = shape.usage == "cont" or (shape.usage == "inline" and done == tokens)
        held.append(_event(chat, " tok" * step, done if counts else None, reasoning=shape.reasoning and chunk < 4))
        if chunk % shape.coalesce == 0 or done == tokens:
            yield waits, held
            held, waits = [], 0.0
        waits += shape.gap * step + (shape.stall if chunk == 3 else 0.0)
    if shape.usage == "end":
        yield 0.0, [json.dumps({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": tokens}})]
    yield 0.0, ["[DONE]"]


def _event(chat: bool, text: str, count: int | None = None, *, role: bool = False, reasoning: bool = False) -> str:
    delta = {"role": "assistant"} if role else {"reasoning_content" if reasoning else "content": text}
    choice = {"index": 0, "delta": delta} if chat else {"index": 0, "text": text}
    usage = {} if count is None else {"usage": {"prompt_tokens": 7, "completion_tokens": count}}
    return json.dumps({"choices": [choice]} | usage)
