"""The table of cards: memory, bandwidth, arithmetic. Pure; read from `gpus.csv`.

The published figures of one card differ from page to page (sparse given for dense, one die for two), so each row has a
source and a confidence, and a bandwidth measured on the very card wins over the table (`Gpu.with_measured`).
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from probes.roofline.names import length_of_match, pieces

TABLE = Path(__file__).parent.parent / "gpus.csv"
_MEMORY = re.compile(r"(?<![\d.])(\d{1,3}) ?g(?:i?b)?(?![a-z0-9])", re.IGNORECASE)
# The driver reports 4% less (ECC, reserved) up to what a maker rounds away; another size of the same card is >= 25% off.
SAME_MEMORY = 0.12


@dataclass(frozen=True, slots=True)
class Gpu:
    """One card; None where nobody states a figure.

    Attributes:
        memory_gb: as sold. bandwidth_gbs: peak, 10^9 bytes/s.
        tflops_16: dense 16-bit with fp32 accumulation; tflops_16_fp16acc with fp16 accumulation.
        achievable_share: of the peak bandwidth that a read-only kernel reached; None if nobody measured it.
        ambiguous: the name stands for cards of several sizes and nothing told which.
        measured_gbs: read or copy bandwidth measured on this very card.
    """

    name: str
    memory_gb: float
    bandwidth_gbs: float | None
    tflops_16: float | None
    tflops_16_fp16acc: float | None
    tflops_fp8: float | None
    tops_int8: float | None
    bf16: bool
    capability: float | None
    pcie_gen: int | None
    nvlink_gbs: float | None
    achievable_share: float | None
    source: str
    confidence: str
    aliases: tuple[str, ...] = ()
    ambiguous: bool = False
    measured_gbs: float | None = None

    def with_measured(self, bandwidth_gbs: float) -> Gpu:
        """The card with the bandwidth that was measured on it, which wins over the table."""
        return replace(self, measured_gbs=bandwidth_gbs, confidence="A")

    @property
    def ceiling_gbs(self) -> float | None:
        """The bandwidth that a ceiling is counted with: measured, else the peak of the table."""
        return self.measured_gbs or self.bandwidth_gbs

    @property
    def peak_gbs(self) -> float | None:
        """What nothing on this card can exceed; a measured copy may stay below what a pure reader reaches."""
        return max(filter(None, (self.measured_gbs, self.bandwidth_gbs)), default=None)


def _number(text: str) -> float | None:
    return float(text) if text else None


def _row(row: dict[str, str]) -> Gpu:
    numbers = ("bandwidth_gbs", "tflops_16", "tflops_16_fp16acc", "tflops_fp8", "tops_int8", "capability", "nvlink_gbs")
    return Gpu(
        name=row["name"],
        memory_gb=float(row["memory_gb"]),
        bf16=row["bf16"] == "1",
        pcie_gen=int(row["pcie_gen"]) if row["pcie_gen"] else None,
        achievable_share=_number(row["achievable_share"]),
        source=row["source"],
        confidence=row["confidence"],
        aliases=tuple(row["aliases"].split("|")),
        **{key: _number(row[key]) for key in numbers},
    )


@cache
def gpus() -> tuple[Gpu, ...]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return tuple(_row(row) for row in csv.DictReader(lines))


def gpu(name: str, memory_gib: float | None = None) -> Gpu | None:
    """The card called `name`, as `nvidia-smi` or a person writes it; None if the table does not know it.

    Where one name stands for several cards (A100 with 40 or 80 GB), a memory size in the name or in `memory_gib`
    decides, else the first row of the table stands in, marked as ambiguous.
    """
    stated = _MEMORY.search(name)
    memory = float(stated[1]) if stated else memory_gib
    given = pieces(name)
    matches = [(max(length_of_match(pieces(alias), given) for alias in card.aliases), card) for card in gpus()]
    matches = [(length, card) for length, card in matches if length]
    if memory is not None:
        fitting = [item for item in matches if abs(item[1].memory_gb / memory - 1) <= SAME_MEMORY]
        matches = fitting or matches
    longest = max((length for length, _ in matches), default=0)
    best = [card for length, card in matches if length == longest]
    if not best:
        return None
    # A card with exchanged memory chips is rare enough to say so.
    sold = {card.memory_gb for card in best if not card.name.endswith("modified")}
    several = memory is None and len(sold) > 1
    return replace(best[0], ambiguous=True, confidence="C") if several else best[0]
