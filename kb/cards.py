"""What the datasheet of a named card tells beside its name. Pure."""

from __future__ import annotations

from probes.facts import Fact, FactSet, Provenance
from probes.roofline.gpus import gpu


def card_facts(facts: FactSet) -> list[Fact]:
    """The compute capability of the card that was named, where nobody stated it (`probes/gpus.csv`)."""
    name = facts.best("gpu.name")
    if name is None or facts.best("gpu.compute_capability"):
        return []
    card = gpu(str(name.value))
    if card is None or card.capability is None:
        return []
    return [Fact("gpu.compute_capability", card.capability, Provenance("computed", "gpus.csv"), name.subject)]
