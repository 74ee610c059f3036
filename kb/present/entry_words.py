"""What the fields of the entry form are called, and what the schema says of them, in both languages. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kb import explain
from kb.entry_file import Both
from kb.entry_form import Field
from kb.present.words import WORDS

# Name of the key, or Class.key where one name means two things -> label, and a hint where one helps.
LABELS: dict[str, tuple[str, str, str, str]] = {
    "slug": ("短名", "Short name", "小写字母、数字和连字符", "lower-case letters, digits and hyphens"),
    "EntryFile.kind": ("类型", "Kind", "", ""),
    "frequency": ("多常见", "How common", "", ""),
    "symptoms_of": ("表现为", "Shows as", "", ""),
    "title": ("标题", "Title", "", ""),
    "summary": ("一句话概括", "In one sentence", "", ""),
    "phrases": ("人们怎么说", "As people say it", "每行一句，每种语言至少三句", "one a line, at least three a language"),
    "mechanism": ("成因", "How it comes about", "Markdown", "Markdown"),
    "EntryFile.applies": ("仅适用于", "Only where", "未知视为适用", "unknown counts as fitting"),
    "Fix.applies": ("仅适用于", "Only where", "未知视为适用", "unknown counts as fitting"),
    "signatures": ("日志特征", "Log lines", "", ""),
    "pattern": ("模式（RE2）", "Pattern (RE2)", "不区分大小写", "without regard to case"),
    "example": ("例行", "Example line", "引擎真实打印的一行", "a line that an engine really prints"),
    "level": ("强度", "Strength", "", ""),
    "engine": ("引擎", "Engine", "", ""),
    "versions": ("版本", "Versions", "如 >=0.8.0,<0.11.0", "such as >=0.8.0,<0.11.0"),
    "source": ("出处编号", "Source id", "", ""),
    "rules": ("证据规则", "Evidence rules", "同组规则说的是同一件事", "rules of one group say the same thing"),
    "id": ("编号", "Id", "", ""),
    "when": ("条件", "If", "", ""),
    "group": ("组", "Group", "", ""),
    "why": ("理由", "Why", "强度和阈值的依据", "what level and thresholds rest on"),
    "confused_with": ("容易混淆", "Easily confused with", "", ""),
    "Confusion.slug": ("另一病因的短名", "Short name of the other cause", "", ""),
    "tell": ("如何区分", "What tells them apart", "", ""),
    "fixes": ("怎么改", "Fixes", "", ""),
    "steps": ("步骤", "Steps", "Markdown", "Markdown"),
    "commands": ("命令", "Commands", "", ""),
    "run": ("命令", "Command", "", ""),
    "effect": ("预期效果", "Expected effect", "", ""),
    "text": ("说明", "In words", "", ""),
    "low": ("最少快几倍", "At least times faster", "", ""),
    "high": ("最多快几倍", "At most times faster", "", ""),
    "of": ("什么变快", "What gets faster", "", ""),
    "minutes": ("动手时间（分钟）", "Hands-on minutes", "", ""),
    "downtime": ("停机", "Downtime", "", ""),
    "risk": ("风险", "Risk", "", ""),
    "grounds": ("依据", "Grounds", "", ""),
    "verify": ("如何验证", "How to verify", "", ""),
    "undo": ("如何撤销", "How to undo", "", ""),
    "change": ("人们称之为", "What people call it", "", ""),
    "sources": ("出处", "Sources", "", ""),
    "Source.kind": ("种类", "Kind", "", ""),
    "ref": ("引用", "Reference", "仓库#编号、文档标题，或文件与版本", "repo#number, a document's title, or a file and version"),
    "says": ("它说了什么", "What it says", "", ""),
    "seen": ("查阅于", "Read in", "如 2026-12", "such as 2026-12"),
    "examples": ("示例病例", "Example cases", "本病因必须排进前三", "this cause must be among the first three"),
    "lang": ("语言", "Language", "", ""),
    "symptom": ("描述", "Words", "", ""),
    "command": ("启动命令", "Launch command", "", ""),
    "log": ("日志", "Log", "", ""),
    "nvidia_smi": ("nvidia-smi", "nvidia-smi", "", ""),
    "en": ("英文", "English", "", ""),
    "zh": ("中文", "Chinese", "", ""),
}  # fmt: skip

_GROUPS = {"EntryFile.kind": "kind", "Source.kind": "source", "frequency": "frequency", "symptoms_of": "symptom",
           "downtime": "downtime", "risk": "risk", "grounds": "grounds"}  # fmt: skip
_OF = {"speed": Both(zh="生成速度", en="generation"), "start": Both(zh="启动", en="start-up")}
_LANGUAGES = {"zh": Both(zh="中文", en="Chinese"), "en": Both(zh="英文", en="English")}

# What pydantic names the fault -> how we say it; {…} are its figures.
_FAULTS: dict[str, tuple[str, str]] = {
    "missing": ("请填写。", "Fill this in."),
    "string_too_short": ("请填写。", "Fill this in."),
    "string_too_long": ("最多 {max_length} 个字符。", "At most {max_length} characters."),
    "string_type": ("这里要填文字。", "A text goes here."),
    "too_short": ("至少需要 {min_length} 项，现在是 {actual_length} 项。", "At least {min_length} are needed; there are {actual_length}."),
    "literal_error": ("请选择一项。", "Choose one."),
    "int_parsing": ("请填一个整数。", "Fill in a whole number."),
    "int_type": ("请填一个整数。", "Fill in a whole number."),
    "int_from_float": ("请填一个整数。", "Fill in a whole number."),
    "float_parsing": ("请填一个数字。", "Fill in a number."),
    "float_type": ("请填一个数字。", "Fill in a number."),
    "greater_than": ("必须大于 {gt}。", "It must be above {gt}."),
    "greater_than_equal": ("至少为 {ge}。", "It must be at least {ge}."),
    "less_than_equal": ("最多为 {le}。", "It must be at most {le}."),
    "model_type": ("这里的结构不对。", "This has the wrong shape."),
    "model_attributes_type": ("这里的结构不对。", "This has the wrong shape."),
    "list_type": ("这里需要一个列表。", "A list goes here."),
    "extra_forbidden": ("条目里没有这个字段。", "An entry has no such field."),
}  # fmt: skip
_PATTERNS = {
    "Slug": ("只能用小写字母、数字和连字符，例如 eager-mode。", "Only lower-case letters, digits and hyphens, such as eager-mode."),
    "versions": ("写成 >=0.8.0,<0.11.0 这样的形式；留空表示所有版本。", "Write it as >=0.8.0,<0.11.0; leave it empty for all versions."),
}  # fmt: skip
# What our own validators say -> the same in Chinese.
_OWN: tuple[tuple[str, str], ...] = (
    (r"not an RE2 pattern: (.+)", "不是 RE2 模式：{0}"),
    (r"(.+) does not match its example (.+)", "模式 {0} 与例行 {1} 不匹配"),
    (r"an id stands twice: (.+)", "编号重复：{0}"),
    (r"unknown sources: (.+)", "没有这些出处：{0}"),
    (r"unknown fact (.+)", "词表里没有事实 {0}"),
    (r"only `in` takes a list", "只有“in”可以有多个值"),
    (r"`in` takes a list", "“in” 需要用逗号隔开的多个值"),
    (r"(\S+) is true or false, not (.+)", "{0} 只能是 true 或 false，而不是 {1}"),
    (r"(\S+) is one of (.+), not (.+)", "{0} 只能是 {1} 之一，而不是 {2}"),
    (r"(\S+) is a number, not (.+)", "{0} 是一个数字，而不是 {1}"),
    (r"(\S+) is not a number", "{0} 不是数字，不能比大小"),
)


def label(field: Field) -> Both:
    """What a field is called; a key that nobody described speaks for itself."""
    zh, en, _, _ = _words(field)
    return Both(zh=zh, en=en)


def hint(field: Field) -> Both | None:
    _, _, zh, en = _words(field)
    return Both(zh=zh, en=en) if en else None


def _words(field: Field) -> tuple[str, str, str, str]:
    plain = field.name.replace("_", " ")
    return LABELS.get(f"{field.owner}.{field.name}") or LABELS.get(field.name) or (plain, plain, "", "")


def choice(field: Field, value: Any) -> Both:
    """What one choice of a field is called."""
    if field.name == "level":
        return explain.factor(explain.likelihood(value))
    if field.name in ("of", "lang"):
        return (_OF if field.name == "of" else _LANGUAGES)[value]
    group = _GROUPS.get(f"{field.owner}.{field.name}") or _GROUPS.get(field.name)
    word = WORDS[group].get(str(value)) if group else None
    return Both(zh=word.zh, en=word.en) if word else Both(zh=str(value), en=str(value))


def fault(error: Mapping[str, Any]) -> Both:
    """What is wrong with a field, from pydantic's description of it."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "string_pattern_mismatch":
        zh, en = _PATTERNS["versions" if ">=" in str(context.get("pattern")) else "Slug"]
    elif kind == "value_error":
        zh, en = _own(error["msg"].removeprefix("Value error, "))
    else:
        zh, en = (text.format(**context) for text in _FAULTS.get(kind, (error["msg"], error["msg"])))
    return Both(zh=zh, en=en)


def _own(message: str) -> tuple[str, str]:
    for pattern, zh in _OWN:
        if found := re.fullmatch(pattern, message, re.DOTALL):
            return zh.format(*found.groups()) + "。", f"{message[0].upper()}{message[1:]}."
    return message, message
