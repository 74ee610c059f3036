"""What a person has tried, and whether it helped. Pure.

tensor-parallel-size改成2也没有变化 -> tried.change tensor-parallel, tried.without_effect tensor-parallel
换回FP16又OOM                        -> tried.change full-precision
with --enforce-eager it starts       -> tried.change enforce-eager, tried.helped enforce-eager
"""

from __future__ import annotations

import re2

from kb.facts.collect import Collector
from kb.facts.prose import polarity, sentences
from probes.facts import Fact

KIND = "prose_tried"

# A change is one where the sentence says that somebody did something.
_DID = re2.compile(
    r"(?i)试(?:过|了|着)|尝试|换(?:成|回|了|过|到)|降(?:到|低)|提高|改(?:成|过|了|为|回|用)|调(?:到|成|过|了|大|小|高|低)|设(?:成|为)(?:了)?|设置|加(?:了|过|上)|重(?:装|启|新)|升级|降级|退回|关(?:了|掉)|用(?:了|过)|都测试过|反复|"
    r"\b(?:tried|trying|changed|switched|set|went back|go back|moved|reinstall\w*|restart\w*|reboot\w*|upgrad\w*|downgrad\w*|increas\w*|lower\w*|reduc\w*|rais\w*|disabl\w*|added|removed|replaced|rebuilt|adding|using|already)\b"
)
_NO_EFFECT = re2.compile(
    r"(?i)没(?:有|啥|什么)?(?:任何)?(?:效果|用|变化|改善|区别|差别|作用|帮助|提升)|无(?:效|果|变化|改善)|不(?:管用|起作用|行|见效)|(?:还是|仍然?|依旧|依然|结果)(?:都)?(?:一样|很?慢|不行|报错|这样|如此|OOM)|(?:问题|现象|情况)(?:依旧|依然|还在|仍在|照旧)|都一样|也一样|一样(?:慢|的)|照样|"
    r"no (?:difference|change|effect|improvement|luck|avail)|(?:did ?n[o']t|does ?n[o']t|not|nothing) (?:help\w*|change\w*|work\w*|fix\w*|improve\w*|make a difference)|the same (?:result|error|speed|problem|happens)|same (?:result|error|problem|issue|speed)|still (?:slow|the same|fails?|hangs?|happens|crash\w*|OOM|out of)|makes? no|without (?:success|effect|any)|exactly the same"
)
# What worked: said of the change in the same sentence, "with tensor parallel 1 it starts".
_HELPED = re2.compile(
    r"(?i)(?:就|才|都|可以|能)\s?(?:正常|恢复|好了|没问题|不(?:再)?(?:报错|卡|慢|崩)|跑起来|启动|快了)|(?:恢复|一切)正常|(?:是|运行|工作|启动|都|时候?|下)\s?(?:是)?正常|没(?:有)?问题|就(?:好|行|快)了|解决了|不再(?:出现|报错|卡|崩)|没再(?:出现|报错)|"
    r"\b(?:it |everything |all |that |the (?:same )?(?:model|server|engine|start|error|hang|problem|issue) |which )?(?:works?|worked|working|runs|ran|starts?|started|loads|loaded|succeeds) (?:fine|well|ok|okay|again|correctly|normally|without|perfectly|as expected|properly|up|in (?:a few )?\d*\s?(?:s|seconds|minutes)?)|"
    r"\b(?:it|everything|this|that|the (?:model|server|engine)) (?:works|worked|starts|started|runs|loads)\b|\bworks (?:with|on|when|if|for)\b|\b(?:is|are|was|were) (?:fine|ok|normal|fast|correct|stable|good|right)\b|"
    r"\b(?:fix(?:es|ed)|cures?|solv(?:es|ed)|resolv(?:es|ed)|avoids?|(?:goes|went) away|disappear(?:s|ed)?|is gone|no longer|helps|helped)\b"
)
_WITH = re2.compile(r"(?i)\b(?:with|without|on|if|when|only)\b|(?:用|关|开|加|去掉|不用|不开|单独|直连|直接)")
_DENIED = re2.compile(r"(?i)(?:not|n't|never|no|hardly|barely|only|不|没|未|非)\s?(?:\w{0,8}\s)?$")
CHANGES: tuple[tuple[str, str], ...] = (
    ("single-gpu", r"\bTP ?=? ?1\b|tensor[-_ ]parallel\w*(?:[-_ ]size)?(?: of| is|=| )? ?1\b|单卡|只用一张|单张卡|single GPU|one GPU|only one card|CUDA_VISIBLE_DEVICES ?= ?\d\b"),
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
    ("disable-custom-all-reduce", r"disable[-_ ]custom[-_ ]all[-_ ]?reduce|custom[-_ ]all[-_ ]?reduce (?:off|disabled)|(?:禁用|关(?:闭|掉)?)\s?custom[-_ ]all[-_ ]?reduce"),
    ("disable-nccl-p2p", r"NCCL_P2P_DISABLE|NCCL_P2P_LEVEL|(?:P2P|peer[- ]to[- ]peer) (?:off|disabled)|disabl\w+ (?:the )?(?:P2P|peer[- ]to[- ]peer|IOMMU|ACS)|(?:禁用|关(?:闭|掉)?)\s?(?:P2P|IOMMU|ACS)"),
    ("disable-speculative", r"(?:without|disabl\w+|turn\w* off|no|关(?:闭|掉|了)?|不(?:用|开))\s?(?:the )?(?:speculative|spec\b|MTP|EAGLE|draft|ngram|投机|推测)\w*"),
    ("disable-lora", r"(?:without|disabl\w+|remov\w+|merg\w+|no|不(?:用|挂|加载)|去掉|合并)\s?(?:the |any )?(?:LoRA|adapter)\w*"),
    ("disable-prefix-caching", r"(?:without|disabl\w+|no|turn\w* off|关(?:闭|掉|了)?)[- _]?(?:enable[- _])?(?:prefix|radix)[- _](?:cach\w+)|(?:no|disable)[-_](?:enable[-_])?(?:prefix[-_]caching|radix[-_]cache)|关(?:闭|掉|了)?\s?前缀缓存"),
    ("bypass-proxy", r"(?:direct(?:ly)?|straight) (?:to|at|against|on|from|calls?)|calling [^。,;\n]{0,24} directly|bypass\w* (?:the )?(?:proxy|nginx|gateway|ingress)|without (?:the |our )?(?:proxy|nginx|gateway|ingress|load balancer)|直连|绕过\s?(?:nginx|网关|代理)|直接(?:请求|访问|调用|curl)"),
    ("disable-thinking", r"enable_thinking\W{0,4}false|/no_?think|(?:without|disabl\w+|turn\w* off|关(?:闭|掉|了)?)\s?(?:the )?(?:thinking|reasoning|思考)"),
    ("limit-cpu-threads", r"(?:OMP|MKL|OPENBLAS)_NUM_THREADS|(?:-t|--threads|cpu[-_]infer|num[-_]thread\w*|threads?|线程(?:数)?)\s?(?:=|to|of|到|为|改成|设为)\s?\d+|fewer threads|taskset|numactl|pinn\w+ (?:to )?(?:the )?(?:cores?|cpus?)|绑核"),
    ("raise-shm", r"--shm-size|--ipc[= ]host|/dev/shm"),
    ("other-dtype", r"--dtype|torch_dtype|(?:换|改|试|switch|tried|using|with|in)[^。,;\n]{0,10}(?:float32|fp32|bfloat16|bf16|float16|fp16|half)\b"),
    ("one-request-at-a-time", r"(?:one|a single|single) (?:request|client|stream|user)s?\b|concurrency (?:of )?1\b|单(?:个|条|路)?(?:请求|并发)|一个请求|逐个(?:请求|发送)|并发(?:为|是)?\s?1\b"),
    ("more-workers", r"(?:num_workers|workers|worker|tokenizer[-_ ]pool[-_ ]size|api[-_]server[-_]count)[^。,;\n]{0,12}(?:调|加|增|\d|more|increas)"),
)  # fmt: skip
_CHANGES = [(name, re2.compile(f"(?i){pattern}")) for name, pattern in CHANGES]


def recognise(text: str) -> float:
    return 1.0 if _tells(text) else 0.0


def _tells(words: str) -> bool:
    """Whether somebody did something, or says what came of it."""
    return any(pattern.search(words) for pattern in (_DID, _HELPED, _NO_EFFECT))


def extract(text: str, source: str) -> list[Fact]:
    collector = Collector(text, source, "text")
    seen: set[str] = set()
    taken: list[tuple[int, int]] = []
    for start, end in sentences(text):
        words = text[start:end]
        if not _tells(words):
            continue
        for name, pattern in _CHANGES:
            match = pattern.search(words)
            if not match or name in seen:
                continue
            outcome, told = _outcome(words, match)
            if not (_near(words, match) or (outcome and _named(words, match, told))):
                continue
            span = (start + match.start(), start + match.end())
            if any(a < span[1] and span[0] < b for a, b in taken) or polarity(text, (start, end), *span) == "asked":
                continue
            seen.add(name)
            taken.append(span)
            collector.add("tried.change", name, span)
            if outcome:
                collector.add(outcome, name, (min(span[0], start + told.start()), max(span[1], start + told.end())))
    return collector.facts


def _near(words: str, match: object) -> bool:
    """Whether the doing and the thing stand together, not at two ends of a long sentence."""
    return bool(_DID.search(words[max(0, match.start() - 25) : match.end() + 25]))


def _named(words: str, match: object, told: object) -> bool:
    """Whether the thing is what the judgement is about: "with X it starts", "X works"."""
    return 0 <= told.start() - match.end() <= 3 or bool(_WITH.search(words[max(0, match.start() - 14) : match.end()]))


def _outcome(words: str, match: object) -> tuple[str, object]:
    """What the sentence says of the change: the fact, and the words that say it; ("", None) where it says nothing.

    The nearest judgement after the change counts, one before it only where none follows; "does not work" is no success.
    """
    judged = [("tried.without_effect", found) for found in _NO_EFFECT.finditer(words)]
    judged += [
        ("tried.helped", found) for found in _HELPED.finditer(words)
        if not _DENIED.search(words[max(0, found.start() - 16) : found.start()])
    ]  # fmt: skip
    after = [
        (found.start() - match.end(), name, found) for name, found in judged if 0 <= found.start() - match.end() < 60
    ]
    before = [
        (match.start() - found.end(), name, found) for name, found in judged if 0 <= match.start() - found.end() < 25
    ]
    inside = [(0, name, found) for name, found in judged if found.start() < match.end() and found.end() > match.start()]
    if not (nearest := sorted(inside + after, key=lambda item: item[0]) or sorted(before, key=lambda item: item[0])):
        return "", None
    return nearest[0][1:]
