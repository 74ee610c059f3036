"""What a machine is busy with: top, uptime, vmstat, /proc/pressure, dd and fio, and how it is set up: numactl, mount, lspci, cpupower. Pure.

%Cpu(s): 97.3 us, 1.2 sy, 0.0 id, 0.0 wa, 0.0 st     -> host.cpu_utilization_pct 100
available: 2 nodes (0-1)                             -> host.numa_nodes 2
LnkSta: Speed 2.5GT/s (downgraded), Width x4         -> gpu.pcie_gen 1, gpu.pcie_width 4
210715136 bytes (211 MB) copied, 1.9 s, 109 MB/s     -> host.disk_read_mbs 109
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from probes.facts import Fact

KIND = "machine_load"
MOST_LINES = 2_000

_CPU = re2.compile(
    r"(?m)^%?Cpu\(s\)\s?:\s{0,4}([\d.]{1,5})\s?%?us,[^\n]*?([\d.]{1,5})\s?%?id,(?:[^\n]*?([\d.]{1,5})\s?%?st)?"
)
_PROCESS = re2.compile(
    r"(?m)^\s{0,8}\d{1,8} \S{1,20}\s+(?:rt|-?\d{1,3})\s+-?\d{1,3}\s+\S{1,12}\s+\S{1,12}\s+\S{1,12}\s+[RSDZTI]\s+(\d{1,4}(?:\.\d)?)\s+\d{1,3}\.\d\s+\S{3,14}\s+([^\n]{1,60})$"
)
_ENGINE = re2.compile(r"(?i)python|vllm|sglang|llama|ollama|EngineCore|text-generation|lmdeploy|tabby")
_PRESSURE = re2.compile(r"(?m)pressure/cpu[^\n]*\n[^\n]{0,40}?some avg10=(\d{1,3}\.\d{1,2})")
_NODES = re2.compile(r"(?m)^available: (\d{1,3}) nodes? \(")
_VMSTAT = re2.compile(r"(?m)^ {0,4}r +b +swpd +free +buff +cache +si +so [^\n]*$")
_VMSTAT_ROW = re2.compile(r"(?m)^ {0,6}\d{1,5}(?: +\d{1,12}){13,17}\s*$")
_MOUNT = re2.compile(
    r"(?m)^\S{1,200} on (/\S{0,200}) type (nfs4?|ceph|lustre|cifs|smb3|9p|glusterfs|beegfs|gpfs|fuse\.\w{2,20})\b|^\S{1,200}:/\S{0,200}\s+[\d.]{1,12}[KMGTP]?\s+[\d.]{1,12}[KMGTP]?\s+[\d.]{1,12}[KMGTP]?\s+\d{1,3}%\s+(/\S{0,200})$"
)
_MODELS = re2.compile(r"(?i)model|data|hugging|hf|weight|mnt|share|nfs|checkpoint|cache|home")
_GOVERNOR = re2.compile(r'The governor "(\w{4,20})" may decide|(?m)scaling_governor[^\n]{0,40}\n(\w{4,20})\s*$')
_VIRTUAL = re2.compile(r"(?m)^\S{0,80}[$#] ?systemd-detect-virt\s*\n(\w[\w-]{1,20})\s*$")
_WSL = re2.compile(r"microsoft-standard-WSL2|Linux version \S+-microsoft")
_DD = re2.compile(r"(?m)(?:copied|已复制),\s{0,2}[\d.]{1,12} ?(?:s|秒),\s{0,2}([\d.]{1,8}) (kB|MB|GB)/(?:s|秒)")
_FIO = re2.compile(r"(?m)^\s{0,6}READ: bw=([\d.]{1,8})(Ki|Mi|Gi)B/s")
_DEVICE = re2.compile(r"(?m)^(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d [^\n]*$")
_LINK = re2.compile(r"Lnk(Cap|Sta):[^\n]*?Speed ([\d.]{1,5})GT/s[^\n]*?Width x(\d{1,2})")
_GENERATION = {"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5, "64": 6}
_TO_MB = {"kB": 1e-3, "MB": 1.0, "GB": 1e3, "Ki": 2**10 / 1e6, "Mi": 2**20 / 1e6, "Gi": 2**30 / 1e6}
_ALL = (_CPU, _PROCESS, _PRESSURE, _NODES, _VMSTAT, _MOUNT, _GOVERNOR, _VIRTUAL, _WSL, _DD, _FIO, _LINK)
_VIRTUAL_KINDS = {"none": "none", "wsl": "wsl2", "docker": "container", "podman": "container", "lxc": "container"}
# A process that keeps one core busy: top rounds, and a second thread adds a little.
_ONE_CORE = (95.0, 110.0)


def recognise(text: str) -> float:
    return 0.8 if any(pattern.search(text) for pattern in _ALL) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    whole_lines = (_CPU, _PROCESS, _NODES, _VMSTAT, _VMSTAT_ROW, _MOUNT, _FIO, _DEVICE)
    return [
        m.span() for pattern in whole_lines for _, m in zip(range(MOST_LINES), pattern.finditer(text), strict=False)
    ]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    _add_cpu(collector)
    for pattern, name in ((_PRESSURE, "host.cpu_pressure_pct"), (_NODES, "host.numa_nodes")):
        if match := pattern.search(text):
            collector.add(name, number(match.group(1)), match.span())
    if match := _GOVERNOR.search(text):
        collector.add("host.governor", match.group(1) or match.group(2), match.span())
    if match := _VIRTUAL.search(text):
        collector.add("host.virtualisation", _VIRTUAL_KINDS.get(match.group(1), "vm"), match.span())
    if match := _WSL.search(text):
        collector.add("host.virtualisation", "wsl2", match.span())
    for pattern in (_DD, _FIO):
        if match := pattern.search(text):
            collector.add("host.disk_read_mbs", float(match.group(1)) * _TO_MB[match.group(2)], match.span())
    for _, match in zip(range(200), _MOUNT.finditer(text), strict=False):
        if _MODELS.search(match.group(1) or match.group(3)):
            collector.add("host.disk_kind", "network", match.span())
            break
    _add_links(collector)
    return collector.facts


def _add_cpu(collector: Collector) -> None:
    """The last summary of top, and whether one process of an engine keeps one core busy while the machine idles."""
    summaries = [match for _, match in zip(range(MOST_LINES), _CPU.finditer(collector.text), strict=False)]
    if not summaries:
        return
    last = summaries[-1]
    idle = number(last.group(2)) or 0.0
    collector.add("host.cpu_utilization_pct", max(0.0, 100.0 - idle), last.span())
    if last.group(3):
        collector.add("host.steal_pct", number(last.group(3)), last.span())
    for _, match in zip(range(MOST_LINES), _PROCESS.finditer(collector.text), strict=False):
        if _ENGINE.search(match.group(2)) and _ONE_CORE[0] <= float(match.group(1)) <= _ONE_CORE[1] and idle >= 50:
            collector.add("host.one_core_saturated", True, match.span())
            return


def _add_links(collector: Collector) -> None:
    """PCIe links of `lspci -vv`, of the devices that are GPUs; where none is named, of the only device."""
    devices = [match for _, match in zip(range(MOST_LINES), _DEVICE.finditer(collector.text), strict=False)]
    for _, match in zip(range(MOST_LINES), _LINK.finditer(collector.text), strict=False):
        device = next((d.group() for d in reversed(devices) if d.start() < match.start()), "")
        if device and not re2.search(r"(?i)nvidia|3D controller|VGA|\bAMD/ATI\b", device):
            continue
        limit = "_max" if match.group(1) == "Cap" else ""
        collector.add(f"gpu.pcie_gen{limit}", _GENERATION.get(match.group(2)), match.span())
        collector.add(f"gpu.pcie_width{limit}", int(match.group(3)), match.span())
