"""Dockerfiles and Modelfiles of Ollama: what an image starts, and how a model is set up. Pure.

    FROM vllm/vllm-openai:v0.8.5                             -> engine.name vllm, engine.version 0.8.5
    ENV VLLM_USE_V1=0                                        -> engine.env VLLM_USE_V1=0
    CMD ["--model", "Qwen/Qwen3-8B", "--enforce-eager"]      -> engine.model_path, engine.enforce_eager

    FROM qwen2.5:7b
    PARAMETER num_ctx 16384                                  -> engine.name ollama, engine.max_model_len 16384

A command in the form of the shell is read as any other command.
"""

from __future__ import annotations

import json

import re2

from kb.facts.collect import Collector
from kb.facts.flags import add_flag
from kb.facts.launch_command import Token, add_environment, add_model_path, engine_of, read_image, read_words
from probes.facts import Fact

KIND = "dockerfile"
MOST_LINES = 300

_FROM = re2.compile(r"(?m)^[ \t]{0,8}FROM[ \t]+(?:--platform=\S+ )?(\S{1,200})(?: AS \w+)?[ \t]*\r?$")
_LINE = re2.compile(
    r"(?m)^[ \t]{0,8}(?:FROM|RUN|CMD|ENTRYPOINT|ENV|COPY|ADD|WORKDIR|EXPOSE|ARG|LABEL|USER|SHELL|PARAMETER|TEMPLATE|SYSTEM|ADAPTER|MESSAGE)[ \t]+[^\n]+$"
)
_ENV = re2.compile(r"(?m)^[ \t]{0,8}ENV[ \t]+([A-Z][A-Z0-9_]{1,60})[= ][ \t]{0,4}[\"']?([^\"'\s]{1,200})")
_LIST = re2.compile(r"(?m)^[ \t]{0,8}(?:CMD|ENTRYPOINT)[ \t]+(\[[^\n\]]+\])")
_PARAMETER = re2.compile(r"(?m)^[ \t]{0,8}PARAMETER[ \t]+(\w{2,40})[ \t]+(\S{1,60})[ \t]*\r?$")
_ADAPTER = re2.compile(r"(?m)^[ \t]{0,8}ADAPTER[ \t]+(\S{1,200})")
_MODELFILE = re2.compile(r"(?m)^[ \t]{0,8}(?:PARAMETER|TEMPLATE|SYSTEM|ADAPTER|MESSAGE)[ \t]")
_BUILD = re2.compile(r"(?m)^[ \t]{0,8}(?:RUN|CMD|ENTRYPOINT|ENV|COPY|WORKDIR|EXPOSE)[ \t]")


def recognise(text: str) -> float:
    return 0.8 if _FROM.search(text) and (_MODELFILE.search(text) or _BUILD.search(text)) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [match.span() for _, match in zip(range(MOST_LINES), _LINE.finditer(text), strict=False)]


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "config")
    (_add_modelfile if _MODELFILE.search(text) else _add_image)(collector)
    return collector.facts


def _add_image(collector: Collector) -> None:
    engine = ""
    for _, match in zip(range(10), _FROM.finditer(collector.text), strict=False):
        engine = read_image(collector, Token(match.group(1), *match.span(1))) or engine
    for _, match in zip(range(MOST_LINES), _ENV.finditer(collector.text), strict=False):
        add_environment(collector, match.group(1), match.group(2), Token(match.group(), *match.span()))
    words = [word for match in list(_LIST.finditer(collector.text))[:10] for word in _words(match)]
    engine = engine_of(" ".join(word.text for word in words)) or engine
    if engine and words:
        collector.add("engine.name", engine, (words[0].start, words[0].end))
        read_words(collector, words, engine)


def _words(match: object) -> list[Token]:
    """The words of `["vllm", "serve"]`, each with its place."""
    try:
        written = json.loads(match.group(1))
    except ValueError:
        return []
    found, at = [], match.start(1)
    for word in (word for word in written if isinstance(word, str)):
        begin = match.group(1).find(json.dumps(word, ensure_ascii=False), at - match.start(1)) + match.start(1)
        begin = max(begin, at)
        found.append(Token(word, begin + 1, begin + 1 + len(word)))
        at = begin + len(word) + 2
    return found


def _add_modelfile(collector: Collector) -> None:
    if base := _FROM.search(collector.text):
        collector.add("engine.name", "ollama", base.span())
        add_model_path(collector, Token(base.group(1), *base.span(1)))
    for _, match in zip(range(MOST_LINES), _PARAMETER.finditer(collector.text), strict=False):
        add_flag(collector, match.group(1), match.group(2), match.span(), "ollama")
    if adapter := _ADAPTER.search(collector.text):
        collector.add("model.lora", True, adapter.span())
