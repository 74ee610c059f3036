"""Output of nvidia-smi: the table, `-q`, `-L` and `topo -m`. Pure.

    |   0  NVIDIA GeForce RTX 3090        On  | 00000000:01:00.0 Off |                  N/A |
    | 30%   45C    P2             120W / 350W |  13312MiB / 24576MiB |     40%      Default |

    gpu.name = RTX 3090, gpu.temperature_c = 45, gpu.power_w = 120, gpu.memory_used_gib = 13, gpu.utilization_pct = 40
    of gpu:0

Whose a process is cannot be told from the table, so no foreign processes are stated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import re2

from kb.facts.collect import GIB_PER_MIB, Collector, number
from kb.facts.gpu_names import gpu_mentions
from probes.facts import Fact

KIND = "nvidia_smi"
MOST_LINES = 4_000

_RECOGNISED = re2.compile(
    r"NVIDIA-SMI|\d+MiB / \d+MiB|(?m)^\s*GPU \d+: .{2,60} \(UUID: |^\s*GPU0\s+.*GPU1|=+NVSMI LOG=+|^\s*Product Name\s+: |"
    r"No devices were found|Clocks (?:Throttle|Event) Reasons"
)
_LINE = re2.compile(
    r"(?m)^\s{0,4}\|.{0,200}\|\s*$|^\s{0,4}\+[-=+]{5,200}\+?\s*$|^\s{0,4}\|[-=+]{5,200}\|?\s*$|^ {0,40}[A-Z][\w .()/-]{1,50} {1,60}: .{0,100}$|"
    r"^GPU [0-9A-Fa-f:.]{10,20}$|^\s*GPU ?\d+(?::|\s+(?:X|NV|SYS|PIX|PHB|PXB|NODE)).*$|^\s+GPU0\s.*$|^=+NVSMI LOG=+$|^.*NVIDIA-SMI has failed.*$"
)
_HEADER = re2.compile(r"Driver Version {0,40}: {0,3}([\d.]{3,20})(?:\s.{0,40}?CUDA Version {0,40}: {0,3}([\d.]{3,8}))?")
_CARD = re2.compile(
    r"\|\s{1,4}(\d{1,3})\s{1,3}((?:NVIDIA|Tesla|GeForce|Quadro|RTX|GTX|GRID|TITAN|A\d|H\d|L\d)[^|\n]{0,60}?)\s{1,30}(On|Off|N/A)\s{0,4}\|"
)
_STATE = re2.compile(
    r"\|\s{0,4}(?:\d{1,3}%|N/A|ERR!)\s{1,6}(\d{1,3}|N/A|ERR!)C?\s{1,6}P(\d{1,2})\s{1,20}(\d{1,4}|N/A)W? ?/ {0,3}(\d{1,4}|N/A)W?\s{0,3}\|"
    r"\s{0,10}(\d{1,7})MiB ?/ {0,3}(\d{1,7})MiB\s{0,3}\|\s{0,8}(\d{1,3}|N/A)%?"
)
_LISTED = re2.compile(r"(?m)^\s*GPU (\d{1,3}): ([^\n(]{2,60}) \(UUID: ")
_INVISIBLE = re2.compile(r"NVIDIA-SMI has failed|No devices were found|Unable to determine the device handle")
_RESET = re2.compile(r"GPU is lost|requires? (?:a )?reset|Reset Required\s+: Yes")
_TOPOLOGY = re2.compile(r"(?m)^\s{0,4}GPU\d{1,2}\s+((?:(?:X|NV\d{1,2}|SYS|NODE|PHB|PXB|PIX)\s+){2,32})")
# nearest to farthest, as `topo -m` explains them
_LINKS = ("nvlink", "pix", "pxb", "phb", "node", "sys")


def recognise(text: str) -> float:
    return 0.95 if _RECOGNISED.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [match.span() for _, match in zip(range(MOST_LINES), _LINE.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "nvidia_smi")
    if header := _HEADER.search(text):
        collector.add("gpu.driver_version", header.group(1), header.span(1))
        if header.group(2):
            collector.add("gpu.cuda_version", header.group(2), header.span(2))
    cards = _add_table(collector) or _add_list(collector)
    if not cards:
        cards = _add_query(collector)
    if cards:
        collector.add("gpu.visible", True, cards[0])
        collector.add("gpu.count", len(cards), cards[0])
        names = {fact.value for fact in collector.facts if fact.name == "gpu.name"}
        if len(cards) > 1:
            collector.add("gpu.mixed", len(names) > 1, cards[-1])
    elif failed := _INVISIBLE.search(text):
        collector.add("gpu.visible", False, failed.span())
    if reset := _RESET.search(text):
        collector.add("gpu.reset_required", True, reset.span())
    _add_topology(collector)
    return collector.facts


def _add_table(collector: Collector) -> list[tuple[int, int]]:
    """Both lines of each card; returns the place of each card. A repeated table (`watch`) is read once, the last."""
    cards: dict[str, tuple[int, int]] = {}
    latest: dict[str, object] = {}
    places = [
        (match.start(), match) for _, match in zip(range(MOST_LINES), _CARD.finditer(collector.text), strict=False)
    ]
    states = [match for _, match in zip(range(MOST_LINES), _STATE.finditer(collector.text), strict=False)]
    for index, (start, match) in enumerate(places):
        stop = places[index + 1][0] if index + 1 < len(places) else len(collector.text)
        cards[match.group(1)] = match.span(2)
        latest[match.group(1)] = (match, next((state for state in states if start < state.start() < stop), None))
    for index, (match, state) in latest.items():
        subject = f"gpu:{index}"
        _add_name(collector, match.group(2), match.span(2), subject)
        if match.group(3) in ("On", "Off"):
            collector.add("gpu.persistence_mode", match.group(3) == "On", match.span(3), subject=subject)
        if state:
            _add_state(collector, state, subject)
    return list(cards.values())


def _add_name(collector: Collector, name: str, span: tuple[int, int], subject: str) -> None:
    mention = next(iter(gpu_mentions(name)), None)
    collector.add("gpu.name", mention.name if mention else name.removeprefix("NVIDIA ").strip(), span, subject=subject)


def _add_state(collector: Collector, state: object, subject: str) -> None:
    names = (
        "gpu.temperature_c",
        "gpu.pstate",
        "gpu.power_w",
        "gpu.power_limit_w",
        "gpu.memory_used_gib",
        "gpu.memory_total_gib",
        "gpu.utilization_pct",
    )
    for group, name in enumerate(names, start=1):
        value = number(state.group(group))
        if value is not None:
            collector.add(
                name, value * GIB_PER_MIB if name.endswith("_gib") else value, state.span(group), subject=subject
            )


def _add_list(collector: Collector) -> list[tuple[int, int]]:
    cards = []
    for match in _LISTED.finditer(collector.text):
        _add_name(collector, match.group(2), match.span(2), f"gpu:{match.group(1)}")
        cards.append(match.span(2))
    return cards[:64]


@dataclass(frozen=True, slots=True)
class Field:
    """One `key : value` line of `-q` that states a fact; `section` is a heading above it, "" for any."""

    section: str
    key: str
    fact: str
    convert: Callable[[str], object]


def _amount(text: str) -> float | None:
    return number(text.split(" ")[0].rstrip("x%"))


def _mib(text: str) -> float | None:
    value = _amount(text)
    return None if value is None else value * GIB_PER_MIB


def _state_number(text: str) -> float | None:
    return number(text.lstrip("P"))


def _on(text: str) -> bool | None:
    return {"Enabled": True, "Disabled": False, "Yes": True, "No": False}.get(text)


FIELDS = (
    Field("", "Performance State", "gpu.pstate", _state_number), Field("", "Persistence Mode", "gpu.persistence_mode", _on),
    Field("FB Memory Usage", "Total", "gpu.memory_total_gib", _mib), Field("FB Memory Usage", "Used", "gpu.memory_used_gib", _mib),
    Field("FB Memory Usage", "Free", "gpu.memory_free_gib", _mib), Field("Utilization", "Gpu", "gpu.utilization_pct", _amount),
    Field("Utilization", "GPU", "gpu.utilization_pct", _amount), Field("Utilization", "Memory", "gpu.memory_utilization_pct", _amount),
    Field("Clocks", "SM", "gpu.sm_clock_mhz", _amount), Field("Max Clocks", "SM", "gpu.sm_clock_max_mhz", _amount),
    Field("", "Power Draw", "gpu.power_w", _amount), Field("", "Average Power Draw", "gpu.power_w", _amount),
    Field("", "Current Power Limit", "gpu.power_limit_w", _amount), Field("", "Power Limit", "gpu.power_limit_w", _amount),
    Field("", "Default Power Limit", "gpu.power_default_limit_w", _amount), Field("", "GPU Current Temp", "gpu.temperature_c", _amount),
    Field("PCIe Generation", "Current", "gpu.pcie_gen", _amount), Field("PCIe Generation", "Max", "gpu.pcie_gen_max", _amount),
    Field("Link Width", "Current", "gpu.pcie_width", _amount), Field("Link Width", "Max", "gpu.pcie_width_max", _amount),
    Field("MIG Mode", "Current", "gpu.mig", _on), Field("", "Reset Required", "gpu.reset_required", _on),
)  # fmt: skip
_FIELDS = {(field.section, field.key): field for field in FIELDS}
_REASONS = {
    "SW Power Cap": "sw_power_cap", "HW Slowdown": "hw_slowdown", "HW Thermal Slowdown": "hw_thermal", "SW Thermal Slowdown": "sw_thermal",
    "HW Power Brake Slowdown": "power_brake", "Applications Clocks Setting": "applications_clocks", "Sync Boost": "sync_boost",
    "Display Clock Setting": "display_clocks",
}  # fmt: skip
_QUERY_LINE = re2.compile(
    r"(?m)^( {0,40})(GPU [0-9A-Fa-f:.]{10,20}|[A-Z][\w .()/-]{1,50}?) {0,60}(?:: ([^\n]{1,80}))?$"
)


def _add_query(collector: Collector) -> list[tuple[int, int]]:
    """The text of `-q`: indented sections of `key : value`, one block a card."""
    if not re2.search(r"Product Name\s+: |NVSMI LOG|(?:Throttle|Event) Reasons", collector.text):
        return []
    cards: list[tuple[int, int]] = []
    section, index = "", -1
    for _, match in zip(range(MOST_LINES), _QUERY_LINE.finditer(collector.text), strict=False):
        indent, key, value = len(match.group(1)), match.group(2).strip(), (match.group(3) or "").strip()
        if indent == 0 and key.startswith("GPU ") and not value:
            index += 1
        elif not value:
            section = key
        elif key == "Product Name":
            index = max(index, 0)
            cards.append(match.span(3))
            _add_name(collector, value, match.span(3), f"gpu:{index}")
        else:
            _add_field(collector, section, key, value, match, f"gpu:{max(index, 0)}")
    return cards


def _add_field(collector: Collector, section: str, key: str, value: str, match: object, subject: str) -> None:
    if section.endswith("Reasons") and key in _REASONS:
        if value == "Active":
            collector.add("gpu.throttle_reason", _REASONS[key], match.span(), subject=subject)
        return
    field = _FIELDS.get((section, key)) or _FIELDS.get(("", key))
    converted = field.convert(value) if field else None
    if field and converted is not None:
        collector.add(field.fact, converted, match.span(3), subject=subject)


def _add_topology(collector: Collector) -> None:
    """The slowest link between two cards decides how they work together."""
    rows = list(_TOPOLOGY.finditer(collector.text))[:32]
    links = []
    for match in rows:
        for word in match.group(1).split()[: len(rows)]:
            if word != "X":
                links.append((_LINKS.index("nvlink" if word.startswith("NV") else word.lower()), match.span()))
    if links:
        slowest, span = max(links, key=lambda link: link[0])
        collector.add("gpu.link", _LINKS[slowest], span)
        collector.add("gpu.nvlink", any(link == 0 for link, _ in links), span)
