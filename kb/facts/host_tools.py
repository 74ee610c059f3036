"""Output of lscpu, nproc, free, df, dmesg. Pure.

Model name:            AMD EPYC 7543P 32-Core Processor   -> host.cpu_model
Mem:   62   10   48                                        -> host.memory_total_gib (free -g)
shm    64M  0  64M  0% /dev/shm                            -> host.shm_gib 0.0625
NVRM: Xid (PCI:0000:01:00): 79, ...                        -> gpu.xid 79
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from probes.facts import Fact

KIND = "host_tools"

_UNITS = {"B": 2**-30, "K": 2**-20, "M": 2**-10, "G": 1.0, "T": 1024.0}
_LSCPU = re2.compile(
    r"(?m)^(Model name|型号名称|CPU\(s\)|NUMA node\(s\)|NUMA 节点|Hypervisor vendor|Flags|标记):[ \t]+([^\n]+)$"
)
_MEM = re2.compile(
    r"(?m)^(Mem|内存|Swap|交换):[ \t]+([\d.]{1,16})([BKMGT]?)i?[ \t]+([\d.]{1,16})([BKMGT]?)i?[ \t]+([\d.]{1,16})([BKMGT]?)i?(?:[ \t]+[\d.]{1,16}[BKMGT]?i?[ \t]+[\d.]{1,16}[BKMGT]?i?[ \t]+([\d.]{1,16})([BKMGT]?)i?)?"
)
_SHM = re2.compile(
    r"(?m)^\S{1,40}[ \t]+([\d.]{1,16})([KMGT]?)[ \t]+[\d.]{1,16}[KMGT]?[ \t]+[\d.]{1,16}[KMGT]?[ \t]+\d{1,3}%[ \t]+/dev/shm"
)
_NPROC = re2.compile(r"(?m)^[$#] ?nproc(?: --all)?\n(\d{1,4})$")
_XID = re2.compile(r"NVRM: Xid \([^)\n]{1,60}\): (\d{1,3})")
_THROTTLED = re2.compile(r"(?m)^nr_periods (\d{1,15})\n^nr_throttled (\d{1,15})")
_ALL = (_LSCPU, _MEM, _SHM, _NPROC, _XID, _THROTTLED)


def recognise(text: str) -> float:
    return 0.8 if any(pattern.search(text) for pattern in _ALL) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [match.span() for pattern in _ALL for _, match in zip(range(500), pattern.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    for _, match in zip(range(100), _LSCPU.finditer(text), strict=False):
        _add_lscpu(collector, match.group(1), match.group(2).strip(), match.span())
    for _, match in zip(range(10), _MEM.finditer(text), strict=False):
        _add_memory(collector, match)
    if match := _SHM.search(text):
        collector.add("host.shm_gib", _size(match.group(1), match.group(2), 2**-20), match.span())
    if match := _NPROC.search(text):
        collector.add(
            "host.cpu_cores_total" if "--all" in match.group() else "host.cpu_cores",
            number(match.group(1)),
            match.span(),
        )
    for _, match in zip(range(100), _XID.finditer(text), strict=False):
        collector.add("gpu.xid", int(match.group(1)), match.span())
    if (match := _THROTTLED.search(text)) and int(match.group(1)):
        collector.add("host.cpu_throttled_ratio", int(match.group(2)) / int(match.group(1)), match.span())
    return collector.facts


def _size(amount: str, unit: str, unitless: float) -> float | None:
    value = number(amount)
    return None if value is None else value * (_UNITS[unit] if unit else unitless)


def _add_lscpu(collector: Collector, key: str, value: str, span: tuple[int, int]) -> None:
    if key in ("Model name", "型号名称"):
        collector.add("host.cpu_model", value, span)
    elif key == "CPU(s)":
        collector.add("host.cpu_cores_total", number(value), span)
    elif key.startswith("NUMA"):
        collector.add("host.numa_nodes", number(value), span)
    elif key == "Hypervisor vendor":
        collector.add("host.virtualisation", "wsl2" if value == "Microsoft" and "WSL" in collector.text else "vm", span)
    else:
        collector.add("host.cpu_flags_avx", "avx2" in value.split(), (span[0], min(span[1], span[0] + 200)))


def _add_memory(collector: Collector, match: object) -> None:
    """A line of `free`: kilobytes, or the unit of its option, told by the size of a machine's memory."""
    total = number(match.group(2)) or 0.0
    unitless = 1.0 if total < 4_096 else 2**-10 if total < 4_194_304 else 2**-20 if total < 2**33 else 2**-30
    if match.group(1) in ("Mem", "内存"):
        collector.add("host.memory_total_gib", _size(match.group(2), match.group(3), unitless), match.span())
        if match.group(8):
            collector.add("host.memory_available_gib", _size(match.group(8), match.group(9), unitless), match.span())
    elif total:
        collector.add("host.swap_used_gib", _size(match.group(4), match.group(5), unitless), match.span())
