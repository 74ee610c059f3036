"""The catalogue: one file a probe, found by looking in this folder."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from probes.spec import Probe


@cache
def probes() -> dict[str, Probe]:
    """All probes by name.

    Raises:
        ValueError: two files declare one name, or a file is not named after its probe.
    """
    found: dict[str, Probe] = {}
    for module_info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        probe: Probe = importlib.import_module(f"{__name__}.{module_info.name}").PROBE
        if probe.name in found:
            raise ValueError(f"probe {probe.name!r} is declared twice")
        if probe.name.replace(".", "_", 1) != module_info.name:
            raise ValueError(f"probe {probe.name!r} does not belong into {module_info.name}.py")
        found[probe.name] = probe
    return found


def catalog_document() -> list[dict[str, Any]]:
    """The catalogue as plain JSON, for the site and the terminal, which know probes by description only."""
    return [
        {
            "name": probe.name, "zh": probe.zh, "en": probe.en, "zh_about": probe.zh_about, "en_about": probe.en_about,
            "mode": probe.mode, "seconds": probe.seconds, "limit_s": probe.limit_s, "yields": list(probe.yields),
            "parameters": probe.parameters.model_json_schema(),
        }
        for probe in probes().values()
    ]  # fmt: skip
