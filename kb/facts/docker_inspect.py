"""What `docker inspect` prints: what the container runs and what it is held to. Pure.

    "ShmSize": 67108864,                      -> host.shm_gib 0.0625
    "NanoCpus": 2000000000,                   -> host.cpu_cores 2
    "Args": ["serve", "/m", "-tp", "2"],      -> engine.tensor_parallel 2

Read key by key, so that a part of the output is enough.
"""

from __future__ import annotations

import json

import re2

from kb.facts.collect import Collector
from kb.facts.launch_command import Token, add_environment, engine_of, read_image, read_words
from probes.facts import Fact

KIND = "docker_inspect"
LONGEST_LIST = 20_000

_RECOGNISED = re2.compile(
    r'"(?:HostConfig|ShmSize|NanoCpus|CpusetCpus|DeviceRequests|IpcMode|RestartCount|OOMKilled)"\s*:'
)
_NUMBER = re2.compile(r'"(ShmSize|NanoCpus|CpuQuota|CpuPeriod|Count)"\s*:\s*(-?\d{1,16})\b')
_CPUS = re2.compile(r'"CpusetCpus"\s*:\s*"([\d,-]{1,200})"')
_IMAGE = re2.compile(r'"Image"\s*:\s*"([^"\n]{1,200})"')
_LIST = re2.compile(r'"(Cmd|Args|Entrypoint|Env|DeviceIDs)"\s*:\s*\[')
_PAIR = re2.compile(r'(?m)^\s*"\w{1,40}"\s*:\s*[^\n]{0,400}$')
_SPAN = re2.compile(r"(\d+)(?:-(\d+))?")


def recognise(text: str) -> float:
    return 0.9 if _RECOGNISED.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [match.span() for _, match in zip(range(2_000), _PAIR.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "config")
    if first := _RECOGNISED.search(text):
        collector.add("host.in_container", True, first.span())
        collector.add("host.orchestrator", "docker", first.span())
    _add_limits(collector)
    _add_command(collector)
    return collector.facts


def _add_limits(collector: Collector) -> None:
    values = {match.group(1): match for _, match in zip(range(200), _NUMBER.finditer(collector.text), strict=False)}
    number = {name: int(match.group(2)) for name, match in values.items()}
    if number.get("ShmSize", 0) > 0:
        collector.add("host.shm_gib", number["ShmSize"] / 2**30, values["ShmSize"].span())
    if number.get("NanoCpus", 0) > 0:
        collector.add("host.cpu_cores", number["NanoCpus"] / 1e9, values["NanoCpus"].span())
    elif number.get("CpuQuota", 0) > 0:
        collector.add(
            "host.cpu_cores", number["CpuQuota"] / (number.get("CpuPeriod") or 100_000), values["CpuQuota"].span()
        )
    elif match := _CPUS.search(collector.text):
        spans = [(int(first), int(last or first)) for first, last in _SPAN.findall(match.group(1))]
        collector.add("host.cpu_cores", float(sum(last - first + 1 for first, last in spans)), match.span())
    if number.get("Count", 0) > 0:
        collector.add("gpu.count", number["Count"], values["Count"].span())


def _add_command(collector: Collector) -> None:
    lists = {name: words for name, words in _lists(collector.text) if words}
    images = [match for _, match in zip(range(20), _IMAGE.finditer(collector.text), strict=False)]
    engine = ""
    for match in images:
        engine = engine or read_image(collector, Token(match.group(1), *match.span(1)))
    for word in lists.get("Env", []):
        name, equals, value = word.text.partition("=")
        if equals:
            add_environment(collector, name, value, word)
    if devices := lists.get("DeviceIDs"):
        collector.add("gpu.count", len(devices), (devices[0].start, devices[-1].end))
    words = [*lists.get("Entrypoint", []), *(lists.get("Cmd") or lists.get("Args", []))]
    engine = engine_of(" ".join(word.text for word in words)) or engine
    if engine and words:
        collector.add("engine.name", engine, (words[0].start, words[0].end))
        read_words(collector, words, engine)


def _lists(text: str) -> list[tuple[str, list[Token]]]:
    """Lists of strings by their key; one that the paste cut off is left out."""
    found, decoder = [], json.JSONDecoder()
    for _, match in zip(range(50), _LIST.finditer(text), strict=False):
        begin = match.end() - 1
        try:
            words, length = decoder.raw_decode(text[begin : begin + LONGEST_LIST])
        except (ValueError, RecursionError):
            continue
        found.append((match.group(1), _placed(text, begin, begin + length, [w for w in words if isinstance(w, str)])))
    return found


def _placed(text: str, begin: int, end: int, words: list[str]) -> list[Token]:
    tokens = []
    for word in words:
        at = text.find(word, begin, end)
        at = begin if at < 0 else at
        tokens.append(Token(word, at, min(at + len(word), end)))
        begin = max(begin, min(at + len(word), end))
    return tokens
