"""What the prose readers share: which lines are prose, sentences, and whether something is stated, denied or asked. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import re2

Polarity = Literal["stated", "negated", "asked"]

# People write a few thousand characters. Beyond this the first and the last part of the text are read as prose.
PROSE_CHARACTERS = 40_000
# No one writes a sentence longer than this; such a line is data (base64, a JSON body, a progress bar).
LONGEST_LINE = 4_000

# A newline in a line this long is a wrap, not the end of a sentence.
WRAPPED_LINE = 60

_NOT_PROSE = re2.compile(
    r"(?i)^\s*(?:\S{0,60}\s{0,4}){0,2}(?:\d{2,4}[-/]\d\d[-/]\d\d|\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d)"  # time stamps
    r"|^\s*[\[(]?(?:INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL|TRACE)\b[\])]?[ :]"
    r"|^\s*File \"|^\s*Traceback \(most|^\s*(?:[\w.]{1,80})?(?:Error|Exception|Warning)\b ?[:(]"
    r"|^\s*[|+#>$]|^\s*[\w.:-]{1,80}\{|^\s*[{}\[\]]|^\s*at [\w.$]{1,80}\(|^\s*raise |^\s*return |^\s*import |^\s*from [\w.]{1,80} import "
)
_END = re2.compile(r"[。!?;\n]|\.\s|\.$")
_NEGATED_BEFORE = re2.compile(
    r"(?i)(?:没有?|不是|并非|未|并未|并没有?|不|无需|无|不要|不用|关闭了?|关掉了?|禁用了?|去掉了?|"
    r"\b(?:no|not|without|never|none|neither|disabled?|disabling|removed?|dropp?ed|don't|doesn't|didn't|isn't|wasn't|aren't|haven't|hasn't|can't|cannot|non))"
    r"[ '\"-]{0,2}(?:有|开启?|启用|使用?|用|加|设置?|过|任何|做|在用|支持|"
    r"(?:any|using|used?|set|enabled?|enabling|the|a|have|has|with|yet|run|running|been|even|turned on|turn on)[ '\"-]{1,2}){0,4}(?:--)?[\"'`]?\s{0,2}$"
)
_NEGATED_AFTER = re2.compile(
    r"(?i)^[\"'`]?\s{0,2}(?:也|都|是|参数|这个|功能|flag|option|mode|is|was|has been|are)?\s{0,2}"
    r"(?:没有?(?:开|用|加|设|启用|合并|打开)|未(?:开|用|启用|设|打开)|关闭|关了|关掉|禁用|(?:=|:|is )\s?(?:false|off\b|0(?:$|[^\d.])|no\b|关)|disabled|off\b|not (?:set|used|enabled|on|active|supported|available)|unset|不(?:开|用))"
)
_ASKED = re2.compile(
    r"(?i)(?:^|[.:;] )\s?try (?:\w+ing|to)\b|是不是|是否|会不会|能不能|要不要|需不需要|该不该|难道|如果|假如|要是|倘若|有没有(?:可能|必要|更|什么)|或许|也许|可能是|怀疑|猜测?|应不应该|还是说|请问.{0,6}(?:能|要|可以)|推荐|比如|例如|怎么开|"
    r"\b(?:would|could|should|shall|whether|if i|if we|maybe|perhaps|might|may be|suspect|guess|wonder|do i need|does (?:it|this)|is it|is there|are there|can i|can we|how (?:do|can|to|about)|what about|or is|e\.g\.|for example|such as|consider|recommend|suggest)\b"
)


def prose_runs(text: str, claimed: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive lines that a person wrote: not claimed by a reader of machine text, not a log line."""
    claimed = sorted(claimed)
    starts = [start for start, _ in claimed]
    run: tuple[int, int] | None = None
    for start, end in _candidate_lines(text):
        index = bisect_right(starts, end - 1) - 1
        taken = index >= 0 and claimed[index][1] > start and end > start
        for piece in _rest(start, end, claimed, index) if taken else [(start, end)]:
            if not _is_prose(text[piece[0] : piece[1]]):
                continue
            if run and piece[0] - run[1] <= 1:
                run = (run[0], piece[1])
            else:
                if run:
                    yield run
                run = piece
    if run:
        yield run


def _rest(start: int, end: int, claimed: list[tuple[int, int]], index: int) -> list[tuple[int, int]]:
    """What the claims leave of a line: a launch command may stand within a sentence."""
    pieces = []
    while index >= 0 and claimed[index][1] > start:
        claim_start, claim_end = claimed[index]
        if claim_end < end:
            pieces.append((claim_end, end))
        end = min(end, claim_start)
        index -= 1
    if end > start:
        pieces.append((start, end))
    return pieces[::-1]


def _is_prose(line: str) -> bool:
    return len(line) <= LONGEST_LINE and not _NOT_PROSE.search(line[:400])


def _candidate_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines of the text, or of its two ends where it is very long."""
    if len(text) <= 2 * PROSE_CHARACTERS:
        yield from _lines(text, 0, len(text))
        return
    yield from _lines(text, 0, PROSE_CHARACTERS)
    tail = text.find("\n", len(text) - PROSE_CHARACTERS)
    if tail >= 0:
        yield from _lines(text, tail + 1, len(text))


def _lines(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    while start < stop:
        end = text.find("\n", start, stop)
        end = stop if end < 0 else end
        yield start, end
        start = end + 1


@lru_cache(maxsize=8)  # every prose reader asks for the same text
def sentences(text: str) -> list[tuple[int, int]]:
    """Ranges of the sentences of a prose text. A wrapped line does not end a sentence, a short line does."""
    found, start, line_start = [], 0, 0
    for match in _END.finditer(text):
        position = match.start()
        if text[position] == "\n":
            wrapped = position - line_start >= WRAPPED_LINE and text[position + 1 : position + 2].strip() not in (
                "",
                "-",
                "*",
            )
            line_start = position + 1
            if wrapped:
                continue
        found.append((start, position + 1))
        start = position + 1
    found.append((start, len(text)))
    return [(a, b) for a, b in found if text[a:b].strip()]


def sentence_at(spans: list[tuple[int, int]], position: int) -> tuple[int, int]:
    """The sentence that holds `position`."""
    index = max(0, bisect_right(spans, (position, 1 << 60)) - 1)
    return spans[index] if spans else (0, 0)


def clause_at(text: str, sentence: tuple[int, int], start: int, end: int) -> tuple[int, int]:
    """The part of the sentence between commas that holds the range."""
    left = max(text.rfind(mark, sentence[0], start) for mark in (",", "，", ":", "(")) + 1
    rights = [position for mark in (",", "，", ")") if (position := text.find(mark, end, sentence[1])) >= 0]
    return max(left, sentence[0]), min([*rights, sentence[1]])


def polarity(text: str, sentence: tuple[int, int], start: int, end: int) -> Polarity:
    """Whether the words at the range are stated, denied, or asked or supposed."""
    question = is_question(text, sentence)
    if _ASKED.search(text[max(sentence[0], start - 60) : start]):
        return "asked"
    before, after = text[max(sentence[0], start - 40) : start], text[end : min(sentence[1], end + 30)]
    if _NEGATED_BEFORE.search(before) or _NEGATED_AFTER.search(after):
        return "asked" if question else "negated"
    return "asked" if question and _in_question(text, sentence, end) else "stated"


def is_question(text: str, sentence: tuple[int, int]) -> bool:
    return text[sentence[0] : sentence[1]].rstrip(" ?\n\"')").endswith(("吗", "么", "呢")) or text[
        sentence[0] : sentence[1]
    ].rstrip().endswith("?")


_OPENS_QUESTION = re2.compile(
    r"(?i)^[\s\"'(-]{0,4}(?:is|are|does|do|did|would|could|should|can|will|has|have|shall|what if)\b"
)


# Who asks whether a speed is normal states the speed and all around it.
_ASKS_IF_NORMAL = re2.compile(
    r"(?i)\b(?:normal|expected|ok|okay|reasonable|typical|too slow|slow|good|right|the best|to be expected)\b|(?:正常|合理|算慢|算快|慢|快|够|可以)(?:的)?(?:吗|么)"
)


def _in_question(text: str, sentence: tuple[int, int], end: int) -> bool:
    """Whether the words belong to what is asked: an English question as a whole, of a Chinese one the last clause."""
    words = text[sentence[0] : sentence[1]]
    if _ASKS_IF_NORMAL.search(words[end - sentence[0] :]) or _ASKS_IF_NORMAL.search(words[:20]):
        return False
    if _OPENS_QUESTION.search(words):
        return True
    return words.rstrip(" ?\n").endswith(("吗", "么")) and not any(mark in words[end - sentence[0] :] for mark in ",:")
