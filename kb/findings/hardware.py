"""Findings about cards and host: throttling, links, other processes, faults, CPU. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kb.findings.read import finding, number
from kb.judgement import Finding
from probes.facts import FactSet

# Slowdown by heat, hardware or power brake. A software power cap under full load is normal: it only makes a note.
HARD_REASONS = {"hw_slowdown", "hw_thermal", "sw_thermal", "power_brake"}
# Under load a card that runs below 85% of its clock is a straggler (fleet tool's rule, against the node's median).
CLOCK = 0.85
# From here on utilisation says that the card works, so that clock and link are those of work; it is the bound of the
# decision table for one decode window.
BUSY_PCT = 50.0
# Xid numbers that mean a broken card, bus, memory or GSP, whatever the program did.
FATAL_XIDS = {48, 62, 64, 74, 79, 95, 119, 120}
# An engine thread that waits for a CPU more than this is starved (decision table); a vLLM engine process uses 1.0 core
# whenever it works, and under 0.5 it was starved (own measurement: 0.34 and 0.42). Idle its busiest thread takes 0.2% of a
# core: under a tenth it did not work in the window in which the cores were counted, and they tell nothing.
RUN_DELAY_PCT, ENGINE_CORES, WORKING_THREAD_PCT = 10.0, 0.5, 10.0
# Waiting a quarter of the time makes each step 1 / (1 - 0.25) = 1.33 times as long, beyond the 1.3 that counts as normal.
RUN_DELAY_HARMS_PCT = 25.0


def throttling(facts: FactSet) -> Iterator[Finding]:
    reasons = {str(fact.value) for fact in facts.all("gpu.throttle_reason")}
    names = ("gpu.throttle_reason", "gpu.throttled_share", "gpu.temperature_c", "gpu.sm_clock_ratio")
    if hard := reasons & HARD_REASONS:
        listed = ", ".join(sorted(hard))
        yield finding("abnormal", f"显卡被强制降频：{listed}。", f"The card is throttled: {listed}.", facts, *names)
    elif "sw_power_cap" in reasons:
        yield finding(
            "note",
            "到达功耗上限；满载时正常。",
            "The power limit is reached, which is normal at full load.",
            facts,
            *names,
        )


def clock(facts: FactSet) -> Iterator[Finding]:
    ratio, busy = number(facts, "gpu.sm_clock_ratio"), number(facts, "gpu.utilization_pct")
    capped = any(fact.value == "sw_power_cap" for fact in facts.all("gpu.throttle_reason"))
    if ratio is not None and ratio < CLOCK and (busy or 0) >= BUSY_PCT and not capped:
        yield finding(
            "abnormal",
            f"负载下 SM 频率只有最高值的 {ratio:.0%}。",
            f"Under load the SM clock is {ratio:.0%} of its maximum.",
            facts,
            "gpu.sm_clock_ratio",
            "gpu.utilization_pct",
        )


def pcie(facts: FactSet) -> Iterator[Finding]:
    """A narrow link is wrong at any time; a low generation only under load, since an idle card saves power that way."""
    width, widest = number(facts, "gpu.pcie_width"), number(facts, "gpu.pcie_width_max")
    if width and widest and width < widest:
        yield finding(
            "abnormal",
            f"PCIe 只有 x{width:.0f}，应为 x{widest:.0f}。",
            f"PCIe runs at x{width:.0f} instead of x{widest:.0f}.",
            facts,
            "gpu.pcie_width",
            "gpu.pcie_width_max",
        )
    gen, best, busy = (number(facts, name) for name in ("gpu.pcie_gen", "gpu.pcie_gen_max", "gpu.utilization_pct"))
    if gen and best and gen < best and (busy or 0) >= BUSY_PCT:
        yield finding(
            "abnormal",
            f"负载下 PCIe 只有第 {gen:.0f} 代，应为第 {best:.0f} 代。",
            f"Under load PCIe runs at generation {gen:.0f} instead of {best:.0f}.",
            facts,
            "gpu.pcie_gen",
            "gpu.pcie_gen_max",
        )


def foreign_processes(facts: FactSet) -> Iterator[Finding]:
    """Another process takes time in turn (2.6 times slower beside a busy one, H200) and memory; idle ones cost nothing."""
    if not number(facts, "gpu.foreign_processes"):
        return
    hurts = facts.value("normal.state") in ("slow", "look-closer", "far-too-slow") or any(
        fact.value == "oom" for fact in facts.all("symptom.kind")
    )
    yield finding(
        "abnormal" if hurts else "note",
        "卡上还有与引擎无关的进程，会抢占时间和显存。",
        "Other processes than the engine's are on the card; they take time and memory.",
        facts, "gpu.foreign_processes", "gpu.foreign_memory_gib",
    )  # fmt: skip


def faults(facts: FactSet) -> Iterator[Finding]:
    fatal = sorted({int(fact.value) for fact in facts.all("gpu.xid")} & FATAL_XIDS)
    if fatal:
        listed = ", ".join(map(str, fatal))
        yield finding(
            "abnormal",
            f"驱动报了 Xid {listed}：硬件或总线故障。",
            f"The driver reported Xid {listed}: a fault of hardware or bus.",
            facts,
            "gpu.xid",
        )
    if number(facts, "gpu.ecc_uncorrected"):
        yield finding(
            "abnormal", "有不可纠正的 ECC 错误。", "There are uncorrected ECC errors.", facts, "gpu.ecc_uncorrected"
        )
    if facts.value("gpu.reset_required") is True:
        yield finding("abnormal", "显卡要求复位。", "The card asks for a reset.", facts, "gpu.reset_required")


def cpu_starvation(facts: FactSet) -> Iterator[Finding]:
    names = (
        "engine.run_delay_pct",
        "engine.cpu_cores_used",
        "host.cpu_throttled_ratio",
        "host.steal_pct",
        "metrics.requests_running",
    )
    delay, cores = number(facts, "engine.run_delay_pct"), number(facts, "engine.cpu_cores_used")
    running, thread = number(facts, "metrics.requests_running"), number(facts, "engine.busiest_thread_pct")
    working = (running or 0) >= 1 and (thread or 0) >= WORKING_THREAD_PCT and facts.value("engine.name") == "vllm"
    throttled = number(facts, "host.cpu_throttled_ratio") or 0
    if delay is not None and delay > RUN_DELAY_PCT:
        yield finding(
            "abnormal" if delay > RUN_DELAY_HARMS_PCT else "note",
            f"引擎线程有 {delay:.0f}% 的时间在等 CPU。",
            f"Engine threads wait for a CPU {delay:.0f}% of the time.",
            facts,
            *names,
        )
    elif working and cores is not None and cores < ENGINE_CORES:
        yield finding(
            "abnormal",
            f"引擎在工作却只得到 {cores:.1f} 个核，应为 1 个左右。",
            f"The engine works but gets {cores:.1f} cores; it should get about 1.",
            facts,
            *names,
        )
    elif throttled > 0:
        yield finding(
            "note",
            f"CPU 配额在 {throttled:.0%} 的周期里节流。",
            f"The CPU quota throttles in {throttled:.0%} of the periods.",
            facts,
            *names,
        )


HARDWARE = (throttling, clock, pcie, foreign_processes, faults, cpu_starvation)
