"""The cards through NVIDIA's management library. The edge: what a card does not support reads as None."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pynvml as nv

from probes.spec import NoData

GIB = 2**30
LINK_OF_LEVEL = {10: "pix", 20: "pxb", 30: "phb", 40: "node", 50: "sys"}
REASONS = {
    nv.NVML_ERROR_LIBRARY_NOT_FOUND: (
        "这台主机没有 NVIDIA 驱动（找不到 libnvidia-ml）。如果有 GPU，请安装驱动；在容器里请用 --gpus all 启动。",
        "This host has no NVIDIA driver (libnvidia-ml is not there). If it has a GPU, install the driver; start a container with --gpus all.",
    ),
    nv.NVML_ERROR_DRIVER_NOT_LOADED: (
        "NVIDIA 驱动没有加载；请运行 nvidia-smi 查看原因。",
        "The NVIDIA driver is not loaded; run nvidia-smi to see why.",
    ),
    nv.NVML_ERROR_NO_PERMISSION: (
        "没有权限访问 NVIDIA 驱动；请检查 /dev/nvidia* 的权限。",
        "No permission to talk to the NVIDIA driver; check the rights of /dev/nvidia*.",
    ),
}  # fmt: skip


@contextmanager
def opened() -> Iterator[list[Any]]:
    """The handles of all cards.

    Raises:
        NoData: no driver, not loaded, or no permission.
    """
    try:
        nv.nvmlInit()
    except nv.NVMLError as error:
        said = str(error)
        zh, en = REASONS.get(error.value, (f"NVML 不可用：{said}。", f"NVML is not available: {said}."))
        raise NoData(zh, en) from error
    try:
        yield [nv.nvmlDeviceGetHandleByIndex(index) for index in range(nv.nvmlDeviceGetCount())]
    finally:
        nv.nvmlShutdown()


def ask(function: str, *arguments: Any) -> Any:
    """What `pynvml.FUNCTION` answers, None if this card, driver or library cannot say."""
    try:
        answer = getattr(nv, function)(*arguments)
    except (nv.NVMLError, AttributeError):
        return None
    return answer.decode() if isinstance(answer, bytes) else answer


def driver() -> dict[str, Any]:
    version = ask("nvmlSystemGetCudaDriverVersion")
    return {
        "driver": ask("nvmlSystemGetDriverVersion"),
        "cuda": f"{version // 1000}.{version % 1000 // 10}" if version else None,
    }


def describe(card: Any) -> dict[str, Any]:
    """What does not change within a window."""
    memory, capability = ask("nvmlDeviceGetMemoryInfo", card), ask("nvmlDeviceGetCudaComputeCapability", card)
    persistence, mig = ask("nvmlDeviceGetPersistenceMode", card), ask("nvmlDeviceGetMigMode", card)
    virtual = ask("nvmlDeviceGetVirtualizationMode", card)
    return {
        "index": ask("nvmlDeviceGetIndex", card), "name": ask("nvmlDeviceGetName", card),
        "memory_total_gib": memory and round(memory.total / GIB, 2),
        "sm_max": ask("nvmlDeviceGetMaxClockInfo", card, nv.NVML_CLOCK_SM),
        "memclk_max": ask("nvmlDeviceGetMaxClockInfo", card, nv.NVML_CLOCK_MEM),
        "power_limit_w": _watts(ask("nvmlDeviceGetEnforcedPowerLimit", card)),
        "power_default_limit_w": _watts(ask("nvmlDeviceGetPowerManagementDefaultLimit", card)),
        "pcie_gen_max": ask("nvmlDeviceGetMaxPcieLinkGeneration", card),
        "pcie_width": ask("nvmlDeviceGetCurrPcieLinkWidth", card),
        "pcie_width_max": ask("nvmlDeviceGetMaxPcieLinkWidth", card),
        "ecc_uncorrected": ask("nvmlDeviceGetTotalEccErrors", card, 1, 0),
        "persistence": None if persistence is None else bool(persistence),
        "mig": None if mig is None else bool(mig[0]),
        "compute_capability": capability and float(f"{capability[0]}.{capability[1]}"),
        "virtual": None if virtual is None else virtual == nv.NVML_GPU_VIRTUALIZATION_MODE_VGPU,
        "processes": _processes(card),
    }  # fmt: skip


def _watts(milliwatts: int | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1000


def _processes(card: Any) -> list[list[Any]] | None:
    """Process id and GiB of each compute process."""
    running = ask("nvmlDeviceGetComputeRunningProcesses", card)
    if running is None:
        return None
    return [[each.pid, each.usedGpuMemory and round(each.usedGpuMemory / GIB, 2)] for each in running[:64]]


def sample(card: Any) -> dict[str, Any]:
    """One reading of what changes. The two PCIe counters take 20 ms each."""
    use, memory = ask("nvmlDeviceGetUtilizationRates", card), ask("nvmlDeviceGetMemoryInfo", card)
    reasons = ask("nvmlDeviceGetCurrentClocksEventReasons", card)
    if reasons is None:
        reasons = ask("nvmlDeviceGetCurrentClocksThrottleReasons", card)
    return {
        "util": use and use.gpu, "mem_util": use and use.memory, "power_w": _watts(ask("nvmlDeviceGetPowerUsage", card)),
        "sm": ask("nvmlDeviceGetClockInfo", card, nv.NVML_CLOCK_SM),
        "memclk": ask("nvmlDeviceGetClockInfo", card, nv.NVML_CLOCK_MEM),
        "used_gib": memory and round(memory.used / GIB, 2), "temp": ask("nvmlDeviceGetTemperature", card, 0),
        "rx_kbs": ask("nvmlDeviceGetPcieThroughput", card, nv.NVML_PCIE_UTIL_RX_BYTES),
        "tx_kbs": ask("nvmlDeviceGetPcieThroughput", card, nv.NVML_PCIE_UTIL_TX_BYTES),
        "thr": reasons, "pcie_gen": ask("nvmlDeviceGetCurrPcieLinkGeneration", card),
        "pstate": ask("nvmlDeviceGetPerformanceState", card),
    }  # fmt: skip


def pairs(cards: list[Any]) -> list[dict[str, Any]]:
    """How each two cards are linked and whether they reach each other."""
    found = []
    for one in range(len(cards)):
        for other in range(one + 1, len(cards)):
            level = ask("nvmlDeviceGetTopologyCommonAncestor", cards[one], cards[other])
            p2p = ask("nvmlDeviceGetP2PStatus", cards[one], cards[other], nv.NVML_P2P_CAPS_INDEX_READ)
            linked = ask("nvmlDeviceGetP2PStatus", cards[one], cards[other], nv.NVML_P2P_CAPS_INDEX_NVLINK)
            found.append({
                "gpus": [one, other], "link": "nvlink" if linked == 0 else LINK_OF_LEVEL.get(level),
                "p2p": None if p2p is None else p2p == 0,
            })  # fmt: skip
    return found
