"""Findings about serving: queue, KV cache, errors, speed, replicas, and metrics that say nothing. Pure.

Thresholds that several peers share are used where their definition is sound; each stands with its ground.
"""

from __future__ import annotations

from collections.abc import Iterator

from kb.findings.read import finding, number
from kb.judgement import Finding
from probes.facts import FactSet
from probes.roofline import model_shape

# Full: V1 counts cached blocks without a user as free, so above this running requests hold the cache themselves.
KV_FULL = 0.95
# One waiting request on average is a queue; its weight is its share of the time to the first token (0.2 and 0.5 were
# calibrated on L4 and A10G by another tool).
WAITING, QUEUE_SHARE, QUEUE_SHARE_HIGH = 1.0, 0.2, 0.5
# A preemption computes a request anew: 5% of requests is the level at which others alarm; on an H200 23 preemptions among
# 32 requests halved the throughput.
PREEMPTED = 0.05
# Others warn at 1% and alarm at 5%; a failed request is never normal, so the lower one is taken.
ERRORS = 0.01
# Busiest over idlest replica.
IMBALANCE = 2.0
# Under 10% others call the prefix cache idle; a shared prefix of 4096 tokens was worth 4.6x on an H200, and below a
# thousand tokens prefill is short (28 ms on an H200).
PREFIX_HITS, LONG_PROMPT = 0.10, 1024
# MLPerf Inference, server targets (p99): TPOT 100 ms for Llama-3.1-8B and 175 ms for Llama-3.1-405B, TTFT 2 s for 8B and
# 70B. The older 200 ms for Llama-2-70B is not used: a model six times as large has to do better.
SLOW_SMALL_MS, SLOW_LARGE_MS, SMALL_B, LARGE_B = 100.0, 175.0, 8.5, 410.0
SLOW_TTFT_S = 2.0


def state_of_metrics(facts: FactSet) -> Iterator[Finding]:
    state = str(facts.value("metrics.state") or "")
    said = {
        "idle": ("窗口内没有请求完成：空闲不等于正常，请在有负载时再测。", "No request finished in the window: idle is not the same as fine. Measure again under load."),
        "empty": ("/metrics 是空的，什么也没有测到。", "/metrics is empty, so nothing was measured."),
        "failing": ("/metrics 返回错误，什么也没有测到；先看服务日志。", "/metrics answers with an error, so nothing was measured. Look at the server's log first."),
        "foreign": ("这些指标不是推理引擎的，什么也没有测到。", "These metrics are not those of an inference engine, so nothing was measured."),
        "renamed": ("指标名与已知版本都对不上，读不出负载和速度。", "The metrics have names that no known version uses, so load and speed cannot be read."),
        "unreachable": ("连不上 /metrics，什么也没有测到。", "/metrics cannot be reached, so nothing was measured."),
    }  # fmt: skip
    if state in said:
        yield finding("not_measured", *said[state], facts, "metrics.state")
    if facts.all("metrics.unknown_series"):
        zh, en = "有些指标不认识，没有用来判断。", "Some metrics are unknown and were not used."
        yield finding("note", zh, en, facts, "metrics.unknown_series")


def counter_reset(facts: FactSet) -> Iterator[Finding]:
    if facts.value("metrics.counter_reset") is True:
        yield finding(
            "not_measured",
            "窗口内计数器归零，引擎可能重启过；跨越重启的速率不可信，请再测一个窗口，并查看是否崩溃。",
            "A counter went back to zero in the window, so the engine may have restarted. Rates across that are worthless: "
            "measure another window, and see whether it crashed.",
            facts, "metrics.counter_reset", "metrics.window_s",
        )  # fmt: skip


def asleep(facts: FactSet) -> Iterator[Finding]:
    if facts.value("metrics.engine_asleep") is True:
        yield finding(
            "not_measured",
            "引擎在休眠，不是空闲。",
            "The engine sleeps; that is not idling.",
            facts,
            "metrics.engine_asleep",
        )


def queue(facts: FactSet) -> Iterator[Finding]:
    """Requests wait although the KV cache has room, or because it is full; depth alone is not time."""
    waiting, usage = number(facts, "metrics.requests_waiting"), number(facts, "metrics.kv_usage")
    if waiting is None or waiting < WAITING or not _wait_matters(facts, waiting):
        return
    names = (
        "metrics.requests_waiting",
        "metrics.requests_running",
        "metrics.kv_usage",
        "metrics.queue_mean_s",
        "metrics.waiting_for_capacity",
    )
    if usage is None:
        yield finding(
            "abnormal",
            "请求在排队，KV cache 使用率未知。",
            "Requests wait in a queue; the KV-cache usage is unknown.",
            facts,
            *names,
        )
    elif usage >= KV_FULL:
        yield finding(
            "abnormal",
            f"KV cache 已用 {usage:.0%}，请求因放不下而排队。",
            f"The KV cache is {usage:.0%} full and requests wait for room.",
            facts,
            *names,
        )
    else:
        yield finding(
            "abnormal",
            f"请求在排队，而 KV cache 只用了 {usage:.0%}：卡住的是并发上限（max-num-seqs）、每步 token 预算等限制，不是显存。",
            f"Requests wait while the KV cache is only {usage:.0%} full: a limit such as max-num-seqs or the token budget of a step holds them, not memory.",
            facts, *names,
        )  # fmt: skip


def _wait_matters(facts: FactSet, waiting: float) -> bool:
    queued, ttft = number(facts, "metrics.queue_mean_s"), number(facts, "metrics.ttft_mean_s")
    if queued is not None and ttft:
        return queued / ttft >= QUEUE_SHARE
    running = number(facts, "metrics.requests_running")
    return running is None or waiting >= running or (number(facts, "metrics.kv_usage") or 0) >= KV_FULL


def queue_time(facts: FactSet) -> Iterator[Finding]:
    """A queue that the gauge missed between two readings still shows in the time."""
    queued, ttft = number(facts, "metrics.queue_mean_s"), number(facts, "metrics.ttft_mean_s")
    waiting = number(facts, "metrics.requests_waiting") or 0
    if queued and ttft and queued / ttft >= QUEUE_SHARE_HIGH and waiting < WAITING:
        yield finding(
            "abnormal",
            f"首 token 时间里有 {queued / ttft:.0%} 是排队。",
            f"Waiting in the queue is {queued / ttft:.0%} of the time to the first token.",
            facts, "metrics.queue_mean_s", "metrics.ttft_mean_s",
        )  # fmt: skip


def preemptions(facts: FactSet) -> Iterator[Finding]:
    count, share = number(facts, "metrics.preemptions"), number(facts, "metrics.preemptions_per_request")
    if count and (share is None or share >= PREEMPTED):
        yield finding(
            "abnormal",
            "KV cache 不够，运行中的请求被抢占后重算。",
            "The KV cache runs out: running requests are preempted and computed anew.",
            facts, "metrics.preemptions", "metrics.preemptions_per_request", "metrics.kv_usage",
        )  # fmt: skip


def errors(facts: FactSet) -> Iterator[Finding]:
    share = number(facts, "metrics.error_ratio")
    if share is not None and share >= ERRORS:
        yield finding(
            "abnormal",
            f"{share:.0%} 的请求以错误结束。",
            f"{share:.0%} of the requests ended in an error.",
            facts,
            "metrics.error_ratio",
            "metrics.requests_finished",
        )


def imbalance(facts: FactSet) -> Iterator[Finding]:
    ratio, waiting = number(facts, "metrics.engine_imbalance"), number(facts, "metrics.requests_waiting")
    if ratio is None or ratio < IMBALANCE:
        return
    kind = "abnormal" if waiting is not None and waiting >= WAITING else "not_measured"
    zh, en = (
        f"最忙的副本是最闲的 {ratio:.1f} 倍。",
        f"The busiest replica has {ratio:.1f} times the load of the idlest.",
    )
    if kind == "not_measured":
        zh, en = (
            zh + "没有请求在排队，要更长的窗口才能判断是否分配不均。",
            en + " Nothing waits, so a longer window must show whether that lasts.",
        )
    yield finding(kind, zh, en, facts, "metrics.engine_imbalance", "metrics.requests_waiting")


def decode_speed(facts: FactSet) -> Iterator[Finding]:
    """By the expectation for card and model; where it is unknown, by the server targets of MLPerf Inference."""
    state = facts.value("normal.state")
    names = (
        "normal.state",
        "normal.slowdown",
        "normal.share_of_ceiling",
        "decode.tokens_per_s",
        "decode.tpot_ms",
        "metrics.tpot_mean_ms",
    )
    if state in ("slow", "far-too-slow"):
        slower = number(facts, "normal.slowdown") or 0
        yield finding(
            "abnormal",
            f"生成速度比正常下限慢 {slower:.1f} 倍。",
            f"Generation is {slower:.1f} times slower than the low end of normal.",
            facts,
            *names,
        )
    elif state == "look-closer":
        yield finding(
            "not_measured",
            "生成速度略低于正常范围，还没有测出原因。",
            "Generation is somewhat below normal; why was not measured.",
            facts,
            *names,
        )
    elif state == "normal":
        yield finding(
            "fine", "生成速度在正常范围内。", "The generation speed is within the normal range.", facts, *names
        )
    elif state is None:
        yield from _by_targets(facts)


def _by_targets(facts: FactSet) -> Iterator[Finding]:
    time = number(facts, "metrics.tpot_mean_ms") or number(facts, "decode.tpot_ms")
    size = _size_b(facts)
    if time is None or (size is not None and size > LARGE_B) or time <= SLOW_SMALL_MS:
        return
    names = ("metrics.tpot_mean_ms", "decode.tpot_ms", "model.params_b", "model.name")
    limit = SLOW_SMALL_MS if size is not None and size <= SMALL_B else SLOW_LARGE_MS
    if time > limit:
        yield finding(
            "abnormal",
            f"每 token {time:.0f} 毫秒，超过 MLPerf 对同类服务的上限 {limit:.0f} 毫秒。",
            f"{time:.0f} ms a token is beyond what MLPerf allows a server of such models, {limit:.0f} ms.",
            facts, *names,
        )  # fmt: skip
    elif size is None:
        yield finding(
            "not_measured",
            f"每 token {time:.0f} 毫秒，不知道模型和 GPU，判断不了快慢：对 8B 太慢，对 405B 尚可。",
            f"{time:.0f} ms a token cannot be judged without model and GPU: too slow for an 8B, acceptable for a 405B.",
            facts, *names,
        )  # fmt: skip


def _size_b(facts: FactSet) -> float | None:
    """Billions of parameters, stated or by the model's name."""
    stated = number(facts, "model.params_b")
    names = [str(value) for key in ("model.name", "engine.served_model") if (value := facts.value(key))]
    return stated or next((shape.params_b for name in names if (shape := model_shape(name))), None)


def first_token(facts: FactSet) -> Iterator[Finding]:
    ttft, prompt = number(facts, "metrics.ttft_mean_s"), number(facts, "metrics.prompt_tokens_mean")
    if ttft is None or ttft <= SLOW_TTFT_S:
        return
    zh, en = (
        f"首 token 平均 {ttft:.1f} 秒，超过 MLPerf 对服务的上限 2 秒。",
        f"The first token takes {ttft:.1f} s on average, beyond the 2 s that MLPerf allows a server.",
    )
    if prompt is not None and prompt > 4 * LONG_PROMPT:
        zh, en = (
            zh + f"提示平均 {prompt:.0f} 个 token，长提示本身也要时间。",
            en + f" Prompts average {prompt:.0f} tokens, which take time by themselves.",
        )
    yield finding(
        "abnormal", zh, en, facts, "metrics.ttft_mean_s", "metrics.prompt_tokens_mean", "metrics.queue_mean_s"
    )


def prefix_cache(facts: FactSet) -> Iterator[Finding]:
    """Few hits are only a loss where prompts share a beginning, and nothing here tells that they do."""
    rate, prompt = number(facts, "metrics.prefix_hit_rate"), number(facts, "metrics.prompt_tokens_mean")
    if rate is None or rate >= PREFIX_HITS:
        return
    names = ("metrics.prefix_hit_rate", "metrics.prompt_tokens_mean", "metrics.prefix_queries")
    if prompt is not None and prompt >= LONG_PROMPT:
        yield finding(
            "not_measured",
            f"提示平均 {prompt:.0f} 个 token，前缀缓存只命中 {rate:.0%}。如果这些提示有相同的开头（系统提示、文档），就是在反复计算它；是否相同没有测过。",
            f"Prompts average {prompt:.0f} tokens and the prefix cache hits {rate:.0%}. If they share a beginning (system prompt, document), "
            "it is computed again and again; whether they do was not measured.",
            facts, *names,
        )  # fmt: skip
    else:
        yield finding(
            "note",
            f"前缀缓存命中 {rate:.0%}；提示没有共同开头时这是正常的。",
            f"The prefix cache hits {rate:.0%}, which is normal where prompts share no beginning.",
            facts,
            *names,
        )


def served(facts: FactSet) -> Iterator[Finding]:
    finished = number(facts, "metrics.requests_finished")
    if facts.value("metrics.state") == "ok" and not finished:
        yield finding(
            "not_measured",
            "窗口内没有请求完成，或不知道完成了多少。",
            "No request is known to have finished in the window.",
            facts,
            "metrics.state",
        )
    elif finished and facts.value("metrics.state") == "ok":
        zh, en = f"窗口内完成 {finished:.0f} 个请求。", f"{finished:.0f} requests finished in the window."
        yield finding("fine", zh, en, facts, "metrics.requests_finished", "metrics.window_s")


SERVING = (
    state_of_metrics, counter_reset, asleep, queue, queue_time, preemptions, errors, imbalance, decode_speed, first_token,
    prefix_cache, served,
)  # fmt: skip
