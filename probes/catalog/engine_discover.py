"""Which inference engine runs here, how it was started, what model it serves, and how its threads get their CPU.

Looks at processes, asks /version and /v1/models of what it found, and reads the model's own files. Raw, for one engine:

    {"engines": [{"engine": "vllm", "address": "127.0.0.1:8000", "argv": ["vllm", "serve", "/models/m", "--enforce-eager"],
                  "version": "0.32.0", "models": [{"id": "m", "root": "/models/m", "parent": null, "max_model_len": 4096}],
                  "checkpoint": {"dtype": "bfloat16", "shape": {"num_hidden_layers": 16}, "multimodal": false,
                                 "quant": {}, "bytes": 490817760, "elements": {"BF16": 245403648}},
                  "env": {"OMP_NUM_THREADS": "1"}, "uses_gpu": false, "allowed_cpus": 2,
                  "threads": [["VLLM::EngineCor", 98.0, 1.2]], "cores": 1.0, "run_delay_pct": 1.2, "working": true}],
     "foreign_busy_cores": 0.1, "in_container": false}

gives engine.name = vllm, engine.enforce_eager = true, engine.version = 0.32.0, model.quant = bf16, model.layers = 16, ...
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from pydantic import Field

from probes import checkpoint, processes
from probes.adapter import Adapter, adapters
from probes.context import base_url
from probes.facts import Fact
from probes.http import get, get_json
from probes.launch_flags import launch_facts
from probes.running import requests_running
from probes.scrape import NotMetricsError, parse
from probes.spec import Context, Parameters, Probe, Reading
from probes.statements import Statements, rounded

MIN_BUSY_SHARE = 0.02
"""Of one core: an engine that ran less has no share of waiting worth stating (a few wake-ups decide it)."""


class Discover(Parameters):
    seconds: float = Field(2.0, ge=0.5, le=30, description="window in which threads are watched, s")


def measure(params: Discover, context: Context) -> Reading:
    found = processes.engines()
    families = [engine.family for engine in found]
    worked_before = [_working(engine) for engine in found]
    before, clock = [processes.thread_times(family) for family in families], time.monotonic()
    busy_before, own_before = _busy_s(), time.process_time()
    context.progress(0.1, f"发现 {len(found)} 个引擎，观察线程", f"{len(found)} engines found, watching threads")
    time.sleep(params.seconds)
    window = time.monotonic() - clock
    after = [processes.thread_times(family) for family in families]
    busy = (_busy_s() - busy_before - (time.process_time() - own_before)) / window
    worked = [first and _working(engine) for engine, first in zip(found, worked_before, strict=True)]
    context.progress(0.6, "询问版本和模型", "asking for version and model")
    engines = [
        _describe(engine, family) | _cpu(first, last, window) | {"working": working}
        for engine, family, first, last, working in zip(found, families, before, after, worked, strict=True)
    ]
    seen = {engine["address"] for engine in engines}
    elsewhere = {place: _describe_listed(place, url) for place, url in context.listed.items() if place not in seen}
    engines += [described for described in elsewhere.values() if described]
    raw = {
        "engines": engines,
        "foreign_busy_cores": round(max(0.0, busy - sum(engine["cores"] or 0.0 for engine in engines)), 2),
        "in_container": processes.in_container(),
    }
    missing = [
        (f"配置里列出的引擎 {place} 没有回应。", f"The listed engine {place} does not answer.")
        for place, described in elsewhere.items()
        if not described
    ]
    if not engines and raw["in_container"]:
        missing.append(
            ("worker 在容器里，只能看到容器内的进程。", "The worker runs in a container and sees only its processes.")
        )
    return Reading(judge(raw), raw, missing=missing)


def _working(engine: processes.EngineProcess) -> bool | None:
    """Whether it works on a request right now, None if it cannot tell."""
    running = requests_running(base_url(f"127.0.0.1:{processes.port(engine)}"))
    return None if running is None else running >= 1


def _busy_s() -> float:
    times = psutil.cpu_times()
    return sum(times) - times.idle - getattr(times, "iowait", 0.0) - getattr(times, "guest", 0.0)


def _describe(engine: processes.EngineProcess, family: list[psutil.Process]) -> dict[str, Any]:
    address = f"127.0.0.1:{processes.port(engine)}"
    models = _models(base_url(address))
    return {
        "engine": engine.adapter.name, "pid": engine.process.pid, "pids": [process.pid for process in family][:64],
        "address": address, "argv": processes.without_secrets(engine.argv)[:200],
        "env": processes.environment(engine.process), "version": _version(engine.adapter, base_url(address)), "models": models,
        "checkpoint": _checkpoint(engine, models), "uses_gpu": processes.uses_gpu(family),
        "allowed_cpus": processes.allowed_cpus(family), "answers": models is not None,
    }  # fmt: skip


def _describe_listed(place: str, url: str) -> dict[str, Any] | None:
    """What an engine says of itself whose process is not seen here (a container's mapped port, another machine)."""
    models = _models(url)
    if models is None:
        return None
    adapter = _adapter_by_metrics(url)
    return {
        "engine": adapter.name if adapter else "other", "pid": None, "pids": [], "address": place, "argv": [], "env": {},
        "version": _version(adapter, url) if adapter else None, "models": models, "checkpoint": {}, "uses_gpu": None,
        "allowed_cpus": None, "answers": True, "cores": None, "run_delay_pct": None, "threads": [], "working": None,
    }  # fmt: skip


def _adapter_by_metrics(url: str) -> Adapter | None:
    """The engine whose series /metrics shows, None if that does not tell."""
    page = get(f"{url}/metrics")
    if page.status != 200:
        return None
    try:
        return adapters().get(parse(page.text).engine)
    except NotMetricsError:
        return None


def _version(adapter: Adapter, url: str) -> str | None:
    answer = get_json(url + adapter.version_path) if adapter.version_path else None
    if not isinstance(answer, dict):
        return None
    return next((str(answer[key])[:60] for key in adapter.version_keys if answer.get(key)), None)


def _models(url: str) -> list[dict[str, Any]] | None:
    """What /v1/models lists, None if it does not answer."""
    answer = get_json(f"{url}/v1/models")
    if not isinstance(answer, dict) or not isinstance(answer.get("data"), list):
        return None
    keys = ("id", "root", "parent", "max_model_len")
    return [{key: item.get(key) for key in keys} for item in answer["data"][:20] if isinstance(item, dict)]


def _checkpoint(engine: processes.EngineProcess, models: list[dict[str, Any]] | None) -> dict[str, Any]:
    named = [said.value for said in launch_facts(engine.adapter.name, engine.argv) if said.fact == "engine.model_path"]
    named += [model["root"] for model in models or [] if model.get("root") and not model.get("parent")]
    root = Path(f"/proc/{engine.process.pid}/root")
    with suppress(psutil.Error, OSError):
        environment = engine.process.environ()
        home = environment.get("HOME", "/root")
        for name in named:
            relative = Path(f"/proc/{engine.process.pid}/cwd") / str(name)
            place = checkpoint.locate(str(name), root, home, environment) or (relative if relative.exists() else None)
            if place:
                return checkpoint.read(place)
    return {}


def _cpu(before: dict[str, Any], after: dict[str, Any], window: float) -> dict[str, Any]:
    """Cores used and the share of time spent waiting for one, by thread and in all."""
    spent = []
    for thread, (name, ran, waited) in after.items():
        _, ran_before, waited_before = before.get(thread, (name, ran, waited))
        spent.append((name, (ran - ran_before) / 1e9, (waited - waited_before) / 1e9))
    ran, waited = sum(item[1] for item in spent), sum(item[2] for item in spent)
    busiest = sorted(spent, key=lambda item: item[1], reverse=True)[:8]
    return {
        "cores": round(ran / window, 3) if spent else None,
        "run_delay_pct": round(100 * waited / (ran + waited), 2) if ran > MIN_BUSY_SHARE * window else None,
        "threads": [[n, round(100 * r / window, 1), round(100 * w / window, 1)] for n, r, w in busiest if r],
    }  # fmt: skip


def judge(raw: dict[str, Any]) -> list[Fact]:
    said = Statements("engine.discover")
    if raw["engines"] or not raw["in_container"]:
        said.state("engine.running", bool(raw["engines"]))
    for engine in raw["engines"]:
        _judge_engine(said, engine)
    if raw["engines"]:
        said.state("host.foreign_busy_cores", raw.get("foreign_busy_cores"))
    return said.facts


def _judge_engine(said: Statements, engine: dict[str, Any]) -> None:
    said.subject = f"engine:{engine['address']}"
    said.state("engine.name", engine["engine"])
    said.state("engine.url", base_url(engine["address"]))
    said.state("engine.version", engine["version"])
    said.state("engine.device", {True: "gpu", False: "cpu", None: None}[engine["uses_gpu"]])
    for stated in launch_facts(engine["engine"], engine["argv"]):
        said.state(stated.fact, stated.value, quote=" ".join(engine["argv"][stated.word : stated.word + stated.words]))
    for name, value in engine["env"].items():
        said.state("engine.env", f"{name}={value}")
    _judge_models(said, engine["models"] or [])
    for name, value in checkpoint.model_values(engine["checkpoint"]).items():
        said.state(name, value)
    said.state("engine.allowed_cpus", engine["allowed_cpus"])
    # How much CPU an engine gets says something only of one that worked from the first moment to the last, and of an
    # idle one not even how long it waited: a few wake-ups decide that.
    if engine.get("working") is not False:
        said.state("engine.run_delay_pct", engine["run_delay_pct"])
    if engine.get("working"):
        said.state("engine.cpu_cores_used", rounded(engine["cores"], 2))
        said.state("engine.busiest_thread_pct", max((thread[1] for thread in engine["threads"]), default=None))
    said.subject = ""


def _judge_models(said: Statements, models: list[dict[str, Any]]) -> None:
    base = [model for model in models if not model["parent"]]
    if base:
        root = str(base[0]["root"] or base[0]["id"])
        said.state("model.name", root.rstrip("/").rsplit("/", 1)[-1] if root.startswith(("/", ".")) else root)
        said.state("engine.served_model", base[0]["id"])
        said.state("engine.max_model_len", base[0]["max_model_len"])
    if len(models) > len(base):
        said.state("model.lora", True, quote=f"adapter {models[-1]['id']}")


PROBE = Probe(
    name="engine.discover",
    zh="发现推理引擎", en="find the engines",
    zh_about="查看进程和模型文件，并询问引擎的版本和模型名；不发推理请求。",
    en_about="Looks at processes and model files and asks the engine for its version and model; sends no inference request.",
    mode="passive", seconds=4, limit_s=60,
    yields=(
        "engine.running", "engine.name", "engine.version", "engine.url", "engine.model_path", "engine.served_model",
        "engine.device", "engine.flag", "engine.env", "engine.tensor_parallel", "engine.pipeline_parallel",
        "engine.data_parallel", "engine.enforce_eager", "engine.capture_max", "engine.gpu_memory_utilization",
        "engine.max_model_len", "engine.max_num_seqs", "engine.max_num_batched_tokens", "engine.chunked_prefill",
        "engine.prefix_caching", "engine.async_scheduling", "engine.quantization_flag", "engine.dtype",
        "engine.kv_cache_dtype", "engine.cpu_offload_gib", "engine.gpu_layers", "engine.lora_enabled",
        "engine.max_lora_rank", "engine.speculative", "engine.attention_backend", "engine.kv_blocks_override",
        "engine.kv_cache_memory_gib", "engine.custom_all_reduce", "engine.threads", "engine.trust_remote_code",
        "engine.cpu_cores_used", "engine.run_delay_pct", "engine.allowed_cpus", "engine.busiest_thread_pct",
        "model.name", "model.lora", "model.params_b", "model.is_moe", "model.is_multimodal", "model.quant",
        "model.checkpoint_dtype", "model.quant_method", "model.quant_bits", "model.group_size", "model.desc_act",
        "model.max_position", "model.file_gib", "model.layers", "model.hidden", "model.kv_heads", "model.head_dim",
        "model.vocab", "host.foreign_busy_cores",
    ),
    parameters=Discover, measure=measure, judge=judge,
)  # fmt: skip
