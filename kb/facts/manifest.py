"""YAML that starts a server: docker compose, Kubernetes and Ray manifests, Helm values, configuration files of engines. Pure.

    containers:
    - image: vllm/vllm-openai:v0.8.5                 -> engine.name vllm, engine.version 0.8.5
      args: ["--model", "Qwen/Qwen2.5-7B-Instruct", "--tensor-parallel-size", "2"]
      resources: {limits: {nvidia.com/gpu: 2, cpu: "4"}}     -> gpu.count 2, host.cpu_cores 4

    tensor-parallel-size: 2                          (vllm serve --config FILE) -> engine.tensor_parallel 2

PyYAML tells where each value stands. It only composes nodes: no tag is resolved and no object made.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from kb.facts.collect import Collector
from kb.facts.flags import FLAGS, add_flag, as_written, flag_name
from kb.facts.gpu_names import gpu_mentions
from kb.facts.launch_command import Token, add_environment, add_model_path, engine_of, read_image, read_words, tokens
from probes.facts import Fact

KIND = "manifest"
MOST_BLOCKS = 20
# A manifest of a server is some kilobytes; PyYAML reads about 200 kB/s.
LONGEST_BLOCK = 60_000
MOST_NODES = 5_000

Pairs = dict[str, Node]

# Keys that a manifest of a server has, at the start of a line.
_KEY = re2.compile(
    r"(?m)^[ \t]{0,40}(?:- )?(apiVersion|kind|services|containers|image|args|command|entrypoint|resources|limits|deploy|shm_size|"
    r"livenessProbe|startupProbe|volumeMounts|nodeSelector|rayStartParams|serveConfigV2|engine_kwargs|engineArgs|vllmConfig|"
    r"tensor[-_]parallel[-_]size|gpu[-_]memory[-_]utilization|max[-_]model[-_]len|max[-_]num[-_]seqs|mem[-_]fraction[-_]static|"
    r"max_seq_len|cache_mode|gpu_split_auto):(?:[ \t]|\r?$)"
)
_YAML_LINE = re2.compile(r"^\s*(?:- |-$|#|---$|[\w./\"'-]{1,80}\s{0,3}:(?:\s|$)|[\]\[{}])|^\s{2,}\S|^\s*$")
_ORCHESTRATED = {"RayCluster": "ray", "RayService": "ray", "RayJob": "ray"}
_CPU = re2.compile(r"(\d{1,6}(?:\.\d{1,3})?)(m?)")
_SIZE = re2.compile(r"(?i)(\d{1,13}(?:\.\d{1,3})?) ?([kmgt]?)(i?)b?")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_PROBES = ("startupProbe", "livenessProbe")
# What Kubernetes takes where a probe does not say (documentation of v1.Probe).
_PERIOD_S, _FAILURES = 10, 3


def recognise(text: str) -> float:
    return 0.8 if _blocks(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return _blocks(text)


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "config")
    for start, end in _blocks(text):
        for root in _documents(text[start:end]):
            _Reader(collector, start).read(root)
    return collector.facts


def _blocks(text: str) -> list[tuple[int, int]]:
    """Runs of lines that look like YAML and hold at least two keys of a server's manifest."""
    keys = [match for _, match in zip(range(2_000), _KEY.finditer(text), strict=False)]
    blocks: list[tuple[int, int]] = []
    for match in keys:
        if not blocks or match.start() >= blocks[-1][1]:
            start, end = _first_line(text, match.start()), _last_line(text, match.start())
            inside = {key.group(1) for key in keys if start <= key.start() < end}
            if len(inside) > 1:
                blocks.append((start, end))
    return blocks[:MOST_BLOCKS]


def _first_line(text: str, begin: int) -> int:
    """Back over lines of YAML to the first one that holds a key or a list item."""
    start = begin
    while start > 0 and begin - start < 4_000:
        above = text.rfind("\n", 0, start - 1) + 1
        line = text[above : start - 1]
        if not line.strip() or not _YAML_LINE.search(line) or line.lstrip().startswith("```"):
            break
        start = above
    return start


def _last_line(text: str, begin: int) -> int:
    end = begin
    while end < len(text) and end - begin < LONGEST_BLOCK:
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        line = text[end:stop]
        if not _YAML_LINE.search(line) or line.lstrip().startswith("```"):
            break
        end = stop + 1
    return min(end, len(text))


def _documents(text: str) -> list[MappingNode]:
    """The documents of a block; where it is cut off or mangled, what stands above the fault."""
    for _ in range(5):
        try:
            nodes = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
            return [node for node in nodes if isinstance(node, (MappingNode, SequenceNode))]
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            above = text[: text.rfind("\n", 0, mark.index) + 1] if mark else ""
            text = above if len(above) < len(text) else ""
        except (yaml.YAMLError, RecursionError, ValueError):
            return []
    return []


def _pairs(node: Node | None) -> Pairs:
    if not isinstance(node, MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, ScalarNode)}


def _items(node: Node | None) -> list[Node]:
    return node.value if isinstance(node, SequenceNode) else []


def _text(node: Node | None) -> str:
    return node.value.strip() if isinstance(node, ScalarNode) else ""


class _Reader:
    """Reads one document; `offset` is where it begins in the text."""

    def __init__(self, collector: Collector, offset: int) -> None:
        self.collector, self.offset, self.visited = collector, offset, 0

    def read(self, root: Node) -> None:
        top = _pairs(root)
        kind = top.get("kind")
        if kind is not None and "apiVersion" in top:
            self._state("host.orchestrator", _ORCHESTRATED.get(_text(kind), "kubernetes"), kind)
            self._state("host.in_container", True, kind)
        elif "services" in top:
            self._state("host.orchestrator", "docker", top["services"])
            self._state("host.in_container", True, top["services"])
        for pairs in self._mappings(root):
            self._container(pairs)
            self._limits(pairs)
            self._volumes(pairs)
            self._configuration(pairs)

    def _mappings(self, root: Node) -> Iterator[Pairs]:
        """Every mapping of the document, outer ones first."""
        waiting = [root]
        while waiting and self.visited < MOST_NODES:
            node = waiting.pop(0)
            self.visited += 1
            if isinstance(node, MappingNode):
                yield _pairs(node)
                waiting += [value for _, value in node.value if not isinstance(value, ScalarNode)]
            else:
                waiting += [item for item in _items(node) if not isinstance(item, ScalarNode)]

    def _state(self, name: str, value: object, node: Node) -> None:
        if value is not None:
            self.collector.add(name, value, self._span(node))

    def _span(self, node: Node) -> tuple[int, int]:
        begin, end = self.offset + node.start_mark.index, self.offset + node.end_mark.index
        return begin, min(end, begin + 400)

    def _token(self, node: Node) -> Token:
        return Token(_text(node), *self._span(node))

    def _container(self, pairs: Pairs) -> None:
        engine = read_image(self.collector, self._token(pairs["image"])) if _text(pairs.get("image")) else ""
        words = [word for key in ("entrypoint", "command", "args") for word in self._words(pairs.get(key))]
        engine = engine_of(" ".join(word.text for word in words)) or engine
        if engine and words:
            self.collector.add("engine.name", engine, (words[0].start, words[0].end))
            read_words(self.collector, words, engine)
        for key in ("env", "environment"):
            self._environment(pairs.get(key))
        if "shm_size" in pairs:
            self._state("host.shm_gib", _gib(_text(pairs["shm_size"]), decimal=False), pairs["shm_size"])
        if "cpus" in pairs:
            self._state("host.cpu_cores", _cores(_text(pairs["cpus"])), pairs["cpus"])
        self._start_limit(pairs)

    def _words(self, node: Node | None) -> list[Token]:
        """The words of a list, or of a text as a shell would split it; `sh -c "..."` in a list is such a text."""
        if isinstance(node, ScalarNode):
            return tokens(self.collector.text, *self._whole(node))
        words: list[Token] = []
        for item in _items(node):
            shell = isinstance(item, ScalarNode) and (" " in item.value.strip() or "\n" in item.value.strip())
            words += tokens(self.collector.text, *self._whole(item)) if shell else [self._token(item)]
        return words

    def _whole(self, node: Node) -> tuple[int, int]:
        begin, end = self.offset + node.start_mark.index, self.offset + node.end_mark.index
        quoted = isinstance(node, ScalarNode) and node.style in ("'", '"')
        return (begin + 1, end - 1) if quoted else (begin, end)

    def _environment(self, node: Node | None) -> None:
        for name, value in _pairs(node).items():
            add_environment(self.collector, name, _text(value), self._token(value))
        for item in _items(node):
            pairs = _pairs(item)
            if "name" in pairs and _text(pairs.get("value")):
                add_environment(self.collector, _text(pairs["name"]), _text(pairs["value"]), self._token(item))
            elif "=" in _text(item):
                name, _, value = _text(item).partition("=")
                add_environment(self.collector, name, value, self._token(item))

    def _limits(self, pairs: Pairs) -> None:
        """Limits bind; what is requested only counts where no limit is set."""
        limits = {**_pairs(pairs.get("requests")), **_pairs(pairs.get("limits"))}
        for name, node in limits.items():
            if name in ("cpu", "cpus"):
                self._state("host.cpu_cores", _cores(_text(node)), node)
            elif name in ("nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910"):
                self._state("gpu.count", _whole_number(_text(node)), node)
            elif name.startswith("nvidia.com/mig-"):
                self._state("gpu.mig", True, node)
                self._state("gpu.count", _whole_number(_text(node)), node)
        for device in _items(_pairs(pairs.get("reservations")).get("devices")):
            wanted = _pairs(device)
            if "count" in wanted:
                self._state("gpu.count", _whole_number(_text(wanted["count"])), wanted["count"])
            elif ids := _items(wanted.get("device_ids")):
                self._state("gpu.count", len(ids), wanted["device_ids"])
        product = _pairs(pairs.get("nodeSelector")).get("nvidia.com/gpu.product")
        for card in gpu_mentions(_text(product).replace("-", " "))[:1]:
            self._state("gpu.name", card.name, product)

    def _volumes(self, pairs: Pairs) -> None:
        """A volume in memory with a limit, and the storage that holds the model."""
        memory = _pairs(pairs.get("emptyDir"))
        if _text(memory.get("medium")) == "Memory" and "sizeLimit" in memory:
            self._state("host.shm_gib", _gib(_text(memory["sizeLimit"])), memory["sizeLimit"])
        if "nfs" in pairs and _pairs(pairs["nfs"]):
            self._state("host.disk_kind", "network", pairs["nfs"])

    def _start_limit(self, pairs: Pairs) -> None:
        """Seconds until a container that is still starting is killed: the start-up probe's where there is one."""
        probe = next((_pairs(pairs[name]) for name in _PROBES if _pairs(pairs.get(name))), None)
        if probe is None:
            return
        node = pairs[next(name for name in _PROBES if _pairs(pairs.get(name)))]
        delay, period, failures = (
            _whole_number(_text(probe.get(name)))
            for name in ("initialDelaySeconds", "periodSeconds", "failureThreshold")
        )
        seconds = (delay or 0) + (period or _PERIOD_S) * (failures or _FAILURES)
        self._state("host.start_limit_s", float(seconds), node)

    def _configuration(self, pairs: Pairs) -> None:
        """Keys that are launch flags of an engine, as in `vllm serve --config`, `engine_kwargs` or a chart's values."""
        named = {key: node for key, node in pairs.items() if _is_flag(key) and isinstance(node, ScalarNode)}
        if not named:
            return
        for key, node in named.items():
            self.collector.add("engine.flag", as_written(key, _text(node)), self._span(node))
            add_flag(self.collector, key, _text(node), self._span(node))
        for key in ("model", "model_name", "model_id", "served_model_path"):
            if _text(pairs.get(key)):
                add_model_path(self.collector, self._token(pairs[key]))


# Names that mean something else in most YAML files.
_ORDINARY = {"device", "threads", "cpus", "model", "alias", "parallel", "port", "host", "shm_size", "gpus", "name"}


def _is_flag(key: str) -> bool:
    name = flag_name(key)
    return name in FLAGS and name not in _ORDINARY and len(name) > 4


def _cores(text: str) -> float | None:
    """`4`, `"0.5"` or `3500m`."""
    match = _CPU.fullmatch(text)
    return float(match.group(1)) / (1000 if match.group(2) else 1) if match else None


def _gib(text: str, *, decimal: bool = True) -> float | None:
    """`16Gi`, `16G`, `16gb`, or bytes. Kubernetes counts G in thousands, docker in 1024."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    base = 1000 if decimal and not match.group(3) else 1024
    return float(match.group(1)) * base ** _POWERS[match.group(2).lower()] / 2**30


def _whole_number(text: str) -> int | None:
    return int(text) if text.isdigit() else None
