"""Launch commands, anywhere in a text: vLLM, SGLang, llama.cpp, ollama, TGI, LMDeploy, bare or in `docker run`. Pure.

    CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ -tp 2 --max-model-len 8192

    engine.name = vllm, engine.tensor_parallel = 2, engine.max_model_len = 8192, engine.flag = --max-model-len, ...

Also the keyword arguments of `LLM(...)` and `from_pretrained(...)`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

import re2

from kb.facts.collect import Collector
from kb.facts.flags import add_flag, as_written, flag_name, is_switch, meaning
from kb.facts.model_names import add_model, quant_of
from probes.facts import Fact

KIND = "launch_command"
LONGEST_COMMAND = 8_000
MOST_COMMANDS = 20

# program text -> engine; the first that matches names it
_PROGRAMS: tuple[tuple[str, str], ...] = (
    (r"vllm(?:\.exe)? serve\b|-m vllm(?:\.[\w.]+)?|vllm\.entrypoints[\w.]*|vllm/vllm-openai\S*|vllm bench \w+", "vllm"),
    (r"-m sglang\.\w+|sglang serve\b|lmsysorg/sglang\S*", "sglang"),
    (r"text-generation-launcher\b|\S*text-generation-inference(?::\S+)?", "tgi"),
    (r"lmdeploy serve \w+", "lmdeploy"),
    (
        r"\S*llama-(?:server|cli|bench)(?:\.exe)?\b|\S*ggml-org/llama\.cpp\S*|-m llama_cpp\.server|\./main\b|\./server\b",
        "llama.cpp",
    ),
    (r"ollama (?:run|serve|create)\b|ollama/ollama\S*", "ollama"),
    (r"trtllm-serve\b", "tensorrt-llm"),
    (r"xinference(?:-local| launch)\b", "xinference"),
    (r"-m fastchat\.serve\.\w+", "fastchat"),
    (r"aphrodite run\b|-m aphrodite\.\S+", "aphrodite"),
    (r"ktransformers\b \S*--|-m ktransformers\.\S+", "ktransformers"),
)
_PROGRAM = [(re2.compile(f"(?:^|[\\s`'\"(=/])({pattern})"), engine) for pattern, engine in _PROGRAMS]
_ANY = re2.compile("|".join(f"(?:{pattern})" for pattern, _ in _PROGRAMS))
# Programs that start a server: what follows are the server's own flags; before it are those of docker or an interpreter.
_SERVER = re2.compile(
    r"vllm(?:\.exe)? serve\b|vllm\.entrypoints\.(?:openai\.)?api_server|vllm/vllm-openai\S*|sglang\.launch_server|sglang serve\b"
    r"|text-generation-launcher\b|text-generation-inference:\S+|lmdeploy serve api_server|llama-server(?:\.exe)?\b|llama\.cpp:server\S*"
    r"|ollama serve\b"
)
# What may stand before the program: docker run and its options, assignments, an interpreter.
_LAUNCHER = re2.compile(
    r"(?:docker|podman|nerdctl) (?:run|exec)\b|(?:sudo|nohup|numactl|export|env)\s|\b[A-Z][A-Z0-9_]{2,60}=\S|\S*python[\d.]*\s|\./\S+\s"
)
_PROSE_END = re2.compile(
    r"[\p{Han}。]|[,;]\s+(?:[a-z]{2,}\s+[a-z]{2,}|\d)|\s+(?:and|but|then|which|gives?|with|to) [a-z]"
    r"|\s(?:on|is|was|takes?|hangs?|fails?|crashes|runs|for|in|it)\s+(?:my|an?|the|our|one|two|four|very|so|too|only|at|with|\d{4}\b|[A-Z]\d|[a-z]{4,} [a-z])|`|\.\s+[A-Z]|\s\|\s|&&|\s;|\s#\s"
)
_GENERATE = re2.compile(r"\.generate\(")
_CALL = re2.compile(r"\b(LLM|AsyncEngineArgs|EngineArgs|from_pretrained|pipeline|Llama)\(")
_KEYWORD = re2.compile(r"\b([a-z_]{2,40})\s?=\s?(\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|[^\s,()\[\]]{1,100})")
_FLAG = re2.compile(r"(?:^|[\s`'\"(])(--?[A-Za-z][\w-]{0,60})(?:(?:=|\s+)|$)")
_ENV = re2.compile(r"^([A-Z][A-Z0-9_]{1,60})=(.*)$")
_VARIABLE = re2.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]{0,60})(?::-([^}\s]{1,200}))?\}?")


@dataclass(frozen=True, slots=True)
class Token:
    """A shell word with its range in the text."""

    text: str
    start: int
    end: int


def recognise(text: str) -> float:
    return 0.9 if _ANY.search(text) or _CALL.search(text) else 0.0


def claimed(text: str) -> list[tuple[int, int]]:
    return [(start, end) for start, end, _ in _commands(text)]


def extract(text: str, source: str) -> list[Fact]:
    """The facts of every command in the text; what a command leaves out is not stated."""
    collector = Collector(text, source, "command")
    for start, end, engine in _commands(text):
        _read_command(collector, text, start, end, engine)
    for match in list(_CALL.finditer(text))[:MOST_COMMANDS]:
        _read_call(collector, text, match)
    return collector.facts


def _commands(text: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for pattern, engine in _PROGRAM:
        for count, match in enumerate(pattern.finditer(text)):
            if count >= MOST_COMMANDS:
                break
            program = match.start(1)
            start, end = _command_start(text, program), _command_end(text, match.end(1))
            if not any(start < other_end and program >= other for other, other_end, _ in found):
                found.append((start, end, engine))
    return sorted(found)


def _command_start(text: str, program: int) -> int:
    """Back over `\\`-continued lines to the first launcher, assignment or interpreter before the program."""
    begin = text.rfind("\n", 0, program) + 1
    while begin > 0 and text[max(0, begin - 3) : begin - 1].rstrip().endswith("\\"):
        begin = text.rfind("\n", 0, begin - 1) + 1
    begin = max(begin, program - LONGEST_COMMAND)
    launcher = _LAUNCHER.search(text[begin:program])
    return begin + launcher.start() if launcher else program


def _command_end(text: str, begin: int) -> int:
    """On to the end of the line (continued lines included), or to where prose goes on."""
    end = begin
    while True:
        line_end = text.find("\n", end, begin + LONGEST_COMMAND)
        if line_end < 0:
            end = min(len(text), begin + LONGEST_COMMAND)
            break
        following = text[line_end + 1 : line_end + 80].lstrip()
        if text[max(begin, line_end - 3) : line_end].rstrip().endswith("\\") or following.startswith(("--", "-tp ")):
            end = line_end + 1
            continue
        end = line_end
        break
    stop = _PROSE_END.search(text[begin:end])
    return begin + stop.start() if stop else end


def tokens(text: str, start: int, end: int) -> list[Token]:
    """Shell words of the range, each with its place; unbalanced quotes end at the range's end."""
    lexer = shlex.shlex(text[start:end].replace("\\\n", "  ").replace("\\", "/"), posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    found: list[Token] = []
    while True:
        begin = lexer.instream.tell()
        try:
            word = lexer.get_token()
        except ValueError:
            break
        if word is None:
            break
        found.append(_placed(text, start + begin, start + lexer.instream.tell(), word))
    return found


def _placed(text: str, start: int, end: int, word: str) -> Token:
    raw = text[start:end]
    lead = len(raw) - len(raw.lstrip(" \t\n\\"))
    return Token(word, start + lead, start + len(raw.rstrip(" \t\n\\")))


def _read_command(collector: Collector, text: str, start: int, end: int, engine: str) -> None:
    words = tokens(text, start, end)
    if not words:
        return
    shown = _ANY.search(text[start:end])
    collector.add("engine.name", engine, (start + shown.start(), start + shown.end()) if shown else (start, end))
    if server := _SERVER.search(text[start:end]):
        collector.add("engine.program", engine, (start + server.start(), end))
    _read_image(collector, text, start, end)
    if engine == "llama.cpp" and (build := _BUILD.search(text[start:end])):
        collector.add("engine.version", build.group(1), (start + build.start(1), start + build.end(1)))
    in_docker = words[0].text in ("docker", "podman", "nerdctl") or any(
        word.text in ("docker", "podman") for word in words[:4]
    )
    if in_docker:
        collector.add("host.in_container", True, (words[0].start, words[0].end))
        collector.add("host.orchestrator", "docker", (words[0].start, words[0].end))
    read_words(collector, words, engine)


_BUILD = re2.compile(r"llama-\w{3,10}(?:\.exe)? \(?(b\d{4,5})\b")
_IMAGE_VERSION = re2.compile(
    r"(?:vllm-openai|sglang|text-generation-inference|ollama/ollama|llama\.cpp):v?(\d+\.\d+[\w.-]*)"
)


def _read_image(collector: Collector, text: str, start: int, end: int) -> None:
    if image := _IMAGE_VERSION.search(text[start:end]):
        collector.add("engine.version", image.group(1), (start + image.start(1), start + image.end(1)))


def engine_of(words: str) -> str:
    """The engine whose program or image `words` names, "" for none."""
    return next((engine for pattern, engine in _PROGRAM if pattern.search(words)), "")


def read_image(collector: Collector, image: Token) -> str:
    """State the engine and version that a container image names; returns the engine, "" for an image of something else."""
    if engine := engine_of(image.text):
        collector.add("engine.name", engine, (image.start, image.end))
        if version := _IMAGE_VERSION.search(image.text):
            collector.add("engine.version", version.group(1), (image.start, image.end))
    return engine


def read_words(collector: Collector, words: list[Token], engine: str) -> None:
    """State what the words of a command say, wherever they are written: a shell line, a list of a manifest."""
    index = 0
    while index < len(words):
        word = words[index]
        following = words[index + 1] if index + 1 < len(words) else None
        index += 1
        if assignment := _ENV.match(word.text):
            add_environment(collector, assignment.group(1), assignment.group(2), word)
        elif word.text.startswith("-") and len(word.text) > 1 and not word.text[1].isdigit():
            index += _read_flag(collector, word, following, engine)
        elif following and (engine, word.text) in _MODEL_FOLLOWS and _is_model(following.text):
            add_model_path(collector, following)


# The word after which the model stands without a flag.
_MODEL_FOLLOWS = {
    ("vllm", "serve"), ("sglang", "serve"), ("lmdeploy", "api_server"), ("ollama", "run"), ("aphrodite", "run"),
}  # fmt: skip


def _is_model(text: str) -> bool:
    return text[:1] not in ("", "-", "<", "=", ".") or text.startswith(("./", "../"))


def _read_flag(collector: Collector, word: Token, following: Token | None, engine: str) -> int:
    """State one flag; returns how many further words it took."""
    raw, equals, value = word.text.partition("=")
    if raw == "-m" and engine != "llama.cpp":  # python -m
        return 0
    used, last = 0, word
    takes = not equals and following is not None and not following.text.startswith("-")
    if takes and (not is_switch(raw, engine) or following.text.lower() in ("true", "false")):
        value, used, last = following.text, 1, following
    if raw in ("-e", "--env") and (assignment := _ENV.match(value)):
        add_environment(collector, assignment.group(1), assignment.group(2), last)
        return used
    collector.add("engine.flag", as_written(raw, value), (word.start, last.end))
    value_start = last.start if used else word.start + len(raw) + 1
    _state_flag(collector, raw, value, Token(value, value_start, last.end), word.start, engine)
    return used


def _state_flag(collector: Collector, raw: str, value: str, token: Token, start: int, engine: str) -> None:
    span = (start, token.end)
    fact = (meaning(raw, engine) or ("", None))[0]
    if value and (fact == "engine.model_path" or flag_name(raw) == "hf"):
        add_model_path(collector, token)
        return
    if flag_name(raw) == "gpus" and (count := _gpus(value)):
        collector.add("gpu.count", count, span)
    if fact == "engine.quantization_flag" and (quant := _quant_of_flag(value, engine)):
        collector.add("model.quant", quant, span)
    known = value_of(collector.text, value)
    if known or not value:
        add_flag(collector, raw, known, span, engine)


def _gpus(value: str) -> int | None:
    """`--gpus` of docker: a number, or `device=0,1`; `all` says nothing."""
    value = value.strip("'\"")
    return len(value.split(",")) if value.startswith("device=") else int(value) if value.isdigit() else None


def _quant_of_flag(value: str, engine: str) -> str | None:
    """The weight format that a quantization flag implies; TGI's `bitsandbytes` is 8-bit, vLLM's 4-bit."""
    if value == "bitsandbytes":
        return "bnb-int8" if engine == "tgi" else "bnb-nf4"
    return quant_of(value.replace("_marlin", ""))


def value_of(text: str, word: str) -> str:
    """A word of a script with its variable replaced by what the script sets it to; "" where that is not known."""
    if not (variable := _VARIABLE.fullmatch(word)):
        return "" if word[:1] == "$" else word
    name, default = variable.group(1), variable.group(2) or ""
    setting = re2.search(rf"(?m)^\s{{0,20}}(?:export |set |ARG |ENV )?{name}=[\"']?([^\s\"'$]{{1,200}})", text)
    return setting.group(1) if setting else default


def add_model_path(collector: Collector, token: Token) -> None:
    path = value_of(collector.text, token.text)
    if not path or path[0] == "<":
        return
    collector.add("engine.model_path", path, (token.start, token.end))
    add_model(collector, path, (token.start, token.end))


def add_environment(collector: Collector, name: str, value: str, token: Token) -> None:
    span = (token.start, token.end)
    collector.add("engine.env", f"{name}={value}", span)
    if name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES") and value:
        devices = [device for device in value.split(",") if device.strip()]
        collector.add("gpu.count", 0 if devices[0].strip() == "-1" else len(devices), span)
    elif name == "VLLM_ATTENTION_BACKEND" and value:
        collector.add("engine.attention_backend", value, span)
    elif name == "OMP_NUM_THREADS":
        add_flag(collector, "threads", value, span, "llama.cpp")


def _read_call(collector: Collector, text: str, match: object) -> None:
    """Keyword arguments of a Python call that loads a model."""
    end = _closing(text, match.end())
    name = match.group(1)
    engine = {
        "LLM": "vllm",
        "AsyncEngineArgs": "vllm",
        "EngineArgs": "vllm",
        "Llama": "llama.cpp",
        "from_pretrained": "transformers",
    }.get(name)
    if name == "LLM" and "sgl" in text[max(0, match.start() - 8) : match.start()]:
        engine = "sglang"
    if name == "LLM" and (raw := _GENERATE.search(text[end : end + 3_000])):
        collector.add("engine.raw_prompts", True, (end + raw.start(), end + raw.end()))
    keywords = list(_KEYWORD.finditer(text[match.end() : end]))
    if engine and keywords:
        collector.add("engine.name", engine, (match.start(), match.end() - 1))
    first = re2.match(r"\s{0,4}[\"']([\w./:-]{2,200})[\"']", text[match.end() : end])
    if first and engine:
        add_model_path(collector, Token(first.group(1), match.end() + first.start(1), match.end() + first.end(1)))
    for keyword in keywords:
        _read_keyword(collector, keyword, match.end())


def _read_keyword(collector: Collector, keyword: object, offset: int) -> None:
    name, value = keyword.group(1), keyword.group(2).strip("\"'")
    span = (offset + keyword.start(), offset + keyword.end())
    if name in ("model", "model_path"):
        value_start = offset + keyword.start(2)
        add_model_path(collector, Token(value, value_start, offset + keyword.end(2)))
        return
    collector.add("engine.flag", as_written(name, value), span)
    if name == "torch_dtype":
        name = "dtype"
    if name == "load_in_8bit" and value == "True":
        collector.add("model.quant", "bnb-int8", span)
    elif name == "load_in_4bit" and value == "True":
        collector.add("model.quant", "bnb-nf4", span)
    add_flag(collector, name, value, span)


def _closing(text: str, begin: int) -> int:
    """Where the bracket opened before `begin` closes, at most a screenful on."""
    depth, limit = 1, min(len(text), begin + 3_000)
    for position in range(begin, limit):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return limit
