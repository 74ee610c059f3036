"""Reads what the terminal is given: files or standard input, text or JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from infermary.condense import condense
from kb.evaluation import BadCase, read_case
from kb.judgement import Submission

# A start-up log at debug level has a few MB; of more only what tells is read, and JSON lines must be given in parts.
LIMIT = 32 << 20
ENCODINGS = ("utf-8-sig", "gb18030")
UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Unreadable(Exception):
    """An input that cannot be read; the message says why and what to do."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(en)
        self.zh, self.en = zh, en

    def text(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


def read_text(name: str) -> str:
    """The text of a file, or of standard input for "-".

    Raises:
        Unreadable: missing, empty, or no text; JSON lines or UTF-16 that are too large.
    """
    try:
        if name == "-":
            data = _whole_or_condensed(sys.stdin.buffer, name)
        else:
            with Path(name).open("rb") as file:
                data = _whole_or_condensed(file, name)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Unreadable(f"读不了 {name}：{reason}。", f"Cannot read {name}: {reason}.") from None
    text = _decode(name, data)
    if not text.strip():
        raise Unreadable(
            f"{name} 是空的：请给出症状、命令或日志。", f"{name} is empty: give a symptom, a command or a log."
        )
    return text


def _whole_or_condensed(file: BinaryIO, name: str) -> bytes:
    data = file.read(LIMIT + 1)
    if len(data) <= LIMIT:
        return data
    if data[:2] in UTF16 or data.lstrip()[:1] == b"{":
        size = f"{LIMIT >> 20} MB"
        raise Unreadable(
            f"{name} 超过 {size}，请分成几个文件。", f"{name} is larger than {size}; split it into several files."
        )
    lines = data.splitlines(keepends=True)
    # The last line goes on in what was not read yet.
    return condense(chain(lines[:-1], [lines[-1] + file.readline(LIMIT)], iter(lambda: file.readline(LIMIT), b"")))


def _decode(name: str, data: bytes) -> str:
    if data[:2] in UTF16:
        return data.decode("utf-16", "replace")
    if b"\x00" in data[:8192]:
        raise Unreadable(f"{name} 是二进制文件，不是文本。", f"{name} is a binary file, not text.")
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    # A log cut in the middle of a character, or with a stray byte, is still a log.
    return data.decode("utf-8", "replace")


def cases(name: str, lang: str) -> Iterator[tuple[str, Submission | None, str | None]]:
    """(id, submission, error) of each case of an input, as its lines come: JSON lines, or else prose as one symptom.

    Standard input, a .jsonl file and whatever begins with "{" are JSON lines.

    Raises:
        Unreadable: as for `read_text`.
    """
    if name == "-":
        lines = _standard_input()
    else:
        text = read_text(name)
        if Path(name).suffix != ".jsonl" and not text.lstrip().startswith("{"):
            yield Path(name).name, Submission(text), None
            return
        # Not splitlines: a JSON string may hold U+2028.
        lines = iter(text.split("\n"))
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _case(line, number, lang)


def _standard_input() -> Iterator[str]:
    """Each line as soon as it is there."""
    stream, empty = sys.stdin.buffer, True
    while data := stream.readline(LIMIT + 1):
        if len(data) > LIMIT:
            size = f"{LIMIT >> 20} MB"
            raise Unreadable(f"标准输入有一行超过 {size}。", f"A line of standard input is larger than {size}.")
        if data[:2] in UTF16:
            data += stream.read(LIMIT)
        for line in _decode("-", data).removesuffix("\n").split("\n"):
            empty = empty and not line.strip()
            yield line
    if empty:
        raise Unreadable(
            "标准输入是空的：请每行给一个 JSON 对象。", "Standard input is empty: give one JSON object a line."
        )


def _case(line: str, number: int, lang: str) -> tuple[str, Submission | None, str | None]:
    try:
        id, submission, data = read_case(line)
    except BadCase as error:
        return error.id or f"line {number}", None, error.zh if lang == "zh" else error.en
    return (f"line {number}" if data.get("id") is None else id) or f"line {number}", submission, None
