"""Other forms of nvidia-smi: XML of `-q -x`, CSV of `--query-gpu`, `dmon`, `topo -p2p`, `nvlink -s`. Pure.

    <pcie_link_gen><current_link_gen>1</current_link_gen>           -> gpu.pcie_gen 1
    name, power.draw [W] / NVIDIA L4, 71.20 W                       -> gpu.name L4, gpu.power_w 71.2
    # gpu   pwr gtemp mtemp    sm   mem                             -> gpu.utilization_pct: the mean of the window
    GPU1  CNS  X                                                    -> gpu.p2p false
    Link 0: 25 GB/s                                                 -> gpu.nvlink true

The XML is read tag by tag: nothing in it is resolved, and a part of it is enough.
"""

from __future__ import annotations

import re2

from kb.facts.collect import GIB_PER_MIB, Collector, number
from kb.facts.gpu_names import gpu_mentions
from probes.facts import Fact

KIND = "nvidia_smi_other"
MOST_LINES = 4_000

_RECOGNISED = re2.compile(
    r"<nvidia_smi_log>|<gpu id=|(?m)^\s{0,8}(?:index|name|uuid|timestamp|utilization\.gpu|memory\.\w+|pci\.bus_id|temperature\.gpu)(?: \[[^\]\n]{1,6}\])?, ?\w|"
    r"(?m)^# gpu +(?:pwr|sm|pid)\b|(?m)^\s*GPU\d{1,2}\s+(?:X|OK|CNS|TNS|GNS|NS)\s|Link \d{1,2}: (?:[\d.]+ GB/s|<inactive>)"
)
_LINE = re2.compile(
    r"(?m)^\s{0,40}</?[a-z_]{2,40}[^\n]{0,300}>\s*$|^# (?:gpu|Idx)\b[^\n]*$|^[ \t]+\d{1,3}(?:[ \t]+(?:\d{1,6}|-)){3,20}[ \t]*$|^\s*GPU\d{1,2}\s+(?:X|OK|CNS|TNS|GNS|NS)\b[^\n]*$|"
    r"^\s*Link \d{1,2}: [^\n]{1,40}$"
)
_TAG = re2.compile(r"<(gpu) id=|<(/?[a-z_0-9]{2,50})>(?:([^<\n]{1,100})</)?")
_COLUMN = r"[a-z][a-z_.]+(?: \[[^\]\n]{1,6}\])?"
_CSV_HEADER = re2.compile(rf"(?m)^\s{{0,8}}({_COLUMN}(?:, ?{_COLUMN})+)[ \t]*$")
_DMON = re2.compile(r"(?m)^# gpu +([^\n]+)$")
_DMON_ROW = re2.compile(r"(?m)^[ \t]+(\d{1,3})((?:[ \t]+(?:\d{1,6}|-)){1,30})[ \t]*$")
_P2P = re2.compile(r"(?m)^[ \t]*GPU(\d{1,2})((?:[ \t]+(?:X|OK|CNS|TNS|GNS|NS|U)){2,32})[ \t]*$")
_NVLINK = re2.compile(r"Link \d{1,2}: (?:([\d.]{1,8}) GB/s|<?inactive>?)")
_P2P_BAD = {"CNS", "TNS", "GNS", "NS"}

# XML: (section, tag) -> fact and what its number is multiplied with
_XML: dict[tuple[str, str], tuple[str, float]] = {
    ("fb_memory_usage", "total"): ("gpu.memory_total_gib", GIB_PER_MIB), ("fb_memory_usage", "used"): ("gpu.memory_used_gib", GIB_PER_MIB),
    ("fb_memory_usage", "free"): ("gpu.memory_free_gib", GIB_PER_MIB), ("utilization", "gpu_util"): ("gpu.utilization_pct", 1),
    ("utilization", "memory_util"): ("gpu.memory_utilization_pct", 1), ("temperature", "gpu_temp"): ("gpu.temperature_c", 1),
    ("clocks", "sm_clock"): ("gpu.sm_clock_mhz", 1), ("max_clocks", "sm_clock"): ("gpu.sm_clock_max_mhz", 1),
    ("pcie_gen", "current_link_gen"): ("gpu.pcie_gen", 1), ("pcie_gen", "max_link_gen"): ("gpu.pcie_gen_max", 1),
    ("link_widths", "current_link_width"): ("gpu.pcie_width", 1), ("link_widths", "max_link_width"): ("gpu.pcie_width_max", 1),
}  # fmt: skip
_XML_ANYWHERE = {
    "power_draw": "gpu.power_w", "instant_power_draw": "gpu.power_w", "current_power_limit": "gpu.power_limit_w",
    "power_limit": "gpu.power_limit_w", "default_power_limit": "gpu.power_default_limit_w",
}  # fmt: skip
_XML_REASONS = {
    "sw_power_cap": "sw_power_cap", "hw_slowdown": "hw_slowdown", "hw_thermal_slowdown": "hw_thermal",
    "sw_thermal_slowdown": "sw_thermal", "hw_power_brake_slowdown": "power_brake",
    "applications_clocks_setting": "applications_clocks", "sync_boost": "sync_boost",
}  # fmt: skip
_CSV: dict[str, tuple[str, float]] = {
    "memory.total": ("gpu.memory_total_gib", GIB_PER_MIB), "memory.used": ("gpu.memory_used_gib", GIB_PER_MIB),
    "memory.free": ("gpu.memory_free_gib", GIB_PER_MIB), "utilization.gpu": ("gpu.utilization_pct", 1),
    "utilization.memory": ("gpu.memory_utilization_pct", 1), "temperature.gpu": ("gpu.temperature_c", 1),
    "power.draw": ("gpu.power_w", 1), "power.limit": ("gpu.power_limit_w", 1), "clocks.sm": ("gpu.sm_clock_mhz", 1),
    "clocks.current.sm": ("gpu.sm_clock_mhz", 1), "clocks.max.sm": ("gpu.sm_clock_max_mhz", 1), "pcie.link.gen.current": ("gpu.pcie_gen", 1),
    "pcie.link.gen.max": ("gpu.pcie_gen_max", 1), "pcie.link.width.current": ("gpu.pcie_width", 1),
    "pcie.link.width.max": ("gpu.pcie_width_max", 1), "compute_cap": ("gpu.compute_capability", 1),
}  # fmt: skip
_DMON_COLUMNS = {
    "pwr": ("gpu.power_w", 1.0), "gtemp": ("gpu.temperature_c", 1.0), "sm": ("gpu.utilization_pct", 1.0),
    "mem": ("gpu.memory_utilization_pct", 1.0), "pclk": ("gpu.sm_clock_mhz", 1.0), "rxpci": ("gpu.pcie_rx_gbs", 1e-3),
    "txpci": ("gpu.pcie_tx_gbs", 1e-3),
}  # fmt: skip


def recognise(text: str) -> float:
    return 0.9 if _RECOGNISED.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    lines = [match.span() for _, match in zip(range(MOST_LINES), _LINE.finditer(text), strict=False)]
    for header, rows in _tables(text):
        lines += [header.span(), *(span for span, _ in rows)]
    return lines


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "nvidia_smi")
    if "<" in text:
        _add_xml(collector)
    for header, rows in _tables(text):
        _add_csv(collector, header, rows)
    _add_dmon(collector)
    _add_p2p(collector)
    links = [match for _, match in zip(range(200), _NVLINK.finditer(text), strict=False)]
    if links:
        collector.add("gpu.nvlink", any(match.group(1) for match in links), links[0].span())
    return collector.facts


def _add_xml(collector: Collector) -> None:
    section, card, names = "", -1, []
    for _, match in zip(range(20_000), _TAG.finditer(collector.text), strict=False):
        tag, value = match.group(2) or "gpu", (match.group(3) or "").strip()
        if match.group(1):
            card += 1
        elif not value and not tag.startswith("/"):
            section = tag
        elif value and card >= 0:
            names += [value] if tag == "product_name" else []
            _add_tag(collector, section, tag, value, match, f"gpu:{card}")
        elif value and tag == "driver_version":
            collector.add("gpu.driver_version", value, match.span(3))
        elif value and tag == "cuda_version":
            collector.add("gpu.cuda_version", value, match.span(3))
    if card >= 0:
        first = collector.text.find("<gpu id=")
        collector.add("gpu.count", card + 1, (first, first + 8))
        if len(names) > 1:
            collector.add("gpu.mixed", len(set(names)) > 1, (first, first + 8))


def _add_tag(collector: Collector, section: str, tag: str, value: str, match: object, subject: str) -> None:
    span = match.span(3)
    reason = tag.removeprefix("clocks_throttle_reason_").removeprefix("clocks_event_reason_")
    if tag == "product_name":
        _add_name(collector, value, span, subject)
    elif tag == "persistence_mode":
        collector.add("gpu.persistence_mode", value == "Enabled", span, subject=subject)
    elif tag == "current_mig":
        collector.add("gpu.mig", value == "Enabled", span, subject=subject)
    elif reason != tag and reason in _XML_REASONS and value == "Active":
        collector.add("gpu.throttle_reason", _XML_REASONS[reason], span, subject=subject)
    elif tag == "performance_state" and value[1:].isdigit():
        collector.add("gpu.pstate", int(value[1:]), span, subject=subject)
    else:
        fact, factor = _XML.get((section, tag)) or (_XML_ANYWHERE.get(tag, ""), 1.0)
        _add_amount(collector, fact, value, factor, span, subject)


def _add_name(collector: Collector, name: str, span: tuple[int, int], subject: str) -> None:
    mention = next(iter(gpu_mentions(name)), None)
    collector.add("gpu.name", mention.name if mention else name.removeprefix("NVIDIA ").strip(), span, subject=subject)


def _add_amount(
    collector: Collector, fact: str, value: str, factor: float, span: tuple[int, int], subject: str
) -> None:
    amount = number(value.split(" ")[0].rstrip("x%")) if fact else None
    if amount is not None:
        collector.add(fact, amount * factor, span, subject=subject)


Row = tuple[tuple[int, int], list[str]]


def _tables(text: str) -> list[tuple[object, list[Row]]]:
    """Headers of `--format=csv` with the rows below them."""
    found = []
    for _, header in zip(range(20), _CSV_HEADER.finditer(text), strict=False):
        columns = header.group(1).split(",")
        rows = _rows(text, header.end() + 1, len(columns))
        if rows and {column.split(" [")[0].strip() for column in columns} & {*_CSV, "name", "gpu_name"}:
            found.append((header, rows))
    return found


def _rows(text: str, begin: int, columns: int) -> list[Row]:
    rows: list[Row] = []
    while len(rows) < 256 and begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        cells = text[begin:end].split(",")
        if len(cells) != columns:
            break
        rows.append(((begin, end), [cell.strip() for cell in cells]))
        begin = end + 1
    return rows


def _add_csv(collector: Collector, header: object, rows: list[Row]) -> None:
    """The last row of each card; without an index every row is a card."""
    names = [column.split(" [")[0].strip() for column in header.group(1).split(",")]
    index = names.index("index") if "index" in names else None
    cards: dict[str, Row] = {}
    for number_, row in enumerate(rows):
        cards[row[1][index] if index is not None else str(number_)] = row
    for card, (span, cells) in cards.items():
        for name, cell in zip(names, cells, strict=True):
            if name in ("name", "gpu_name"):
                _add_name(collector, cell, span, f"gpu:{card}")
            elif name == "driver_version":
                collector.add("gpu.driver_version", cell, span)
            elif name in _CSV:
                _add_amount(collector, _CSV[name][0], cell, _CSV[name][1], span, f"gpu:{card}")
    if "timestamp" not in names or index is not None:
        collector.add("gpu.count", len(cards), header.span())


def _add_dmon(collector: Collector) -> None:
    """The mean of each column over the window, for each card."""
    header = _DMON.search(collector.text)
    if header is None:
        return
    columns = header.group(1).split()
    sums: dict[tuple[str, str], list[float]] = {}
    last = header.end()
    for _, row in zip(range(MOST_LINES), _DMON_ROW.finditer(collector.text, header.end()), strict=False):
        last = row.end()
        for column, cell in zip(columns, row.group(2).split(), strict=False):
            if column in _DMON_COLUMNS and cell.isdigit():
                sums.setdefault((row.group(1), column), []).append(float(cell))
    for (card, column), values in sums.items():
        fact, factor = _DMON_COLUMNS[column]
        mean = sum(values) / len(values) * factor
        collector.add(fact, mean, (header.start(), last), subject=f"gpu:{card}")


def _add_p2p(collector: Collector) -> None:
    """The matrix of `topo -p2p`: cards reach each other where every pair is OK."""
    rows = list(_P2P.finditer(collector.text))[:32]
    cells = [cell for row in rows for cell in row.group(2).split()]
    if "OK" in cells or _P2P_BAD & set(cells):
        collector.add("gpu.p2p", not _P2P_BAD & set(cells), (rows[0].start(), rows[-1].end()))
