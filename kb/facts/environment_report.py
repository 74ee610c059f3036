"""Reports of an environment: `python -m torch.utils.collect_env`, vLLM's collect_env, `pip list`, `pip freeze`, conda. Pure.

    Is CUDA available: False                     -> gpu.visible false
    GPU 0: NVIDIA A100-SXM4-80GB                 -> gpu.name A100 80G SXM, gpu.count 1
    vLLM Version: 0.6.3.post1                    -> engine.name vllm, engine.version 0.6.3.post1
    sglang==0.4.6                                -> engine.name sglang, engine.version 0.4.6

A machine often has several engines installed; their packages only tell which one runs where there is no other.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.gpu_names import gpu_mentions
from probes.facts import Fact

KIND = "environment_report"
MOST_LINES = 3_000

_ENGINES = {
    "vllm": "vllm",
    "sglang": "sglang",
    "lmdeploy": "lmdeploy",
    "tensorrt-llm": "tensorrt-llm",
    "tensorrt_llm": "tensorrt-llm",
}
_RECOGNISED = re2.compile(
    r"(?m)^\s{0,8}(?:PyTorch version|Is CUDA available|GPU models and configuration|Versions of relevant libraries|vLLM Version)\s{0,12}: ?|"
    r"(?m)^Package\s+Version\b|(?m)^[A-Za-z][\w.-]{1,40}==\d[\w.+-]*\s*$|(?m)^\[(?:pip3|conda)\] "
)
_LINE = re2.compile(
    r"(?m)^\s{0,8}(?:\[(?:pip3|conda)\] [^\n]*|[A-Z][\w /()'.-]{2,50}\s{0,12}: [^\n]*|[A-Za-z][\w.-]{1,40}(?:==|\s{2,40})v?\d[\w.+-]*(?:\s[^\n]{0,60})?|Package\s+Version[^\n]*|-{4,}[ -]*|GPU \d{1,3}: [^\n]*)\r?$"
)
_CUDA = re2.compile(r"(?m)^\s{0,8}Is CUDA available\s{0,12}: (True|False)")
_DRIVER = re2.compile(r"(?m)^\s{0,8}Nvidia driver version\s{0,12}: ([\d.]{3,20})")
_CARD = re2.compile(
    r"(?m)^\s{0,8}(?:GPU models and configuration\s{0,4}:\s{0,4})?GPU (\d{1,3}): (NVIDIA [^\n(]{2,60}|Tesla [^\n(]{2,60}|[^\n(]{2,60}?)(?: \(UUID[^\n]*)?\s*$"
)
_VERSION = re2.compile(r"(?m)^\s{0,8}vLLM Version\s{0,12}: v?(\d+\.\d+[\w.+-]*)")
_OS = re2.compile(
    r"(?m)^\s{0,8}OS\s{0,12}: ((?:Ubuntu|Debian|CentOS|Rocky|Red Hat|Fedora|Microsoft Windows|macOS)[^\n(]{0,40})"
)
_PACKAGE = re2.compile(
    r"(?m)^\s{0,8}(?:\[(?:pip3|conda)\] )?(vllm|sglang|lmdeploy|tensorrt[-_]llm)(?:==|\s{1,40})v?(\d+\.\d+[\w.+-]*)"
)


def recognise(text: str) -> float:
    return 0.7 if _RECOGNISED.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [match.span() for _, match in zip(range(MOST_LINES), _LINE.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    if match := _CUDA.search(text):
        collector.add("gpu.visible", match.group(1) == "True", match.span())
    if match := _DRIVER.search(text):
        collector.add("gpu.driver_version", match.group(1), match.span())
    if match := _OS.search(text):
        collector.add("host.distribution", match.group(1).strip(), match.span(1))
    _add_cards(collector)
    _add_engine(collector)
    return collector.facts


def _add_cards(collector: Collector) -> None:
    cards = {match.group(1): match for _, match in zip(range(64), _CARD.finditer(collector.text), strict=False)}
    for index, match in cards.items():
        mention = next(iter(gpu_mentions(match.group(2))), None)
        name = mention.name if mention else match.group(2).removeprefix("NVIDIA ").strip()
        collector.add("gpu.name", name, match.span(2), subject=f"gpu:{index}")
    if cards:
        lines = list(cards.values())
        collector.add("gpu.count", len(cards), (lines[0].start(), lines[-1].end()))


def _add_engine(collector: Collector) -> None:
    if match := _VERSION.search(collector.text):
        collector.add("engine.name", "vllm", match.span())
        collector.add("engine.version", match.group(1), match.span(1))
        return
    packages = {m.group(1): m for _, m in zip(range(50), _PACKAGE.finditer(collector.text), strict=False)}
    if len(packages) == 1:
        ((package, match),) = packages.items()
        collector.add("engine.name", _ENGINES[package], match.span(1))
        collector.add("engine.version", match.group(2), match.span(2))
