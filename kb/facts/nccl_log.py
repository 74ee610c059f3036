"""What NCCL logs with NCCL_DEBUG=INFO: the way between the cards, the machines, its settings. Pure.

    host:10:10 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM      -> gpu.p2p true, gpu.nccl_transport p2p
    host:10:10 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.      -> engine.env NCCL_P2P_DISABLE=1

Shared memory says that NCCL does not use peer-to-peer, not that the cards cannot: it also avoids it over distant links.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector, number
from probes.facts import Fact

KIND = "nccl_log"
MOST_LINES = 4_000

_LINE = re2.compile(r"(?m)^[^\n]{0,200}\bNCCL (?:INFO|WARN|TRACE) [^\n]*$")
_CHANNEL = re2.compile(r"NCCL INFO (?:Channel|Ring) \d{1,3}[^\n]{0,120}? via (P2P|SHM|NET/IB|NET/Socket|NET/\w{2,30})")
_SETTING = re2.compile(r"NCCL INFO (NCCL_[A-Z0-9_]{2,40}) set by environment to ([^\s]{1,60})")
_NODES = re2.compile(r"NCCL INFO [^\n]{0,200}\bnNodes (\d{1,4})\b")
_CAPABLE = re2.compile(r"NCCL INFO Check P2P Type (?:isAllDirectP2p|intraNodeP2pSupport) ([01])")
_TRANSPORTS = {"P2P": "p2p", "SHM": "shm", "NET/IB": "net-ib", "NET/Socket": "net-socket"}


def recognise(text: str) -> float:
    return 0.9 if _LINE.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [match.span() for _, match in zip(range(MOST_LINES), _LINE.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    ways = {match.group(1): match for _, match in zip(range(MOST_LINES), _CHANNEL.finditer(text), strict=False)}
    for written, match in ways.items():
        collector.add("gpu.nccl_transport", _TRANSPORTS.get(written, "net-other"), match.span())
    if "P2P" in ways:
        collector.add("gpu.p2p", True, ways["P2P"].span())
    elif match := _CAPABLE.search(text):
        collector.add("gpu.p2p", match.group(1) == "1", match.span())
    settings = {match.group(1): match for _, match in zip(range(MOST_LINES), _SETTING.finditer(text), strict=False)}
    for name, match in settings.items():
        collector.add("engine.env", f"{name}={match.group(2).rstrip('.')}", match.span())
    if match := _NODES.search(text):
        collector.add("host.nodes", number(match.group(1)), match.span())
    return collector.facts
