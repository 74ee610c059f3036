"""Hardware in prose: which GPUs, how many, their memory and link, the host around them. Pure.

双路3090          -> gpu.name RTX 3090, gpu.count 2
two A100 80GB     -> gpu.name A100 80G, gpu.count 2, gpu.memory_total_gib 80
"""

from __future__ import annotations

from itertools import pairwise

import re2

from kb.facts.collect import Collector
from kb.facts.gpu_names import GpuMention, gpu_mentions
from kb.facts.prose import polarity, sentence_at, sentences
from probes.facts import Fact

KIND = "prose_hardware"

_WORDS = {
    "一": 1, "单": 1, "双": 2, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "十": 10, "a": 1, "an": 1, "one": 1,
    "single": 1, "two": 2, "dual": 2, "both": 2, "pair of": 2, "three": 3, "four": 4, "quad": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "sixteen": 16,
}  # fmt: skip
_N = r"(\d{1,3}|一|单|双|两|二|三|四|五|六|七|八|十|(?i:\ban?\b|\bone\b|\bsingle\b|\btwo\b|\bdual\b|\bboth\b|\bpair of\b|\bthree\b|\bfour\b|\bquad\b|\bfive\b|\bsix\b|\bseven\b|\beight\b|\bsixteen\b))"
_FILLER = r"(?:\s?(?:my|the|of|these|local|NVIDIA|Nvidia|nvidia|英伟达|modded|魔改|GPUs?|显卡|型号|消费级)\s?){0,2}"
_COUNT_BEFORE = re2.compile(
    r"(?:^|[^A-Za-z0-9.])"
    + _N
    + r"\s?-?(?:张|块|卡|路|个|片|颗|台|[xX*]|×|pcs)?\s?(?:的)?(?:卡|显卡)?\s?"
    + _FILLER
    + r"$"
)
_JOINED = re2.compile(
    r"(?i)[\s()]{0,3}(?:\d{1,3}\s?GB?[\s()]{0,3})?(?:(?:\+|&|加|plus)[\s()]{0,2}(?:a|an|one|two|\d{1,2} ?[x×]|[一两]?[张块])?|"
    r"(?:and|with|和|与|、)[\s()]{0,2}(?:a|an|one|two|my|\d{1,2} ?[x×]|[一两][张块]))\s?(?:(?:\d{1,3} ?GB?|NVIDIA|GeForce|RTX|GTX|old|older|second|smaller)\s?){0,2}"
)
_COUNT_AFTER = re2.compile(
    r"^\s?(?:GPUs?|cards?|显卡)?\s?(?:[(,:]\s?)?(?:[xX*]\s?(\d{1,3})\b|(\d{1,2}|单|双|两|四|八|一|三)\s?(?:卡|张|块|路)|(\d{1,2})\s?GPUs?\b)"
)
_COUNT_ALONE = re2.compile(
    _N
    + r"(?:\s?(?:张|块|个)\s?(?:\d{2,3}\s?G[Bb]?\s?(?:的)?\s?)?(?:显?卡|GPU)|\s?卡(?:[^\p{Han}]|并行|部署|机|推理|运行|跑|的|上)|\s?[xX]?\s?-?(?:identical |local |NVIDIA |visible )?(?i:GPUs?\b))"
)
_MEMORY = re2.compile(
    r"(?i)(?:\b|[^\d.])(\d{1,3})\s?(?:GiB|GB|G)\s?(?:的)?\s?(?:显存|VRAM|显卡|GPU memory|video memory|cards?\b|GPUs?\b)|显存(?:是|有|为|共|总共|大小)?\s?(\d{1,3})\s?GB?\b"
)
# "RTX 3060 Laptop with 6 GB": the card's own, unless it is said to be something else's.
_MEMORY_AFTER = re2.compile(
    r"(?i)^[\s(,]{0,3}(?:laptop|mobile|笔记本|移动版)?[\s(,]{0,3}(?:with |有 ?|of )?(\d{1,3}) ?G(?:i?B)?(?:\b|$)(?:[\s)]{0,2}(?:VRAM|显存|$|[.,;:)])|\s*$)"
)
_NEEDED = re2.compile(
    r"(?i)(?:需要|要|占用?|用|至少|needs?|requires?|uses?|takes?)(?: about| only|大概|约|了)?[\s\d]{0,2}$"
)
_NODES = re2.compile(
    r"(?i)(\d{1,3}|\btwo\b|\bthree\b|\bfour\b|两|二|三|四|双)\s?(?:台|个)\s?(?:节点|机器|服务器)|(\d{1,3}|\btwo|\bthree|\bfour|双)[\s-]?(?:节点|nodes?\b|machines\b|servers\b)"
)
_FACTS: tuple[tuple[str, str, str], ...] = (
    ("gpu.driver_version", r"(?i)(?:driver|驱动)(?:\s?(?:version|版本))?\s?(?:is|是|为|:|=)?\s?v?(\d{3}(?:\.\d{1,3}){0,2})(?:$|[^\d])", "str"),
    ("gpu.cuda_version", r"(?i)\bCUDA(?:\s?(?:version|版本|toolkit))?\s?(?:is|是|为|:|=|-)?\s?v?(1[0-9]\.\d{1,2})", "str"),
    ("host.cpu_model", r"(?i)\b((?:AMD )?(?:EPYC|Ryzen|Threadripper)(?: \w+){0,2} ?\d{3,5}\w{0,3}|(?:Intel )?(?:Xeon|至强)(?: \w+)? ?[\w-]*\d[\w-]*|(?:Intel )?(?:Core )?(?:i[3579]|Ultra [579])[- ]\d{3,5}\w{0,3})", "str"),
    ("host.cpu_cores_total", r"(?i)\b(\d{1,3})[\s-]?(?:vCPUs?|CPU cores|cores|核心?|C\d{1,4}G|C\s?CPU)(?:$|[^A-Za-z0-9])", "int"),
    ("host.memory_total_gib", r"(?i)\b(\d{1,4})\s?(?:GiB|GB|G)\s?(?:of )?(?:的)?\s?(?:RAM|内存|DDR[345]|system memory|host memory)|(?:内存|RAM)(?:是|有|为|:)?\s?(\d{1,4})\s?(?:GiB|GB|G)\b", "float"),
    ("host.shm_gib", r"(?i)(?:shm[-_ ]size|/dev/shm)\s?(?:=|:|is|of|只有|是|为)?\s?(\d{1,4})\s?(?:GiB|GB|G)\b", "float"),
    ("gpu.pcie_gen", r"(?i)PCI-?e\s?(?:Gen\s?)?([3456])(?:\.0)?\b", "int"),
    ("gpu.pcie_width", r"(?i)(?:PCI-?e|Gen\s?[1-6](?:\.0)?)[\s(@]{0,2}(?:Gen\s?\d(?:\.0)?)?[\s@]{0,2}[xX](1|2|4|8|16)\b", "int"),
    ("gpu.power_limit_w", r"(?i)(?:limit(?:ed)?(?: to| of)?|power (?:limit|cap)(?: is| of|:)?|功耗(?:墙|限制|上限)(?:为|到|在|是)?)\s?(\d{2,4})\s?W\b", "float"),
    ("gpu.temperature_c", r"(?:温度|temperature|temps?)(?:[^\d,。.]{0,10})(\d{2,3})\s?(?:°C|℃|度|C\b)", "float"),
    ("gpu.xid", r"(?i)\bXid\s?(?:error|错误)?\s?(?:code)?\s?:?\s?(\d{1,3})\b", "int"),
)  # fmt: skip
_FACT_PATTERNS = [(name, re2.compile(pattern), kind) for name, pattern, kind in _FACTS]
# pattern -> facts, where stated; the first of them is false where it is denied
_STATED: tuple[tuple[str, tuple[tuple[str, bool | str], ...]], ...] = (
    (r"(?i)(?:一个核|单核|单线程|one (?:\w+ )?core|single core|one thread|1 core)[^。.;\n]{0,16}(?:\b100 ?%|跑满|打满|满载|pegged|pinned|maxed|saturated)", (("host.one_core_saturated", True),)),
    (r"(?i)\bNVLink\b|NV-?Link桥", (("gpu.nvlink", True),)),
    (r"(?i)\bCPU[- ]only\b|only (?:on|uses?) the CPU|uses? the CPU only|runs? on the CPU|纯 ?CPU|只用(?:了|到)? ?CPU|\bno GPU\b|没有(?:GPU|显卡|独显)", (("engine.device", "cpu"),)),
    (r"\bMIG\b", (("gpu.mig", True),)),
    (r"(?i)\bvGPU\b|虚拟 ?GPU|virtual GPU|HAMi|显存切分", (("gpu.virtual", True),)),
    (r"(?i)\bWSL\s?2?\b", (("host.virtualisation", "wsl2"),)),
    (r"(?i)\b(?:docker|podman)\b|容器|\bcontainers?\b", (("host.in_container", True),)),
    (r"(?i)\bdocker\b", (("host.orchestrator", "docker"),)),
    (r"(?i)\b(?:kubernetes|k8s|kubectl|helm)\b", (("host.orchestrator", "kubernetes"), ("host.in_container", True))),
    (r"(?i)\bslurm\b", (("host.orchestrator", "slurm"),)),
    (r"(?i)\b(?:Ubuntu|Debian|CentOS|Rocky|RHEL|Fedora|Linux|Arch Linux|openEuler|Kylin|麒麟)\b", (("host.os", "linux"),)),
    (r"(?i)\bWindows\b|\bWin1[01]\b", (("host.os", "windows"),)),
    (r"(?i)\bmacOS\b|\bMac ?(?:Book|Studio|mini|Pro)\b", (("host.os", "macos"),)),
    (r"(?i)虚拟机|\bvirtual machine\b|\bVM\b|\bproxmox\b|\bESXi\b", (("host.virtualisation", "vm"),)),
    (r"(?i)\bNFS\b|网络(?:盘|存储)|network (?:drive|storage|share)|\bceph\b|\blustre\b", (("host.disk_kind", "network"),)),
    (r"(?i)机械硬盘|\bHDD\b|spinning disk", (("host.disk_kind", "hdd"),)),
    (r"(?i)\bNVMe\b", (("host.disk_kind", "nvme"),)),
)  # fmt: skip
_STATED_PATTERNS = [(re2.compile(pattern), facts) for pattern, facts in _STATED]
_DISTRIBUTION = re2.compile(
    r"(?i)\b((?:Ubuntu|Debian|CentOS|Rocky|RHEL|Fedora|openEuler)(?: ?Linux)? ?\d{1,2}(?:\.\d{1,2})?)"
)


def recognise(text: str) -> float:
    return 0.5


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    spans = sentences(text)
    _add_gpus(collector, spans)
    for name, pattern, kind in _FACT_PATTERNS:
        _add_first(collector, spans, name, pattern, kind)
    for pattern, facts in _STATED_PATTERNS:
        _add_stated(collector, spans, pattern, facts)
    if match := _DISTRIBUTION.search(text):
        collector.add("host.distribution", match.group(1), match.span(1))
    if (match := _NODES.search(text)) and (nodes := _count(match.group(1) or match.group(2))):
        collector.add("host.nodes", nodes, match.span())
    return collector.facts


def _add_gpus(collector: Collector, spans: list[tuple[int, int]]) -> None:
    """The first GPU that is stated; others are taken as comparisons."""
    text = collector.text
    mentions = [
        m for m in gpu_mentions(text) if polarity(text, sentence_at(spans, m.start), m.start, m.end) == "stated"
    ]
    chosen = mentions[0] if mentions else None
    if chosen:
        collector.add("gpu.name", chosen.name, (chosen.start, chosen.end))
        if chosen.memory_gb:
            collector.add("gpu.memory_total_gib", chosen.memory_gb, (chosen.start, chosen.end))
    _add_count(collector, spans, [m for m in mentions if chosen and m.name == chosen.name])
    _add_mixed(collector, mentions)
    if chosen and not chosen.memory_gb and (said := _MEMORY_AFTER.search(text[chosen.end : chosen.end + 30])):
        span = (chosen.end + said.start(1), chosen.end + said.end())
        collector.add("gpu.memory_total_gib", float(said.group(1)), span)
    if (
        not collector.has("gpu.memory_total_gib")
        and (match := _MEMORY.search(text))
        and not _NEEDED.search(text[max(0, match.start() - 12) : match.start() + 1])
    ):
        collector.add("gpu.memory_total_gib", float(match.group(1) or match.group(2)), match.span())


def _add_mixed(collector: Collector, mentions: list[GpuMention]) -> None:
    """Two names joined by no more than "and" and a number are cards of one machine."""
    for one, other in pairwise(mentions):
        if one.name != other.name and _JOINED.fullmatch(collector.text[one.end : other.start]):
            collector.add("gpu.mixed", True, (one.start, other.end))
            return


def _add_count(collector: Collector, spans: list[tuple[int, int]], mentions: list[GpuMention]) -> None:
    """The count said with the name, else a count that stands alone, if only one such count is stated."""
    for mention in mentions:
        if found := _count_beside(collector.text, mention):
            count, start, end = found
            collector.add("gpu.count", count, (start, end))
            return
    alone: dict[int, tuple[int, int]] = {}
    for match in _COUNT_ALONE.finditer(collector.text):
        count = _count(match.group(1))
        article = match.group(1).lower() in ("a", "an")
        if (
            count
            and not article
            and polarity(collector.text, sentence_at(spans, match.start()), *match.span()) == "stated"
        ):
            alone.setdefault(count, match.span())
    if len(alone) == 1:
        count, span = alone.popitem()
        collector.add("gpu.count", count, span)


def _count_beside(text: str, mention: GpuMention) -> tuple[int, int, int] | None:
    begin = max(0, mention.start - 30)
    before = _COUNT_BEFORE.search(text[begin : mention.start])
    if before and (count := _count(before.group(1))):
        return count, begin + before.start(1), mention.end
    after = _COUNT_AFTER.search(text[mention.end : mention.end + 20])
    if after and (count := _count(next(group for group in after.groups() if group))):
        return count, mention.start, mention.end + after.end()
    return None


def _count(word: str) -> int | None:
    value = int(word) if word.isdigit() else _WORDS.get(word.lower())
    return value if value and value <= 128 else None


def _add_first(collector: Collector, spans: list[tuple[int, int]], name: str, pattern: object, kind: str) -> None:
    for match in pattern.finditer(collector.text):
        group = next(index for index in range(1, match.re.groups + 1) if match.group(index))
        if polarity(collector.text, sentence_at(spans, match.start()), *match.span()) != "stated":
            continue
        written = match.group(group)
        collector.add(
            name, written if kind == "str" else int(written) if kind == "int" else float(written), match.span()
        )
        if name != "gpu.xid":
            return


def _add_stated(
    collector: Collector, spans: list[tuple[int, int]], pattern: object, facts: tuple[tuple[str, bool | str], ...]
) -> None:
    for match in pattern.finditer(collector.text):
        stated = polarity(collector.text, sentence_at(spans, match.start()), *match.span())
        if stated == "asked":
            continue
        for name, value in facts:
            if stated == "stated":
                collector.add(name, value, match.span())
            elif value is True:
                collector.add(name, False, match.span())
        return
