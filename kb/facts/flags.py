"""What launch flags state, wherever they are written: a command, keyword arguments, a config line of a log, a label. Pure.

The flags of the engines are those of `probes.launch_flags`, the one table of the house; here are only those that a paste
has and a process of an engine has not. Names are written with underscores and without leading dashes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kb.facts.collect import Collector
from probes.launch_flags import FLAGS as BY_ENGINE
from probes.launch_flags import present, size_bytes

Meaning = tuple[str, Callable[[str], Any] | bool]

LONGEST_VALUE = 40
_NONE = {"none", "null"}
_TRUTH = {
    "": True,
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}


def _docker_size(text: str) -> float:
    """GiB of a size as docker reads it: every unit is a power of 1024."""
    return size_bytes(text.upper()) / 2**30


def _device(text: str) -> str:
    return {"cuda": "gpu"}.get(text.lower().split(":")[0], text.lower())


# Keyword arguments of Python libraries, options of docker and of engines that no probe reads.
_PASTED: dict[str, Meaning] = {
    "shm_size": ("host.shm_gib", _docker_size), "cpus": ("host.cpu_cores", float), "lora_modules": ("model.lora", present),
    "use_cache": ("engine.use_kv_cache", True), "device_map": ("engine.device_map", str), "device": ("engine.device", _device),
    "n_ctx": ("engine.max_model_len", int), "num_ctx": ("engine.max_model_len", int), "num_gpu": ("engine.gpu_layers", int),
    "cache_max_entry_count": ("engine.gpu_memory_utilization", float), "spec_type": ("engine.speculative", present),
}  # fmt: skip


def _long_names() -> dict[str, Meaning]:
    """The flags of all engines under one roof; a one-letter flag means something only with its engine."""
    merged: dict[str, Meaning] = dict(_PASTED)
    for table in BY_ENGINE.values():
        for name, meaning in table.items():
            if len(name) > 1:
                merged.setdefault(name.replace("-", "_"), meaning)
    return merged


FLAGS = _long_names()
SWITCHES = {name for name, (_, read) in FLAGS.items() if isinstance(read, bool)}


def flag_name(raw: str) -> str:
    return raw.lstrip("-").replace("-", "_").lower()


def meaning(raw: str, engine: str = "") -> Meaning | None:
    """What a flag as written says: its fact and how to read its value; `no_` turns a switch round."""
    own = BY_ENGINE.get(engine, {})
    name = flag_name(raw)
    found = own.get(raw.lstrip("-")) or own.get(name.replace("_", "-")) or FLAGS.get(name)
    if found or not name.startswith("no_"):
        return found
    turned = FLAGS.get(name.removeprefix("no_"))
    return (turned[0], not turned[1]) if turned and isinstance(turned[1], bool) else None


def is_switch(raw: str, engine: str = "") -> bool:
    found = meaning(raw, engine)
    return bool(found) and isinstance(found[1], bool)


def as_written(raw: str, value: str = "") -> str:
    """A flag in the one spelling that rules look for, `--max-model-len 4096`; a path says nothing and is left out."""
    name = raw if raw.startswith("-") and not raw.startswith("--") else "--" + raw.lstrip("-").replace("_", "-")
    return f"{name} {value}" if value and len(value) <= LONGEST_VALUE and "/" not in value else name


def add_flag(collector: Collector, raw: str, value: str, span: tuple[int, int], engine: str = "") -> None:
    """State what a flag with its value says; an unknown flag or a value that cannot be read says nothing."""
    found = meaning(raw, engine)
    if not found:
        return
    fact, read = found
    if isinstance(read, bool):
        truth = _TRUTH.get(value.lower())
        if truth is not None:
            collector.add(fact, read is truth, span)
    elif value.lower() in _NONE:
        if read is present:
            collector.add(fact, False, span)
    elif value:
        _add_read(collector, fact, read, value.removeprefix("torch."), span)


def _add_read(collector: Collector, fact: str, read: Callable[[str], Any], value: str, span: tuple[int, int]) -> None:
    try:
        collector.add(fact, read(value), span)
    except (ValueError, OverflowError):
        return
