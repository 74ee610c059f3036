"""The closed sets of the site in words: each with a drawing and a colour, so that no colour stands alone. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kb.explain import LIKELY, chance


@dataclass(frozen=True, slots=True)
class Word:
    icon: str
    tone: str
    zh: str
    en: str


W = Word
WORDS: dict[str, dict[str, Word]] = {
    "outcome": {
        "ok": W("check", "teal", "已测量", "measured"),
        "fine": W("check", "green", "检查过，没有问题", "looked, and it is fine"),
        "no_data": W("question", "amber", "没有数据", "no data"),
        "failed": W("cross", "red", "失败", "failed"),
        "timed_out": W("clock", "amber", "超时", "timed out"),
        "refused": W("dash", "amber", "被主机拒绝", "refused by the host"),
        "cancelled": W("stop", "", "已取消", "cancelled"),
    },
    "state": {
        "queued": W("clock", "", "排队中", "queued"),
        "running": W("play", "blue", "运行中", "running"),
        "done": W("check", "teal", "完成", "done"),
        "cancelled": W("stop", "", "已取消", "cancelled"),
        "lost": W("question", "amber", "没有回音", "no answer"),
    },
    "verdict": {
        "problem": W("warn", "red", "实测确有问题", "A problem is measured"),
        "stated": W("warn", "red", "按所给的数字，确有问题", "By the figures given, something is wrong"),
        "suspected": W("question", "amber", "有嫌疑，尚未证实", "Suspected, not measured yet"),
        "healthy": W("check", "green", "测过的都正常", "All that was measured is fine"),
        "no_data": W("dash", "", "还没有任何测量", "Nothing measured yet"),
    },
    "speed": {
        "normal": W("check", "green", "正常", "normal"),
        "look-closer": W("warn", "amber", "略慢，值得细看", "a little slow"),
        "slow": W("warn", "red", "偏慢", "slow"),
        "far-too-slow": W("warn", "red", "慢得不正常", "far too slow"),
        "faster-than-physics": W("question", "amber", "快过带宽允许", "faster than the bandwidth allows"),
        "unknown": W("question", "", "无法判断", "cannot be judged yet"),
    },
    "finding": {
        "contradiction": W("warn", "red", "自相矛盾", "contradiction"),
        "abnormal": W("warn", "amber", "异常", "abnormal"),
        "fine": W("check", "green", "正常", "fine"),
        "not_measured": W("question", "", "未测量", "not measured"),
        "note": W("info", "blue", "提示", "note"),
    },
    "claim": {
        "right": W("check", "green", "正确", "right"),
        "right-but-version-bound": W("versions", "teal", "仅某些版本正确", "right for some versions"),
        "depends": W("question", "blue", "视情况而定", "depends"),
        "misleading": W("warn", "amber", "有误导", "misleading"),
        "wrong": W("cross", "red", "错误", "wrong"),
        "not-a-real-option": W("dash", "red", "没有这个选项", "no such option"),
    },
    "speaks": {
        "for": W("check", "green", "支持", "speaks for it"),
        "against": W("cross", "red", "反对", "speaks against it"),
        "neither": W("info", "blue", "只说明条件", "shows the conditions"),
    },
    "claim-kind": {
        "symptom": W("", "", "症状", "symptom"),
        "cause": W("", "", "原因", "cause"),
        "fix": W("", "", "办法", "fix"),
        "diagnostic-step": W("", "", "诊断步骤", "diagnostic step"),
        "number": W("", "", "预期或数字", "expectation or number"),
        "fact": W("", "", "事实", "fact"),
    },
    "polarity": {
        "advised": W("", "", "建议", "advised"),
        "worked": W("check", "", "称有效", "reported to work"),
        "stated": W("", "", "陈述", "stated"),
        "no_effect": W("dash", "", "称无效", "reported without effect"),
        "denied": W("cross", "", "否认", "denied"),
    },
    "digest-line": {
        "new": W("question", "", "待定", "to be decided"),
        "accepted": W("check", "green", "已接受", "accepted"),
        "edited": W("edit", "green", "改后接受", "accepted, edited"),
        "rejected": W("cross", "", "未采纳", "rejected"),
    },
    "revision": {
        "draft": W("edit", "", "草稿", "draft"),
        "review": W("clock", "amber", "评审中", "in review"),
        "published": W("check", "green", "已发布", "published"),
        "rejected": W("cross", "red", "已退回", "sent back"),
    },
    "entry": {
        "draft": W("edit", "", "草稿", "draft"),
        "review": W("clock", "amber", "评审中", "in review"),
        "published": W("check", "green", "已发布", "published"),
        "retired": W("dash", "", "已停用", "retired"),
    },
    "kind": {
        "slow": W("clock", "", "变慢", "slows down"),
        "failure": W("cross", "", "导致失败", "makes it fail"),
    },
    "document": {
        "entry": W("pulse", "teal", "病因", "cause"),
        "claim": W("question", "blue", "说法", "claim"),
        "case": W("file", "", "病例", "case"),
    },
    "frequency": {
        "common": W("", "", "常见", "common"),
        "usual": W("", "", "一般", "usual"),
        "rare": W("", "", "少见", "rare"),
    },
    "symptom": {
        "slow": W("", "", "慢", "slow"),
        "oom": W("", "", "显存不足", "out of memory"),
        "load": W("", "", "加载失败", "does not load"),
        "hang": W("", "", "卡死", "hangs"),
        "output": W("", "", "输出异常", "wrong output"),
        "error": W("", "", "报错", "errors"),
        "multi-gpu": W("", "", "多卡", "several GPUs"),
    },
    "risk": {
        "0": W("check", "green", "无风险", "no risk"),
        "1": W("info", "", "可能变慢或明显失败", "may slow down or visibly fail"),
        "2": W("warn", "amber", "可能改变输出或减少容量", "may change outputs or cost capacity"),
        "3": W("warn", "red", "可能丢数据或伤硬件", "may lose data or harm hardware"),
    },
    "downtime": {
        "none": W("check", "", "不停服务", "no downtime"),
        "restart": W("clock", "", "需重启服务", "restarts the server"),
        "reboot": W("clock", "", "需重启机器", "reboots the machine"),
    },
    "grounds": {
        "vendor": W("", "", "厂商文档或我们的实测", "documentation or our own measurement"),
        "maintainer": W("", "", "维护者的说法", "a maintainer's word"),
        "forum": W("", "", "论坛经验", "forum experience"),
    },
    "mode": {
        "passive": W("check", "green", "只读，不打扰服务", "reads only, disturbs nothing"),
        "active": W("info", "amber", "会发送少量请求", "sends a few requests"),
        "disruptive": W("warn", "red", "需要独占 GPU", "needs the GPU to itself"),
    },
    "source": {
        "measurement": W("", "", "我们的实测", "our own measurement"),
        "vendor": W("", "", "厂商文档", "vendor document"),
        "maintainer": W("", "", "维护者", "maintainer"),
        "issue": W("", "", "问题单", "issue"),
        "paper": W("", "", "论文", "paper"),
        "arithmetic": W("", "", "推算", "arithmetic"),
    },
    "contribution": {
        "prior": W("", "", "先验", "prior"),
        "text": W("", "", "描述", "words"),
        "signature": W("", "", "日志行", "log line"),
        "rule": W("", "", "证据", "evidence"),
        "reach": W("", "", "能解释的程度", "how much it explains"),
        "exclusion": W("", "", "排除", "ruled out"),
    },
}  # fmt: skip


def word(group: str, value: object) -> Word:
    """The word for a value; a value that nobody described speaks for itself."""
    return WORDS[group].get(str(value), Word("", "", str(value), str(value)))


def likelihood(probability: float) -> Word:
    """How to say a probability: more likely than not, worth a look, or neither."""
    said = chance(probability)
    return Word("", "teal" if probability >= LIKELY else "", said.zh, said.en)
