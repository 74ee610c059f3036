"""How fast one streamed request decodes: greedy, a fixed number of tokens, one warm-up and a few runs.

Raw:

    {"subject": "engine:127.0.0.1:8000", "endpoint": "/v1/completions", "model": "m", "running_before": 0, "running_after": 0,
     "runs": [{"ttft_s": 0.018, "first_event_s": 0.018, "e2e_s": 1.19, "tokens": 256, "tokens_by": "usage",
               "prompt_tokens": 41, "chunks": 256, "first_chunk_tokens": 1, "tpot_ms": 4.61, "gap_p50_ms": 4.6,
               "gap_p99_ms": 5.4, "stall_ms": 10.5, "tokens_per_chunk": 1.0}],
     "warm_up": {"ttft_s": 0.41}, "failed": [], "cut": false}

gives decode.tokens_per_s = 216.9, decode.tpot_ms = 4.61, latency.ttft_s = 0.018, decode.longest_stall_ms = 10.5.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from probes.context import address
from probes.facts import Fact
from probes.http import get_json
from probes.load.latency import Stream, figures, is_trusted, middle
from probes.load.stream import complete
from probes.running import requests_running
from probes.spec import Context, NoData, Parameters, Probe, Reading
from probes.statements import Statements, rounded

PROMPT = "Write a long and detailed story about a lighthouse keeper, a storm, and a ship that was lost twice. Begin:"
"""About 30 tokens: the decode is measured, not the prefill."""
WARM_UP_TOKENS = 16


class SingleStream(Parameters):
    engine: str = Field("", max_length=120, description='"host:port" of the engine; empty for the only one there is')
    model: str = Field("", max_length=200, description="served model name; empty for the first one listed")
    tokens: int = Field(128, ge=8, le=512, description="output tokens of one request")
    runs: int = Field(3, ge=1, le=5, description="measured requests, after one warm-up")
    limit_s: float = Field(60.0, ge=5, le=240, description="longest time for one request, s")


def measure(params: SingleStream, context: Context) -> Reading:
    url = context.engine_url(params.engine)
    model = params.model or _first_model(url)
    context.progress(0.0, "预热一次", "warming up")
    running = requests_running(url)
    chat, warm_up = _warm_up(url, model, params.limit_s)
    tokens = affordable(params.tokens, figures(warm_up)["tpot_ms"], params.limit_s)
    runs, failed, curve = [], [], _curve(warm_up)
    if warm_up.cut:
        runs = [figures(warm_up)]
    for number in range(0 if warm_up.cut else params.runs):
        ask = Asking(context, number, params.runs)
        status, stream = complete(
            url, model, prompt(), tokens, chat=chat, timeout_s=params.limit_s, on_text=ask.received
        )
        if stream.error or not stream.texts:
            failed.append({"status": status, "error": stream.error or "no text came"})
            continue
        runs.append(figures(stream))
        curve = _curve(stream)
    if not runs:
        raise NoData(
            f"{len(failed)} 个请求都失败了：{failed[0]['error']}。",
            f"All {len(failed)} requests failed: {failed[0]['error']}.",
        )
    raw = {
        "subject": f"engine:{address(url)}", "endpoint": "/v1/chat/completions" if chat else "/v1/completions",
        "model": model, "running_before": running, "running_after": requests_running(url), "runs": runs, "failed": failed, "cut": warm_up.cut,
        "warm_up": figures(warm_up),
    }  # fmt: skip
    return Reading(judge(raw), raw, {"characters": curve}, _missing(raw))


@dataclass(frozen=True, slots=True)
class Asking:
    """Reports the progress of one of several requests."""

    context: Context
    number: int
    runs: int

    def received(self, chunks: int) -> None:
        share = (self.number + 1) / (self.runs + 1)
        self.context.progress(
            share, f"第 {self.number + 1} 次，已收到 {chunks} 块", f"run {self.number + 1}, {chunks} chunks so far"
        )


def prompt() -> str:
    """A prompt that no prefix cache knows yet."""
    return f"Case {secrets.token_hex(4)}. {PROMPT}"


def affordable(tokens: int, tpot_ms: float | None, limit_s: float) -> int:
    """As many of the wanted tokens as a request of half the limit may take at the speed of the warm-up, at least 8."""
    return max(8, min(tokens, int(limit_s / 2 * 1000 / tpot_ms))) if tpot_ms else tokens


def _first_model(url: str) -> str:
    answer = get_json(f"{url}/v1/models")
    try:
        return str(answer["data"][0]["id"])
    except (TypeError, KeyError, IndexError):
        raise NoData(
            "引擎的 /v1/models 没有列出模型；请检查引擎是否启动完成、是否需要 API key。",
            "The engine's /v1/models lists no model; check that it has started and whether it asks for an API key.",
        ) from None


def _warm_up(url: str, model: str, limit_s: float) -> tuple[bool, Stream]:
    """One short request that is not counted; tells whether only the chat endpoint works."""
    for chat in (False, True):
        status, stream = complete(url, model, prompt(), WARM_UP_TOKENS, chat=chat, timeout_s=limit_s)
        if not stream.error and stream.texts:
            return chat, stream
        if status not in (200, 400, 404, 405, 501):
            break
    said = stream.error or f"HTTP {status}, no text"
    if status in (401, 403):
        raise NoData("引擎要求 API key，探针没有。", "The engine asks for an API key that the probe does not have.")
    raise NoData(f"预热请求失败：{said}。", f"The warm-up request failed: {said}.")


def _curve(stream: Stream) -> list[tuple[float, float]]:
    """Characters received over time, for the page."""
    total, curve = 0, []
    for at, characters in stream.texts:
        total += characters
        curve.append((round(at, 4), float(total)))
    return curve


def _missing(raw: dict[str, Any]) -> list[tuple[str, str]]:
    missing = []
    others = _others(raw)
    if others:
        missing.append((
            f"测量时引擎还在处理 {others:g} 个别的请求，所以这不是空闲时的单路速度。",
            f"The engine was working on {others:g} other requests, so this is not the speed of one stream alone.",
        ))  # fmt: skip
    if raw["cut"]:
        missing.append((
            "引擎太慢，预热请求在时限内没有答完，只用已到达的部分计算。",
            "So slow that the warm-up request did not end in time; computed from what had arrived.",
        ))  # fmt: skip
    if raw["failed"]:
        missing.append((
            f"{len(raw['failed'])} 个请求失败：{raw['failed'][0]['error']}。",
            f"{len(raw['failed'])} requests failed: {raw['failed'][0]['error']}.",
        ))  # fmt: skip
    late = sum(not is_trusted(run) for run in raw["runs"])
    if late:
        missing.append((
            f"{late} 次测量中探针自己来不及读（主机 CPU 太忙，或生成太快），时间不准，不计入。",
            f"In {late} runs the probe could not keep up with the stream (host CPU too busy, or output too fast); their times do not count.",
        ))  # fmt: skip
    if any(run["tokens_by"] == "chunks" for run in raw["runs"]):
        missing.append((
            "服务端没有返回 token 计数，按每块一个 token 估算。",
            "The server did not count its tokens; one chunk was taken as one token.",
        ))  # fmt: skip
    return missing


def _others(raw: dict[str, Any]) -> float:
    """Requests of others that the engine worked on before or after the probe's own."""
    return max(raw["running_before"] or 0, raw.get("running_after") or 0)


def judge(raw: dict[str, Any]) -> list[Fact]:
    said = Statements("decode.single_stream", raw["subject"])
    runs = [run for run in raw["runs"] if is_trusted(run)]
    tpot = middle(runs, "tpot_ms")
    alone = not _others(raw)
    if alone:
        said.state("decode.tokens_per_s", rounded(1000 / tpot if tpot else None, 2), quote=f"{len(runs)} runs")
    said.state("decode.tpot_ms", rounded(tpot))
    said.state("decode.chunk_gap_p50_ms", rounded(middle(runs, "gap_p50_ms")))
    said.state("decode.chunk_gap_p99_ms", rounded(middle(runs, "gap_p99_ms")))
    said.state("decode.longest_stall_ms", max((run["stall_ms"] for run in runs if run.get("stall_ms")), default=None))
    if all(run["tokens_by"] == "usage" for run in runs):
        said.state("decode.tokens_per_chunk", rounded(middle(runs, "tokens_per_chunk"), 2))
    said.state("latency.ttft_s", rounded(middle(runs, "ttft_s"), 4))
    said.state("latency.first_request_ttft_s", rounded(raw["warm_up"].get("ttft_s"), 4))
    said.state("latency.e2e_s", rounded(middle(runs, "e2e_s"), 4))
    return said.facts


PROBE = Probe(
    name="decode.single_stream",
    zh="单路生成速度", en="decode speed of one stream",
    zh_about="发 1 个预热请求和 3 个流式请求，每个 128 个 token，一次一个。",
    en_about="Sends one warm-up and three streamed requests of 128 tokens, one at a time.",
    mode="active", seconds=20, limit_s=300,
    yields=(
        "decode.tokens_per_s", "decode.tpot_ms", "decode.chunk_gap_p50_ms", "decode.chunk_gap_p99_ms",
        "decode.longest_stall_ms", "decode.tokens_per_chunk", "latency.ttft_s", "latency.first_request_ttft_s",
        "latency.e2e_s",
    ),
    parameters=SingleStream, measure=measure, judge=judge,
)  # fmt: skip
