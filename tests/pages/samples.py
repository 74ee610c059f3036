"""A site with something on every page, for the tests of the pages and for the pictures of them."""

from __future__ import annotations

import datetime as dt
import math

from django.utils import timezone

from kb import diagnose
from kb.judgement import Submission
from kb.knowledge import shipped
from kb.models import Case, Claim, Entry, Host, Run, Thread
from tests import cast

# Enough for a ranking; all of them would be read anew by every test.
ENTRIES = (
    "eager-mode",
    "pcie-link",
    "cpu-offload",
    "quant-slow-kernel",
    "oom-kv-max-model-len",
    "tp-overhead",
    "driver-cuda-mismatch",
)
SLOW = Submission(
    text="Two L40S, vLLM 0.8.5, Qwen2.5-32B AWQ. One request gets 6 tok/s and both GPUs idle at 20%. Is this normal?",
    command="vllm serve Qwen/Qwen2.5-32B-Instruct-AWQ --tensor-parallel-size 2 --enforce-eager --max-model-len 16384",
    log="WARNING: CUDA graph is not supported with enforce_eager\nINFO: KV cache size: 120,000 tokens",
)
HOSTILE = Submission(text='<script>alert(1)</script> "><img src=x onerror=alert(2)> vLLM on RTX 4090 is slow, 3 tok/s')

# A thread as somebody copies it: the question, replies that repeat each other, one that quotes, one in another language.
THREAD = """#1 mira
vLLM 0.8.5 on two L4 cards gives 3 tok/s with Qwen2.5-7B GPTQ. The load takes two minutes. nvidia-smi shows 15% utilisation.

#2 jon
Run on one card and compare. Also check whether --enforce-eager is set: it turns CUDA graphs off.

#3 kim
> Run on one card and compare.
I did, on one card I get 28 tok/s. Check whether CPU offload is on.

#4 老王
先用单卡跑，对比一下。我这边去掉 --enforce-eager 之后从 20 涨到 61 tok/s。

#5 lee
Set --gpu-memory-utilization 0.95, it made mine twice as fast. Check whether CPU offload is on.

#6 sam
Changing --gpu-memory-utilization did nothing here. A riser cable that trains at x1 was the reason for me.
"""


def documents() -> list[dict]:
    """What a worker offers: one probe of each mode, with parameters of each type."""
    gpu, inventory, stream, bandwidth = (
        cast.document(name) for name in ("gpu.state", "host.inventory", "decode.single_stream", "gpu.bandwidth")
    )
    gpu |= {"zh": "GPU 状态", "en": "GPU state", "zh_about": "读取频率、功耗、温度与 PCIe 链路。",
            "en_about": "Reads clocks, power, temperature and the PCIe link."}  # fmt: skip
    inventory |= {"zh": "主机清单", "en": "Host inventory"}
    stream |= {
        "zh": "单路生成速度", "en": "Speed of one stream", "mode": "active", "seconds": 20.0, "limit_s": 120.0,
        "zh_about": "向引擎发送一个流式请求。", "en_about": "Sends one streamed request to the engine.",
        "yields": ["decode.tokens_per_s"],
        "parameters": {"properties": {
            "engine": {"type": "string"}, "tokens": {"type": "integer", "minimum": 16, "maximum": 2048, "default": 256},
            "greedy": {"type": "boolean", "default": True}, "style": {"enum": ["chat", "completion"]},
        }},
    }  # fmt: skip
    bandwidth |= {"zh": "显存带宽", "en": "Memory bandwidth", "mode": "disruptive", "seconds": 8.0, "limit_s": 60.0}
    return [inventory, gpu, stream, bandwidth]


def thread() -> Thread:
    made = Thread.objects.create(
        slug="two-cards-slow", title_en="Two cards, 7B, slow", title_zh="双卡 7B 很慢",
        about_en="A 7B model on two cards, a few tokens a second.", about_zh="两张卡跑 7B，每秒几个 token。",
    )  # fmt: skip
    for number, (verdict, _) in enumerate(Claim.Verdict.choices):
        claim = Claim.objects.create(
            thread=made, key=f"T1-{number}", kind="fix", verdict=verdict, said_by=number + 1,
            statement_en="Run on one card and compare.", statement_zh="先用单卡跑，对比一下。",
            reason_en="A 7B in 4 bits fits one card.", reason_zh="4 位的 7B 放得进一张卡。",
            check_en="Measure one stream with and without.", check_zh="分别测单路速度。",
            sources=["vLLM 0.8.5 documentation"],
        )  # fmt: skip
        claim.entries.set(Entry.objects.all()[:2])
    return made


def _run(case: Case | None, host: Host, probe: str, **fields) -> Run:
    return Run.objects.create(
        case=case, host=host, probe=probe, expires_at=timezone.now() + dt.timedelta(minutes=5), **fields
    )


def runs(case: Case | None, host: Host) -> list[Run]:
    """Runs that ended in several ways, and one that still runs."""
    now = timezone.now()
    fact = {
        "name": "gpu.temperature_c", "value": 84.0, "origin": "probe", "source": "gpu.state", "subject": "gpu:0",
        "quote": "GPU Current Temp: 84 C", "at": now.isoformat(),
    }  # fmt: skip
    speed = fact | {
        "name": "decode.tokens_per_s",
        "value": 6.4,
        "source": "decode.single_stream",
        "subject": "",
        "quote": "",
    }
    wave = [(float(second), 6.4 + 1.5 * math.sin(second / 3)) for second in range(60)]
    return [
        _run(case, host, "host.inventory", state="done", outcome="no_data", reason_en="This container may not read /proc/cpuinfo.",
             reason_zh="容器内不能读取 /proc/cpuinfo。", seconds=0.4, ended_at=now),
        _run(case, host, "gpu.state", state="done", outcome="ok", facts=[fact], seconds=1.2, ended_at=now,
             raw={"gpus": [{"temperature": 84}]}, missing=[["PCIe 链路", "the PCIe link"]]),
        _run(case, host, "decode.single_stream", state="done", outcome="ok", facts=[speed], seconds=21.0, ended_at=now,
             series={"decode.tokens_per_s": wave}, parameters={"tokens": 256}),
        _run(case, host, "gpu.bandwidth", state="running", progress=0.4, step_en="copying 4 GiB, round 3 of 8",
             step_zh="复制 4 GiB，第 3/8 轮", started_at=now),
    ]  # fmt: skip


def site() -> dict[str, object]:
    """Entries, a thread, a host, a case with runs; by name."""
    for slug in ENTRIES:
        Entry.store(shipped().by_slug[slug])
    thread()
    host = Host.objects.create(name="gpu-box-01", public_key="-", catalogue=documents(), last_seen=timezone.now())
    host.engines.create(
        address="127.0.0.1:8000", name="vllm", version="0.8.5", served_model="qwen32b", seen_at=timezone.now()
    )
    case = diagnose.submit(SLOW, "en", session_key="somebody")
    made = runs(case, host)
    diagnose.rerank(case, "measured by decode.single_stream", "decode.single_stream 的测量")
    return {"host": host, "case": case, "runs": made}
