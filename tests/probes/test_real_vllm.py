"""The probes on a real vLLM: a healthy one, and three that were started badly."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from probes import bundle
from probes.context import LocalContext
from probes.runner import run
from tests.engine.serve import load, serving
from tests.probes.asking import every, measured, values


@pytest.fixture(scope="module")
def healthy(vllm, mid_model, tmp_path_factory):
    with serving(vllm, mid_model, tmp_path_factory.mktemp("healthy") / "log") as server:
        yield server


@pytest.fixture(scope="module")
def one_at_a_time(vllm, tiny_model, tmp_path_factory):
    log = tmp_path_factory.mktemp("one") / "log"
    with serving(vllm, tiny_model, log, "--max-num-seqs", "1", VLLM_ENABLE_V1_MULTIPROCESSING="0") as server:
        yield server


@pytest.fixture(scope="module")
def little_cache(vllm, tiny_model, tmp_path_factory):
    flags = ("--num-gpu-blocks-override", "12", "--max-model-len", "512")
    log = tmp_path_factory.mktemp("cache") / "log"
    with serving(vllm, tiny_model, log, *flags, VLLM_ENABLE_V1_MULTIPROCESSING="0") as server:
        yield server


@pytest.fixture(scope="module")
def upcast_with_adapter(vllm, tiny_model, tmp_path_factory):
    adapter = tiny_model.with_name("tiny-lora")
    flags = ("--dtype", "float32", "--enable-lora", "--lora-modules", f"a={adapter}", "--no-enable-prefix-caching")
    log = tmp_path_factory.mktemp("lora") / "log"
    with serving(vllm, tiny_model, log, *flags, VLLM_ENABLE_V1_MULTIPROCESSING="0") as server:
        yield server


def test_discovery_knows_engine_flags_model_and_threads_of_a_healthy_server(healthy):
    found = measured("engine.discover", seconds=1)
    assert found.outcome == "ok"
    facts = values(found.facts, f"engine:{healthy.address}")
    assert facts["engine.name"] == "vllm"
    assert facts["engine.version"] == "0.32.0"
    assert facts["engine.device"] == "cpu"
    assert facts["engine.served_model"] == "m"
    assert facts["engine.enforce_eager"] is True
    assert facts["engine.kv_cache_memory_gib"] == 0.25
    assert facts["engine.max_model_len"] == 4096
    assert facts["model.name"] == "mid"
    assert facts["model.quant"] == "bf16"
    assert facts["model.checkpoint_dtype"] == "bfloat16"
    assert (facts["model.layers"], facts["model.hidden"], facts["model.kv_heads"]) == (16, 1024, 4)
    assert facts["model.params_b"] == pytest.approx(0.2454, rel=1e-3)
    assert facts["engine.allowed_cpus"] >= 1
    described = next(each for each in found.raw["engines"] if each["address"] == healthy.address)
    assert len(described["pids"]) >= 3  # the engine core and its worker belong to the server
    assert values(found.facts)["engine.running"] is True


def test_an_idle_server_is_called_idle_and_nothing_more(healthy):
    result = measured("engine.metrics", healthy.address, seconds=2)
    facts = values(result.facts)
    assert facts["metrics.state"] == "idle"
    assert facts["metrics.requests_running"] == 0
    assert "metrics.preemptions" not in facts
    assert "metrics.output_tokens_per_s" not in facts
    assert facts["engine.prefix_caching"] is True


def test_client_and_server_agree_on_the_speed_of_one_stream(healthy):
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(measured, "engine.metrics", healthy.address, seconds=6)
        decode = measured("decode.single_stream", healthy.address, tokens=32, runs=3)
        metrics = values(watching.result().facts)
    facts = values(decode.facts)
    assert decode.outcome == "ok"
    assert facts["decode.tokens_per_s"] == pytest.approx(1000 / facts["decode.tpot_ms"], rel=0.01)
    assert facts["decode.longest_stall_ms"] >= facts["decode.chunk_gap_p99_ms"] >= facts["decode.chunk_gap_p50_ms"]
    assert 0 < facts["latency.ttft_s"] <= facts["latency.e2e_s"]
    assert metrics["metrics.state"] == "ok"
    assert metrics["metrics.error_ratio"] == 0
    assert metrics["metrics.tpot_mean_ms"] / 3 < facts["decode.tpot_ms"] < metrics["metrics.tpot_mean_ms"] * 3


def test_a_busy_server_gives_no_speed_of_a_single_stream(healthy):
    with load(healthy, streams=3, words=60, tokens=60):
        result = measured("decode.single_stream", healthy.address, tokens=8, runs=1)
    assert result.outcome == "ok"
    assert "decode.tokens_per_s" not in values(result.facts)
    assert "other requests" in result.missing[0][1]


def test_threads_that_may_use_one_cpu_only_are_seen(healthy):
    family = [psutil.Process(healthy.pid), *psutil.Process(healthy.pid).children(recursive=True)]
    threads = {thread.id: os.sched_getaffinity(thread.id) for process in family for thread in process.threads()}
    try:
        for thread in threads:
            os.sched_setaffinity(thread, {0})
        facts = values(measured("engine.discover", seconds=0.5).facts, f"engine:{healthy.address}")
    finally:
        for thread, allowed in threads.items():
            os.sched_setaffinity(thread, allowed)
    assert facts["engine.allowed_cpus"] == 1


def test_a_worker_that_stands_still_shows_as_a_stall_that_the_median_hides(healthy):
    worker = next(p for p in psutil.Process(healthy.pid).children(recursive=True) if "Worker" in p.name())

    stopped = []

    def stop_it_once(share, zh, en):
        if "10 chunks" in en and not stopped:
            stopped.append(worker.suspend())
            threading.Timer(2, worker.resume).start()

    context = LocalContext([healthy.address], stop_it_once)
    params = {"engine": healthy.address, "tokens": 64, "runs": 1}
    facts = values(run("decode.single_stream", params, context).facts)
    assert stopped
    assert facts["decode.longest_stall_ms"] > 1500
    assert facts["decode.chunk_gap_p50_ms"] < 1000


def test_one_sequence_at_a_time_shows_as_a_queue_with_an_empty_cache(one_at_a_time):
    with load(one_at_a_time, streams=6, words=60, tokens=200):
        facts = values(measured("engine.metrics", one_at_a_time.address, seconds=4).facts)
    discovered = values(measured("engine.discover", seconds=1).facts, f"engine:{one_at_a_time.address}")
    assert discovered["engine.max_num_seqs"] == 1
    assert facts["metrics.requests_running"] <= 1
    assert facts["metrics.requests_waiting"] > 2
    assert facts["metrics.waiting_for_capacity"] > 2
    assert facts["metrics.kv_usage"] < 0.2
    assert facts["metrics.queue_mean_s"] > facts["metrics.prefill_mean_s"]
    assert facts["metrics.preemptions"] == 0


def test_a_cache_that_is_too_small_shows_as_preemptions_at_full_cache(little_cache):
    with load(little_cache, streams=16, words=100, tokens=300):
        facts = values(measured("engine.metrics", little_cache.address, seconds=6).facts)
    discovered = values(measured("engine.discover", seconds=1).facts, f"engine:{little_cache.address}")
    assert discovered["engine.kv_blocks_override"] == 12
    assert facts["engine.kv_cache_tokens"] == 12 * 128
    assert facts["metrics.preemptions"] > 0
    assert facts["metrics.preemptions_per_request"] > 0
    assert facts["metrics.kv_usage"] > 0.5
    assert facts["metrics.requests_waiting"] > 1


def test_upcast_adapter_and_switched_off_prefix_cache_show(upcast_with_adapter):
    with load(upcast_with_adapter, streams=2, words=60, tokens=100, model="a"):
        metrics = values(measured("engine.metrics", upcast_with_adapter.address, seconds=3).facts)
    result = measured("engine.discover", seconds=1)
    facts = values(result.facts, f"engine:{upcast_with_adapter.address}")
    assert (facts["engine.dtype"], facts["model.checkpoint_dtype"]) == ("float32", "bfloat16")
    assert facts["engine.lora_enabled"] is True
    assert facts["model.lora"] is True
    assert facts["engine.prefix_caching"] is False
    assert metrics["metrics.lora_running"] is True
    assert metrics["engine.prefix_caching"] is False
    assert metrics.get("metrics.prefix_queries", 0) == 0
    assert "--enable-lora" in every(result.facts, "engine.flag")


def test_what_was_measured_can_be_carried_and_judged_again(healthy, tmp_path):
    results = [measured("engine.discover", seconds=1), measured("engine.metrics", healthy.address, seconds=1)]
    bundle.save(tmp_path / "b.json", results, host="test")
    loaded = bundle.load(tmp_path / "b.json")
    assert bundle.judged_again(loaded.results) == loaded.results == results
