"""What a person has tried, and whether it helped. Pure.

tensor-parallel-size改成2也没有变化 -> tried.change tensor-parallel, tried.without_effect tensor-parallel
换回FP16又OOM                        -> tried.change full-precision
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.prose import polarity, sentences
from probes.facts import Fact

KIND = "prose_tried"

# A change is one where the sentence says that somebody did something.
_DID = re2.compile(
    r"(?i)试(?:过|了|着)|尝试|换(?:成|回|了|过|到)|降(?:到|低)|提高|改(?:成|过|了|为|回|用)|调(?:到|成|过|了|大|小|高|低)|设(?:成|为)(?:了)?|加(?:了|过|上)|重(?:装|启|新)|升级|降级|退回|关(?:了|掉)|用(?:了|过)|都测试过|反复|"
    r"\b(?:tried|trying|changed|switched|set|went back|go back|moved|reinstall\w*|restart\w*|reboot\w*|upgrad\w*|downgrad\w*|increas\w*|lower\w*|reduc\w*|rais\w*|disabl\w*|added|removed|replaced|rebuilt|adding|using|already)\b"
)
_NO_EFFECT = re2.compile(
    r"(?i)没(?:有|啥|什么)?(?:任何)?(?:效果|用|变化|改善|区别|差别|作用|帮助|提升)|无(?:效|果|变化|改善)|不(?:管用|起作用|行|见效)|(?:还是|仍然?|依旧|依然|结果)(?:都)?(?:一样|很?慢|不行|报错|这样|如此|OOM)|(?:问题|现象|情况)(?:依旧|依然|还在|仍在|照旧)|都一样|也一样|一样(?:慢|的)|照样|"
    r"no (?:difference|change|effect|improvement|luck|avail)|(?:did ?n[o']t|does ?n[o']t|not|nothing) (?:help\w*|change\w*|work\w*|fix\w*|improve\w*|make a difference)|the same (?:result|error|speed|problem|happens)|same (?:result|error|problem|issue|speed)|still (?:slow|the same|fails?|hangs?|happens|crash\w*|OOM|out of)|makes? no|without (?:success|effect|any)|exactly the same"
)
CHANGES: tuple[tuple[str, str], ...] = (
    ("single-gpu", r"单卡|只用一张|单张卡|single GPU|one GPU|only one card|CUDA_VISIBLE_DEVICES ?= ?\d\b"),
    ("tensor-parallel", r"tensor[-_ ]parallel\w*|张量并行|\bTP ?=? ?\d\b|-tp\b|\bTP\b"),
    ("other-quantization", r"(?:换|改|试|switch|tried|another|other|using|different)[^。,;\n]{0,12}(?:AWQ|GPTQ|FP8|int[48]|GGUF|bitsandbytes|quanti[sz]ation|量化)"),
    ("full-precision", r"(?:换|改|试|退|用|switch|tried|back|using|went)[^。,;\n]{0,10}(?:FP16|BF16|float16|bfloat16|半精度|full precision|unquanti[sz]ed|原始?精度|非量化)"),
    ("raise-gpu-memory-utilization", r"(?:gpu[-_ ]memory[-_ ]utilization|mem[-_]fraction[-_]static)[^。;\n]{0,16}(?:(?:到|为|成|to|=|at)\s?0?\.9\d?|调高|调大|提高|up|higher|raised|increas)|(?:rais|increas|调高|调大|提高)\w*[^。,;\n]{0,10}gpu[-_ ]memory[-_ ]utilization"),
    ("lower-gpu-memory-utilization", r"(?:gpu[-_ ]memory[-_ ]utilization|mem[-_]fraction[-_]static)[^。;\n]{0,16}(?:(?:到|为|成|to|=|at)\s?0?\.[3-8]\d?|调低|调小|降|down|lower|reduc)|(?:lower|reduc|decreas|调低|调小|降低)\w*[^。,;\n]{0,10}gpu[-_ ]memory[-_ ]utilization"),
    ("lower-max-model-len", r"(?:lower|reduc|decreas|调小|降低|减小|限制|limit|set)\w*[^。,;\n]{0,12}(?:max[-_ ]model[-_ ]len|上下文|context)|max[-_ ]model[-_ ]len[^。;\n]{0,16}(?:调小|调低|降|改小|lower|reduc|to only|down)"),
    ("raise-batch", r"(?:batch(?:[-_ ]?size)?|批量|并发|max[-_ ]num[-_ ]seqs)[^。,;\n]{0,10}(?:调到|调大|调高|加到|加大|提高|增|改成|设为|up|larger|to \d)|(?:increas|rais|larger|bigger)\w*[^。,;\n]{0,10}(?:batch|max[-_ ]num[-_ ]seqs)"),
    ("lower-batch", r"(?:batch(?:[-_ ]?size)?|批量|并发|max[-_ ]num[-_ ]seqs)[^。,;\n]{0,10}(?:调小|调低|降|减|改小|lowered|reduced)|(?:lower|reduc|decreas|smaller)\w*[^。,;\n]{0,10}(?:batch|max[-_ ]num[-_ ]seqs)"),
    ("other-engine", r"(?:换|改用|试|switch|tried|with|using|in)[^。,;\n]{0,8}(?:ollama|llama\.?cpp|transformers|TGI|sglang|lmdeploy|exllama\w*|hf|huggingface)"),
    ("upgrade", r"升级|更新到|最新版|upgrad\w*|updated? to|latest (?:version|main|nightly|release)"),
    ("downgrade", r"降级|退回(?:到)?\s?v?\d|回退|downgrad\w*|(?:go|went|going|rolled) back to (?:v|version|vllm)?\s?v?\d|reverted to"),
    ("reinstall", r"重装|重新(?:安装|编译|下载)|reinstall\w*|rebuilt|fresh (?:install|environment|venv)|re-?download\w*"),
    ("reboot", r"重启(?:了)?(?:机器|服务器|主机|系统|电脑)|reboot\w*|restarted the (?:host|machine)"),
    ("restart", r"重启(?:了)?(?:服务|容器|vllm|进程|引擎|多次|过)|restart(?:ed|ing)? (?:the )?(?:server|service|container|vllm|engine|ollama|pod)|restarted"),
    ("enforce-eager", r"(?:--)?enforce[-_ ]eager|关(?:掉|闭|了)\s?CUDA ?graph|disabl\w+ CUDA ?graphs?"),
    ("other-gpu", r"换(?:了|成|到)?[^。,;\n]{0,6}(?:显卡|卡|GPU|机器)|another (?:GPU|card|machine)|different (?:GPU|card|machine)"),
    ("smaller-model", r"换(?:了|成)?(?:个)?[^。,;\n]{0,4}(?:更小|小)(?:的)?模型|smaller model"),
    ("more-workers", r"(?:num_workers|workers|worker|tokenizer[-_ ]pool[-_ ]size|api[-_]server[-_]count)[^。,;\n]{0,12}(?:调|加|增|\d|more|increas)"),
)  # fmt: skip
_CHANGES = [(name, re2.compile(f"(?i){pattern}")) for name, pattern in CHANGES]


def recognise(text: str) -> float:
    return 1.0 if _DID.search(text) else 0.0


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    seen: set[str] = set()
    for start, end in sentences(text):
        words = text[start:end]
        done = _DID.search(words)
        if not done:
            continue
        no_effect = _NO_EFFECT.search(words)
        for name, pattern in _CHANGES:
            match = pattern.search(words)
            if not match or name in seen or not _near(words, match):
                continue
            span = (start + match.start(), start + match.end())
            if polarity(text, (start, end), *span) == "asked":
                continue
            seen.add(name)
            collector.add("tried.change", name, span)
            if no_effect and abs(no_effect.start() - match.end()) < 60:
                collector.add(
                    "tried.without_effect",
                    name,
                    (min(span[0], start + no_effect.start()), max(span[1], start + no_effect.end())),
                )
    return collector.facts


def _near(words: str, match: object) -> bool:
    """Whether the doing and the thing stand together, not at two ends of a long sentence."""
    return bool(_DID.search(words[max(0, match.start() - 25) : match.end() + 25]))
