"""Clauses of a post that state something about serving a model: kind, polarity, flags and figures of each. Pure.

Rules of the two languages, nothing of any one thread: where clauses end, which words suppose a cause, give advice, ask for
a check, expect a figure, and which tell that something helped, did not, or is not so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import re2

from kb.distil.digest import Polarity, Post
from kb.facts.clean import clean
from kb.facts.prose import sentences
from kb.text import glossary, words
from kb.thread_file import ClaimKind

# A longer clause is no statement but data.
LONGEST_CLAUSE = 400


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between two breaks.

    Attributes:
        start, end: characters of the post's text.
        sentence: the number of its sentence within the post.
        text: normalised.
        words: as `kb.text.words` has them.
        tells: whether it names anything of the field: without that it is talk.
    """

    start: int
    end: int
    sentence: int
    text: str
    words: tuple[str, ...]
    tells: bool


# what is read and what is left out

_FENCED = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[^\n]*$|\Z)", re.M | re.S)
_QUOTED = re.compile(
    r"^[ \t]*>[^\n]*$|^[ \t]*(?:引用|回复|reply to|in reply to|quote)[ :：#@].{0,60}$"
    r"|^[^\n]{0,80}(?:发表于|写道|wrote|said)[ \d:/-]{0,20}[:：][ \t]*$",
    re.M | re.I,
)
# A dash breaks a sentence like a comma; `clean` would make it the beginning of a flag.
_DASHES = str.maketrans({"—": ",", "…": ","})


# What a machine wrote: a time stamp or a level first, a traceback, a prompt, a table, a shell line.
_NOT_PROSE = re.compile(
    r"^\s*(?:[\[(]?(?:\d{4}-\d\d-\d\d[T ]\d|\d\d:\d\d:\d\d|\d\d-\d\d \d\d:)"
    r"|\(?\w{0,20}[ =]?[\w=]{0,20}\)?\s?[\[(]?(?:INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL|TRACE)\b[\])]?[ :]"
    r"|File \"|Traceback \(most|[\w.]{1,80}(?:Error|Exception|Warning): |[|+$]|\w[\w.:-]{0,80}\{|[{}\[\]]|at [\w.$]{1,80}\(|>>> )"
)


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive lines that a person wrote."""
    begin, at = 0, 0
    for line in text.splitlines(keepends=True):
        if _NOT_PROSE.match(line) or not line.strip():
            if begin < at:
                yield begin, at
            begin = at + len(line)
        at += len(line)
    if begin < at:
        yield begin, at


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def clauses(post: Post) -> list[Clause]:
    """The clauses of a post, without what it quotes, its code and its logs."""
    text = _QUOTED.sub(_blank, _FENCED.sub(_blank, post.text)).translate(_DASHES)
    cleaned = clean(text)
    found: list[Clause] = []
    number = 0
    for start, end in _runs(cleaned.text):
        run = cleaned.text[start:end]
        for sentence in sentences(run):
            number += 1
            for a, b in _parts(run, *sentence):
                if 0 < b - a <= LONGEST_CLAUSE:
                    own = words(run[a:b])
                    span = cleaned.original_span(start + a, start + b)
                    found.append(Clause(*span, number, run[a:b], own, _tells(run[a:b], own)))
    return found


_BREAK = re2.compile(
    r"[,()?](?:[^\d]|$)|:(?:[\s\p{Han}]|$)|[^\d],|\b(?:but|because|so that|and (?:then|check|try|see|also)|which (?:is|means|makes))\b|\n"
)
# An English comma ends a clause only before a word that begins one.
_BEGINS = re2.compile(
    r"(?i)^\s*(?:and|but|so|then|or|which|because|since|while|if|try|check|also|you|i|it|the|this|that|there|they|we|what|"
    r"use|set|make|see|look|run|otherwise|not|maybe|probably|your|my|mine|with|without|after|before|as)\b"
)
HAN = re2.compile(r"\p{Han}")


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges between the breaks of a sentence, without blanks and marks around them."""
    at = start
    for match in _BREAK.finditer(text[start:end]):
        mark = start + match.start() + (match.group()[:1] not in ",:()?\n" and match.group().endswith(","))
        is_mark = text[mark] in ",:()?\n"
        stop = mark + 1 if is_mark else mark
        if mark < at or (text[mark] == "," and not _ends_clause(text, mark, end)):
            continue
        if text[mark] == "\n":
            continue
        yield from _trimmed(text, at, mark)
        at = stop
    yield from _trimmed(text, at, end)


def _ends_clause(text: str, mark: int, end: int) -> bool:
    around = text[max(0, mark - 8) : mark] + text[mark + 1 : mark + 9]
    return bool(HAN.search(around)) or bool(_BEGINS.search(text[mark + 1 : min(end, mark + 20)]))


_LEADING = re.compile(r"(?:[\s,:;()?!。.*•\"'`]|-(?![A-Za-z-]))*")
_TRAILING = " \t\n,:;(?!。.*•\"'`"


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    left, right = _LEADING.match(piece).end(), len(piece.rstrip(_TRAILING))
    if left < right:
        yield start + left, start + right


# what a clause speaks of


@cache
def _field() -> frozenset[str]:
    """Words of the field: those of the glossary that stand alone there, and the Chinese ones that are no single character."""
    terms = {words(term) for pair in glossary() for term in pair}
    return frozenset(
        word for term in terms for word in term if len(word) > 1 and (len(term) == 1 or not word.isascii())
    )


_NAMES_A_THING = re2.compile(
    r"(?i)[a-z]+[_-][a-z]+[_-][a-z]+|--[a-z]|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b(?:gpus?|cpus?|vram|ram|cuda|rocm|oom|kv|lora|awq|gptq|"
    r"gguf|fp(?:16|8|32|4)|bf16|int[48]|pcie|nvlink|nccl|nvme|ssd|hdd|docker|numa\w*|nvidia|vllm|sglang|ollama|llama|exllama\w*|tgi|"
    r"transformers|batch|tokens?|prefill|decode|kernel|driver|quant\w*|tensor|cache|swap|model|log|prompt|context|threads?|"
    r"bandwidth|latency|throughput|image|container|version|cable|riser|power|temperature|clock)\b"
    r"|模型|显卡|显存|内存|驱动|量化|推理|日志|参数|带宽|并行|单卡|双卡|多卡|磁盘|硬盘|缓存|延迟|吞吐|精度|版本|框架|温度|功耗|频率|电源|权重|算子|内核|调度|硬件|主板|插槽|软件|配置|系统"
)


def _tells(text: str, own: tuple[str, ...]) -> bool:
    if _NAMES_A_THING.search(text) or flags(text) or not _field().isdisjoint(own):
        return True
    return any(unit for _, unit in _NUMBER.findall(text))


# flags and figures

_FLAG = re.compile(
    r"(--[A-Za-z][\w-]{1,50}|(?<![\w-])-[A-Za-z]{1,5}(?=[ =]\S|$))|(?<![A-Za-z0-9_])(?!I?Q\d)([A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){1,6})(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_-])([a-z][a-z0-9]{1,20}(?:[_-][a-z0-9]{1,20}){2,5}|(?:tensor|pipeline)_parallel|enforce[-_]eager|device_map|num_ctx"
    r"|group_size|block[-_ ]size|batch[-_ ]size)(?![A-Za-z0-9_])",
    re.A,
)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(\d[\d.]{0,9}(?:%?\s?(?:-|~|to|到|至)\s?\d[\d.]{0,9})?\+?)\s?((?:tokens?\s?/\s?s(?:ec(?:ond)?)?|toks?/s|t/s|tps"
    r"|[GT]B/s|[GMT]i?B|[gkm]b?|ms|s|sec(?:ond)?s?|min(?:ute)?s?|个?\s?tokens?|[GM]Hz|W|x|times)(?![A-Za-z])|%|秒|分钟|度|°C|倍|个?字)?",
    re.I,
)
_SETS = re.compile(r"(?:=|到|为|成|设|是|用|回|to|at|of|:)\s?$", re.I)


def flags(text: str) -> tuple[str, ...]:
    """Flags and variables named, each once, in one spelling."""
    found = []
    for dashed, variable, plain in _FLAG.findall(text):
        if variable or not (plain or dashed.startswith("--")):
            found.append(variable or dashed)
        else:
            found.append("--" + (dashed or plain).lstrip("-").lower().replace("_", "-").replace(" ", "-"))
    return tuple(dict.fromkeys(found))


def numbers(text: str) -> tuple[str, ...]:
    """Figures with their units; a bare one only where it is a setting, a fraction or a range: others are names of things."""
    found = []
    for match in _NUMBER.finditer(text):
        figure, unit = match.groups()
        if unit or not figure.isdigit() or _SETS.search(text[max(0, match.start() - 6) : match.start()]):
            found.append(f"{figure} {unit or ''}".strip(" ."))
    return tuple(dict.fromkeys(found))


# what kind of statement it is

_KINDS: tuple[tuple[ClaimKind, str], ...] = (
    ("cause",
     r"导致|造成|因为|由于|瓶颈|原因|怀疑|大概率|八成|多半|罪魁|的锅|根源|问题(?:可能)?(?:出)?在|卡在|卡住|拖(?:慢|累|死|垮|后腿)|影响|触发|没(?:生效|有?启用|有?合并|跑对|配好|开)|不匹配|不兼容|太旧|抢占"
     r"|\b(?:because|caus\w+|due to|bottleneck\w*|culprit|reason|suspect|likely|the (?:problem|issue) (?:is|was)|slow(?:s|ing) (?:it|things|down)|limited by|mismatch\w*|(?:too old|outdated))\b"),
    ("number",
     r"(?:正常|应该|理论|通常|一般|能|可以|至少|大概)[^。,]{0,16}\d[\d.\-~ 到]*\s?\+?\s?(?:个?\s?tok|t/s|GB|秒|%|倍|ms)|翻(?:倍|了)|快\s?(?:了)?\d|好几倍|本来就|十分之|放得下|塞下"
     r"|\b(?:should|expect\w*|normal\w*|typical\w*|usually|theor\w+|at least|supposed to)\b[^.]{0,60}\d|\b\d+(?:\.\d+)?\s?(?:x|times|%) (?:faster|slower|more|higher)|\b(?:doubled|tripled|halved)\b"),
    ("symptom",
     r"只有|才\s?\d|不到|飙|OOM|报错|花了|慢得|离谱|反而更慢|占用|不正常|卡死|崩溃|没有?(?:明显)?(?:效果|变化)|效果不明显"
     r"|\b(?:only get|i get|i'm getting|gives?|jumps?|rises|takes|crash\w*|hangs?|freez\w*|stuck|oom|out of memory|errors? out|fails?|drops? to|slows? (?:down|to)|very slow|so slow)\b"),
    ("diagnostic-step",
     r"检查|查(?:一?下|看|了)|看(?:一?下|看|一看)|确认|排查|排除|观察|监控|关注|对比|比较|贴(?:出来|一下|个)|测(?:一?下|试)|先.{0,12}(?:跑|试)|弄清|有没有|是不是"
     r"|\b(?:check\w*|look (?:at|for|in)|verify|confirm|compare|measure|profile|monitor|watch|post (?:the|your)|share (?:the|your)|which version|what does|see (?:if|whether|what)|rule out|make sure|benchmark|paste)\b"),
    ("fix",
     r"试试|试下|尝试|换(?:成|个|用|到|回|了|下|一)|改(?:成|为|用|下|回|一|环境|大|小)|设(?:成|为|置|大|小|到)|调(?:成|到|大|小|高|低|整)|加(?:上|个|到|大|一)|启用|开启|打开|关(?:掉|闭)|升级|更新(?:到|一)|降(?:到|低|至)|挪|合并|改用|换用|指定|禁用|重新|上\s?[A-Z]|限制"
     r"|\b(?:try|set|use|using|switch\w*|upgrade\w*|updat\w+|add\w*|disabl\w+|enabl\w+|lower\w*|rais\w+|increas\w+|reduc\w+|mov\w+|merg\w+|install\w*|rebuil\w+|replac\w+|pass|turn(?:ing)? (?:on|off)|downgrad\w*|pin\w*|restart\w*|build)\b"),
)  # fmt: skip
_KIND_PATTERNS = [(kind, re2.compile(f"(?i){pattern}")) for kind, pattern in _KINDS]
_IMPERATIVE = re2.compile(
    r"(?i)^\W{0,3}(?:please |建议|可以|最好|first |then |also |and |or |you (?:can|could|should|may) |i(?:'d| would) |另外|还有|再|或者|先|请)?\s?(?:你?(?:可以)?(?:尝试|试)|换|改[^善]|把|设|调[^度]|加[^载]|启用|升级|用|开个|直接(?:换|用|上)|try|set|use|switch|upgrade|add|disable|enable|lower|raise|increase|reduce|merge|install|rebuild|replace|pass|turn|quantize)"
)
_ASKS_TO_LOOK = re2.compile(
    r"(?i)^\W{0,3}(?:please |建议|可以|最好|first |then |also |and |you (?:can|could|should|may) |另外|还有|再|或者|先|请|重点)?\s?(?:检查|查|看[^到来起]|确认|排查|监控|关注|观察|对比|check|look|verify|confirm|compare|measure|profile|monitor|watch|post|make sure|rule out)"
)


_TO_SEE = re2.compile(r"看(?:看|速度|有没有|是否|一下)|对比|\band (?:see|compare|look)\b")
_RUNS_ON = re2.compile(r"用[^,]{1,40}(?:跑|部署)")


def kind(text: str) -> ClaimKind:
    """What a statement is: its first words decide where they ask for something, else the first kind whose words it has."""
    if _ASKS_TO_LOOK.search(text):
        return "diagnostic-step"
    if _IMPERATIVE.search(text) and not _RUNS_ON.search(text):
        return "diagnostic-step" if _TO_SEE.search(text) else "fix"
    return next((kind for kind, pattern in _KIND_PATTERNS if pattern.search(text)), "fact")


# how it is said

_NO_EFFECT = re2.compile(
    r"(?i)没(?:有|啥|什么)?(?:任何)?(?:效果|用(?:$|[,。处])|变化|改善|区别|差别|作用|帮助|提升)|无(?:效|果|变化|改善)|效果不明显|不(?:管用|起作用|见效)|(?:还是|仍然?|依旧|依然)(?:都)?(?:一样|很?慢|不行)|毫无"
    r"|\bno (?:difference|change|effect|improvement|luck)|did ?n[o']t (?:help|change|work|fix|improve)|does ?n[o']t (?:help|change anything|work)|nothing changed|makes? no|still (?:slow|the same|fails?|crash\w*|oom)\b|without (?:success|effect)"
)
_WORKED = re2.compile(
    r"(?i)(?:就|才|直接)\s?(?:正常|恢复|好了?|解决|快了|翻)|解决了|翻(?:倍|了)|直接(?:降|快|翻)了?|搞定|(?:速度|延迟).{0,6}(?:正常了|上来了|快了|降了)|之后.{0,8}(?:正常|好了)|亲测有效|有效果"
    r"|\b(?:fix(?:es|ed) (?:it|this|mine|the)|solved|resolved|did the trick|that was it\b|that was it|works? (?:now|for me|fine)|worked|went away|helped|is gone|back to normal|(?:doubled|tripled)|went (?:from|up)|got me from)\b"
)
_DENIED = re2.compile(
    r"(?i)不(?:太|大)?(?:可能)?是[^,。]{0,24}(?:问题|瓶颈|原因)|不在(?:于)?|没有?必要|(?:没|无)关系|跟.{0,12}(?:关系不大|无关)|其实够用|不用担心|别(?:再)?(?:用|开|设|信)|不要(?:用|开|设)|并不(?:会|是)|不至于"
    r"|\b(?:is ?n[o']t|are ?n[o']t|was ?n[o']t|not) (?:the|your|a) (?:problem|issue|bottleneck|cause|reason|culprit)|has nothing to do|unrelated|do ?n[o']t (?:use|set|bother|need)|no need|not (?:needed|necessary|related|true)|is wrong|never (?:use|set)"
)


def polarity(text: str, what: ClaimKind) -> Polarity:
    """How a statement is meant: what somebody went through counts before what is advised."""
    if _NO_EFFECT.search(text):
        return "no-effect"
    if _WORKED.search(text):
        return "worked"
    if _DENIED.search(text):
        return "denied"
    return "advised" if what in ("fix", "diagnostic-step") else "stated"


def tells_outcome(text: str) -> bool:
    """Whether a clause says what came of something."""
    return bool(_NO_EFFECT.search(text) or _WORKED.search(text))
