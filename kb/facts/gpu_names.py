"""GPU names as people and tools write them -> the names of the datasheet table. Pure.

Where a name leaves the variant open (A100 with 40 or 80 GB, H100 SXM or PCIe) and nothing nearby settles it, the short
name is kept: a variant is not invented.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

_GEFORCE = {
    "2060": "RTX 2060", "2070": "RTX 2070", "2080": "RTX 2080", "2080TI": "RTX 2080 Ti", "3050": "RTX 3050 8G", "3060": "RTX 3060 12G",
    "3060TI": "RTX 3060 Ti", "3070": "RTX 3070", "3070TI": "RTX 3070 Ti", "3080": "RTX 3080 10G", "3080TI": "RTX 3080 Ti",
    "3090": "RTX 3090", "3090TI": "RTX 3090 Ti", "4060": "RTX 4060", "4060TI": "RTX 4060 Ti 16G", "4070": "RTX 4070",
    "4070TI": "RTX 4070 Ti", "4070S": "RTX 4070 Super", "4080": "RTX 4080", "4080S": "RTX 4080 Super", "4090": "RTX 4090",
    "4090D": "RTX 4090 D", "5060": "RTX 5060", "5060TI": "RTX 5060 Ti", "5070": "RTX 5070", "5070TI": "RTX 5070 Ti", "5080": "RTX 5080",
    "5090": "RTX 5090", "5090D": "RTX 5090 D",
}  # fmt: skip
_GTX = {"1050", "1060", "1070", "1080", "1650", "1660"}
# (pattern, name): tried in order where the name is not a GeForce number
_CARDS: tuple[tuple[str, str], ...] = (
    (r"RTX\s?PRO\s?6000(?:\s?Blackwell)?", "RTX PRO 6000 Blackwell"),
    (r"RTX\s?6000\s?Ada", "RTX 6000 Ada"),
    (r"(?:RTX\s?)?A6000", "RTX A6000"),
    (r"(?:RTX\s?)?A5000", "RTX A5000"),
    (r"(?:RTX\s?)?A4000", "RTX A4000"),
    (r"GH200", "GH200"), (r"GB300", "GB300"), (r"GB200", "GB200"), (r"GB10|DGX Spark", "GB10"),
    (r"[Aa]100", "A100"), (r"[Aa]800", "A800 80G"), (r"[Hh]100", "H100"), (r"[Hh]800", "H800 SXM"), (r"[Hh]200", "H200 SXM"),
    (r"H20", "H20"), (r"[Bb]200", "B200"), (r"B300", "B300"), (r"L40[Ss]", "L40S"), (r"L40", "L40"), (r"L20", "L20"), (r"L4", "L4"),
    (r"A10G", "A10G"), (r"A10", "A10"), (r"A30", "A30"), (r"A40", "A40"), (r"A16", "A16"), (r"T4", "T4"), (r"[Vv]100S?", "V100"),
    (r"[Pp]100", "P100"), (r"P40", "P40"), (r"P4", "P4"), (r"M40", "M40"), (r"K80", "K80"),
    (r"MI300X?", "MI300X"), (r"MI325X?", "MI325X"), (r"MI355X?", "MI355X"), (r"MI250X?", "MI250X"), (r"MI210", "MI210"), (r"MI100", "MI100"), (r"MI50", "MI50"),
    (r"(?:RX\s?)?7900\s?XTX", "RX 7900 XTX"), (r"(?:RX\s?)?7900\s?XT", "RX 7900 XT"), (r"(?:RX\s?)?9070\s?XT", "RX 9070 XT"),
    (r"(?:Jetson )?Orin Nano(?: Super)?", "Jetson Orin Nano Super 8G"), (r"(?:Jetson )?AGX Orin", "Jetson AGX Orin 64G"), (r"(?:昇腾|Ascend)\s?910B\d?|910B\d?", "Ascend 910B"),
    (r"(?:Intel )?Arc\s?(?:Pro\s?)?[AB]\d{2,3}M?", "Intel Arc"), (r"[Tt]itan RTX", "TITAN RTX"), (r"Quadro RTX ?[5-8]000", "Quadro RTX"), (r"Apple M[1-5](?: (?:Pro|Max|Ultra))?|\bM[1-5] (?:Pro|Max|Ultra)", "Apple silicon"),
)  # fmt: skip
_GEFORCE_PATTERN = r"(?i:(?:RTX|GTX)\s?-?)?(?:20[678]0|30[56789]0|40[6789]0|50[6789]0|10[5678]0|16[56]0)(?:\s?-?(?i:ti|super|laptop)\b|\s?[DS]\b)?"
_PATTERN = re2.compile(
    r"(?:(?i:NVIDIA|GeForce|Tesla)[\s-]?){0,2}(?:(?i:GeForce)\s)?("
    + _GEFORCE_PATTERN + "|" + "|".join(pattern for pattern, _ in _CARDS)
    + r")(?:[\s-]{0,2}(SXM\d?|PCI-?[Ee]|PCIE|NVL|HBM\d?e?))?(?:(?:显卡)?[\s,(-]{0,3}(\d{1,3})\s?(?:GiB|GB|G|g|gb)(?:\b|显存|的))?"
)  # fmt: skip
_CARD_PATTERNS = [(re2.compile(f"^(?:{pattern})$"), name) for pattern, name in _CARDS]
_NOT_A_CARD_AFTER = re2.compile(r"(?i)^\s?(?:tok|tps|t/s|mib|mb\b|ms\b|req|个|次|字|条|秒|/|%|\.\d|:\d|-\d)")
_A_PORT = re2.compile(r"(?i)(?:ports?|端口)\s?[:=]?\s?(?:is |为|是)?$")
_BRAND = re2.compile(r"(?i)rtx|gtx|nvidia|geforce|tesla")


@dataclass(frozen=True, slots=True)
class GpuMention:
    """A GPU named in a text: the canonical name, the memory if stated (GB), and the range of the whole mention."""

    name: str
    memory_gb: float | None
    start: int
    end: int


def gpu_mentions(text: str) -> list[GpuMention]:
    """All GPUs named in the text, in order."""
    found = []
    for match in _PATTERN.finditer(text):
        if _stands_alone(text, match):
            written, link, memory = match.group(1), (match.group(2) or "").upper(), match.group(3)
            size = float(memory) if memory else None
            found.append(GpuMention(_with_variant(_canonical(written), link, size), size, match.start(), match.end()))
    return found


def _stands_alone(text: str, match: object) -> bool:
    """Whether the match is a name, and not part of a number, a word or a version."""
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 8]
    if before and ((before.isascii() and before.isalnum()) or before in "._/$"):
        follows_count = before in "xX" and match.start() > 1 and text[match.start() - 2].isdigit()
        if not follows_count:
            return False
    if after[:1].isascii() and (after[:1].isalnum() or after[:1] == "_") and match.group(3) is None:
        return (after[0] in "xX" and after[1:2].isdigit()) or (after[0] == "s" and not after[1:2].isalnum())
    if _A_PORT.search(text[max(0, match.start() - 12) : match.start()]):
        return False
    bare_number = match.group(1).strip().isdigit() and not _BRAND.search(match.group())
    return not (bare_number and (_NOT_A_CARD_AFTER.search(after) or (before and before in ":=-")))


def _canonical(written: str) -> str:
    for pattern, name in _CARD_PATTERNS:
        if pattern.search(written):
            return name
    key = written.upper().replace("RTX", "").replace("GTX", "").replace("SUPER", "S").replace("LAPTOP", "")
    key = key.replace(" ", "").replace("-", "")
    if key[:4] in _GTX:
        return "GTX " + key[:4] + (" Ti" if key.endswith("TI") else "")
    return _GEFORCE.get(key, _GEFORCE.get(key[:4], written))


def _with_variant(name: str, link: str, memory: float | None) -> str:
    if name == "A100":
        if memory == 40:
            return "A100 40G"
        if memory == 80:
            return (
                "A100 80G PCIe" if link.startswith("PCI") else "A100 80G SXM" if link.startswith("SXM") else "A100 80G"
            )
    if name in ("H100", "V100"):
        sxm = "H100 SXM" if name == "H100" else "V100 SXM2"
        return sxm if link.startswith("SXM") else f"{name} PCIe" if link.startswith("PCI") else name
    if name == "RTX 2080 Ti" and memory == 22:
        return "RTX 2080 Ti 22G modified"
    return name
