"""The cards while they work: utilisation, clocks, throttling, power, PCIe, who else uses them; through NVML, about 5 times a second.

Raw, one card (samples shortened to one of each column):

    {"driver": "580.159.04", "cuda": "13.0", "engine_pids": [4711], "pairs": [],
     "gpus": [{"index": 0, "name": "NVIDIA H200", "memory_total_gib": 140.4, "sm_max": 1980, "memclk_max": 3201,
               "power_limit_w": 700.0, "pcie_gen_max": 5, "pcie_width": 16, "pcie_width_max": 16,
               "processes": [[4711, 130.1]],
               "samples": {"t": [0.2], "util": [98], "mem_util": [75], "power_w": [447.0], "sm": [1980], "memclk": [3201],
                           "used_gib": [130.5], "temp": [49], "rx_kbs": [40334], "tx_kbs": [15203], "thr": [0],
                           "pcie_gen": [5], "pstate": [0]}}]}

gives gpu.utilization_pct = 98, gpu.sm_clock_ratio = 1.0, gpu.pcie_rx_gbs = 0.04, gpu.throttled_share = 0, ... of gpu:0.
"""

from __future__ import annotations

import time
from typing import Any

from pydantic import Field

from probes import nvml, processes
from probes.facts import Fact
from probes.spec import Context, NoData, Parameters, Probe, Reading
from probes.statements import Statements, mean, rounded

EVERY_S = 0.2
VALUES_LIMIT = 700
"""Samples of all cards together, so that the raw reading of eight cards stays below 64 KiB."""
BUSY_PCT = 10
"""NVML's utilisation in a sample from which on the card counts as working: clocks, throttling and the PCIe generation
of an idle card say nothing, since it lowers them to save power. Eager decoding, the lightest work seen, shows 40%."""
THROTTLE_BITS = {
    0x2: "applications_clocks", 0x4: "sw_power_cap", 0x8: "hw_slowdown", 0x10: "sync_boost", 0x20: "sw_thermal",
    0x40: "hw_thermal", 0x80: "power_brake", 0x100: "display_clocks",
}  # fmt: skip
SLOWING = 0x4 | 0x8 | 0x20 | 0x40 | 0x80
"""Bits that mean slower than the card could; the others are settings."""


class State(Parameters):
    seconds: float = Field(5.0, ge=1, le=60, description="window, s; measure while the engine works")


def measure(params: State, context: Context) -> Reading:
    with nvml.opened() as cards:
        if not cards:
            raise NoData("驱动在，但没有看到 GPU。", "The driver is there but sees no GPU.")
        every = max(EVERY_S, params.seconds * len(cards) / VALUES_LIMIT)
        columns: list[dict[str, list[Any]]] = [{"t": []} for _ in cards]
        started = time.monotonic()
        while (elapsed := time.monotonic() - started) < params.seconds:
            for card, column in zip(cards, columns, strict=True):
                column["t"].append(round(elapsed, 2))
                for name, value in nvml.sample(card).items():
                    column.setdefault(name, []).append(value)
            context.progress(elapsed / params.seconds, "采样 GPU", "sampling the GPUs")
            time.sleep(max(0.0, every - (time.monotonic() - started - elapsed)))
        described = [nvml.describe(card) | {"samples": column} for card, column in zip(cards, columns, strict=True)]
        raw = nvml.driver() | {"gpus": described, "pairs": nvml.pairs(cards), "engine_pids": _engine_pids()}
    return Reading(judge(raw), raw, _series(raw), _missing(raw))


def _engine_pids() -> list[int]:
    return [process.pid for engine in processes.engines() for process in engine.family]


def _missing(raw: dict[str, Any]) -> list[tuple[str, str]]:
    missing = []
    idle = [str(gpu["index"]) for gpu in raw["gpus"] if not busy_samples(gpu["samples"])]
    if idle:
        numbers = ", ".join(idle)
        missing.append((
            f"GPU {numbers} 在窗口内空闲：频率、降频和 PCIe 代数无从判断，请在引擎工作时再测。",
            f"GPU {numbers} idled in the window: clocks, throttling and PCIe generation cannot be judged; measure while the engine works.",
        ))  # fmt: skip
    if not raw["engine_pids"]:
        missing.append((
            "没有看到引擎进程，无法区分 GPU 上哪些进程是别人的。",
            "No engine process was seen, so the GPU's processes cannot be told apart.",
        ))  # fmt: skip
    return missing


def _series(raw: dict[str, Any]) -> dict[str, list[tuple[float, float]]]:
    return {
        f"gpu:{gpu['index']} {name}": [(t, v) for t, v in zip(gpu["samples"]["t"], gpu["samples"][name], strict=True) if v is not None]
        for gpu in raw["gpus"]
        for name in ("util", "power_w", "sm")
        if name in gpu["samples"]
    }  # fmt: skip


def busy_samples(samples: dict[str, list[Any]]) -> list[int]:
    """Indices of the samples in which the card worked."""
    return [index for index, util in enumerate(samples.get("util", [])) if util is not None and util >= BUSY_PCT]


def judge(raw: dict[str, Any]) -> list[Fact]:
    said = Statements("gpu.state")
    said.state("gpu.visible", True)
    said.state("gpu.count", len(raw["gpus"]))
    said.state("gpu.driver_version", raw.get("driver"))
    said.state("gpu.cuda_version", raw.get("cuda"))
    for gpu in raw["gpus"]:
        said.subject = f"gpu:{gpu['index']}"
        _judge_described(said, gpu)
        _judge_window(said, gpu["samples"])
        _judge_working(said, gpu)
        _judge_processes(said, gpu, set(raw["engine_pids"]))
    said.subject = ""
    _judge_pairs(said, raw["pairs"])
    return said.facts


DESCRIBED = {
    "gpu.name": "name", "gpu.memory_total_gib": "memory_total_gib", "gpu.sm_clock_max_mhz": "sm_max",
    "gpu.power_limit_w": "power_limit_w", "gpu.power_default_limit_w": "power_default_limit_w",
    "gpu.pcie_gen_max": "pcie_gen_max", "gpu.pcie_width": "pcie_width", "gpu.pcie_width_max": "pcie_width_max",
    "gpu.ecc_uncorrected": "ecc_uncorrected", "gpu.persistence_mode": "persistence",
    "gpu.compute_capability": "compute_capability", "gpu.mig": "mig", "gpu.virtual": "virtual",
}  # fmt: skip
WINDOW = {
    "gpu.utilization_pct": "util", "gpu.memory_utilization_pct": "mem_util", "gpu.memory_used_gib": "used_gib",
}  # fmt: skip


def _judge_described(said: Statements, gpu: dict[str, Any]) -> None:
    for fact, key in DESCRIBED.items():
        said.state(fact, gpu.get(key))


def _known(samples: dict[str, list[Any]], name: str, among: list[int] | None = None) -> list[float]:
    values = samples.get(name, [])
    picked = values if among is None else [values[index] for index in among if index < len(values)]
    return [value for value in picked if value is not None]


def _judge_window(said: Statements, samples: dict[str, list[Any]]) -> None:
    for fact, name in WINDOW.items():
        said.state(fact, rounded(mean(_known(samples, name)), 2))
    said.state("gpu.temperature_c", max(_known(samples, "temp"), default=None))


def _judge_working(said: Statements, gpu: dict[str, Any]) -> None:
    """What counts only while the card works."""
    samples = gpu["samples"]
    busy = busy_samples(samples)
    if not busy:
        return
    clock, memory_clock = mean(_known(samples, "sm", busy)), mean(_known(samples, "memclk", busy))
    said.state("gpu.sm_clock_mhz", rounded(clock, 0))
    said.state("gpu.sm_clock_ratio", _ratio(clock, gpu.get("sm_max")))
    said.state("gpu.memory_clock_ratio", _ratio(memory_clock, gpu.get("memclk_max")))
    said.state("gpu.power_w", rounded(mean(_known(samples, "power_w", busy)), 1))
    said.state("gpu.pcie_gen", max(_known(samples, "pcie_gen", busy), default=None))
    said.state("gpu.pstate", max(_known(samples, "pstate", busy), default=None))
    for fact, name in (("gpu.pcie_rx_gbs", "rx_kbs"), ("gpu.pcie_tx_gbs", "tx_kbs")):
        rate = mean(_known(samples, name, busy))
        said.state(fact, None if rate is None else round(rate / 1e6, 4))
    bits = [int(value) for value in _known(samples, "thr", busy)]
    if bits:
        said.state("gpu.throttled_share", round(sum(bool(value & SLOWING) for value in bits) / len(bits), 3))
        for bit, reason in THROTTLE_BITS.items():
            count = sum(bool(value & bit) for value in bits)
            said.state("gpu.throttle_reason", reason if count else None, quote=f"{count} of {len(bits)} samples")


def _ratio(value: float | None, highest: float | None) -> float | None:
    return round(value / highest, 3) if value is not None and highest else None


def _judge_processes(said: Statements, gpu: dict[str, Any], engine: set[int]) -> None:
    listed = gpu.get("processes")
    if listed is None or not engine:
        return
    foreign = [(pid, memory) for pid, memory in listed if pid not in engine]
    if len(foreign) == len(listed) and listed:
        # None of the engine's is among them: the driver counts in another process namespace, or the engine runs elsewhere.
        return
    said.state("gpu.foreign_processes", len(foreign))
    said.state("gpu.foreign_memory_gib", round(sum(memory or 0.0 for _, memory in foreign), 2))


LINKS = ("nvlink", "pix", "pxb", "phb", "node", "sys")


def _judge_pairs(said: Statements, pairs: list[dict[str, Any]]) -> None:
    """The worst link counts: a step of tensor parallel waits for it."""
    links = [pair["link"] for pair in pairs if pair["link"]]
    if links:
        said.state("gpu.link", max(links, key=LINKS.index))
        said.state("gpu.nvlink", "nvlink" in links)
    reachable = [pair["p2p"] for pair in pairs if pair["p2p"] is not None]
    said.state("gpu.p2p", all(reachable) if reachable else None)


PROBE = Probe(
    name="gpu.state",
    zh="GPU 状态", en="state of the GPUs",
    zh_about="每秒读约 5 次 NVML，不占用 GPU；引擎工作时测才有意义。",
    en_about="Reads NVML about five times a second and does not use the GPU; worth most while the engine works.",
    mode="passive", seconds=6, limit_s=120,
    yields=(
        "gpu.visible", "gpu.count", "gpu.driver_version", "gpu.cuda_version", *DESCRIBED, *WINDOW, "gpu.temperature_c",
        "gpu.sm_clock_mhz", "gpu.sm_clock_ratio", "gpu.memory_clock_ratio", "gpu.power_w", "gpu.pcie_gen", "gpu.pstate",
        "gpu.pcie_rx_gbs", "gpu.pcie_tx_gbs", "gpu.throttled_share", "gpu.throttle_reason", "gpu.foreign_processes",
        "gpu.foreign_memory_gib", "gpu.link", "gpu.nvlink", "gpu.p2p",
    ),
    parameters=State, measure=measure, judge=judge,
)  # fmt: skip
