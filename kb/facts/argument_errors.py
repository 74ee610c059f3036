"""The error with which an engine refuses a flag or a keyword argument. Pure.

    vllm: error: unrecognized arguments: --num-scheduler-steps 8      engine.unknown_flag = --num-scheduler-steps

argparse (vLLM, SGLang, LMDeploy), clap (TGI), llama.cpp, and Python where the arguments are keywords.
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from probes.facts import Fact

KIND = "argument_errors"

_REFUSED = re2.compile(
    r"((?:[\w./-]{1,80}: error: )?unrecognized arguments: |unexpected argument '|Found argument '|error: (?:invalid|unknown) argument: )"
    r"(-[^\n']{1,400})"
)
_KEYWORD = re2.compile(
    r"(?:EngineArgs|LLM|Engine|ServerArgs)\.?(?:__init__|__new__)?\(?\)? got an unexpected keyword argument '(\w{2,60})'"
)
_FLAG = re2.compile(r"(?:^|\s)(--?[A-Za-z][\w-]{0,60})")


def recognise(text: str) -> float:
    return 0.9 if _REFUSED.search(text) or _KEYWORD.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [match.span() for pattern in (_REFUSED, _KEYWORD) for match in pattern.finditer(text)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "log")
    for match in _REFUSED.finditer(text):
        if "bench" in match.group(1):  # a benchmark's own flags
            continue
        for flag in _FLAG.finditer(match.group(2)):
            start = match.start(2) + flag.start(1)
            collector.add("engine.unknown_flag", flag.group(1), (start, start + len(flag.group(1))))
    for match in _KEYWORD.finditer(text):
        collector.add("engine.unknown_flag", "--" + match.group(1).replace("_", "-"), match.span(1))
    return collector.facts
