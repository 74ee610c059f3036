"""Units of systemd: what the service is held to. Its ExecStart is read as any other command. Pure.

[Service]
Environment="OLLAMA_NUM_PARALLEL=4"       -> engine.env OLLAMA_NUM_PARALLEL=4
CPUQuota=200%                             -> host.cpu_cores 2
AllowedCPUs=0-7                           -> host.cpu_cores 8
TimeoutStartSec=90                        -> host.start_limit_s 90
"""

from __future__ import annotations

import shlex

import re2

from kb.facts.collect import Collector
from kb.facts.launch_command import Token, add_environment
from probes.facts import Fact

KIND = "systemd_unit"
MOST_LINES = 500

_SECTION = re2.compile(r"(?m)^\s{0,8}\[(?:Service|Unit|Install)\]\s*$")
_SETTING = re2.compile(
    r"(?m)^\s{0,8}(Environment|CPUQuota|AllowedCPUs|CPUAffinity|TimeoutStartSec)\s?=\s?([^\n]{1,400}?)\s*$"
)
_SPAN = re2.compile(r"(\d+)(?:-(\d+))?")
_DURATION = re2.compile(r"(\d{1,6}) ?(s|sec|min|m|h)?")
_SECONDS = {"": 1, "s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600}


def recognise(text: str) -> float:
    return 0.9 if _SECTION.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    sections = [match.span() for _, match in zip(range(20), _SECTION.finditer(text), strict=False)]
    return sections + [match.span() for match in _settings(text)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "config")
    if section := _SECTION.search(text):
        collector.add("host.orchestrator", "systemd", section.span())
    for match in _settings(text):
        _add(collector, match.group(1), match.group(2), match)
    return collector.facts


def _settings(text: str) -> list[object]:
    return [match for _, match in zip(range(MOST_LINES), _SETTING.finditer(text), strict=False)]


def _add(collector: Collector, name: str, value: str, match: object) -> None:
    if name == "Environment":
        for assignment in _words(value):
            key, equals, content = assignment.partition("=")
            if equals:
                add_environment(collector, key, content, Token(assignment, *match.span()))
    elif name == "CPUQuota" and value.endswith("%") and value[:-1].isdigit():
        collector.add("host.cpu_cores", int(value[:-1]) / 100, match.span())
    elif name in ("AllowedCPUs", "CPUAffinity"):
        collector.add("host.cpu_cores", float(_count(value)), match.span())
    elif name == "TimeoutStartSec" and (duration := _DURATION.fullmatch(value)):
        collector.add("host.start_limit_s", float(duration.group(1)) * _SECONDS[duration.group(2) or ""], match.span())


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:  # a quote that the paste cut off
        return value.replace('"', "").split()


def _count(cpus: str) -> int:
    """CPUs of a list such as `0-3,8`."""
    spans = [(int(first), int(last or first)) for first, last in _SPAN.findall(cpus)]
    return sum(last - first + 1 for first, last in spans if last >= first)
