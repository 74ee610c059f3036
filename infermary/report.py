"""An answer as plain text for a terminal, in Chinese or English."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable
from typing import Any

from kb import explain, fixes
from kb.evaluation import Report, calibration_error
from kb.judgement import Assessment, Contribution, NextStep, RankedCause, RankedFix
from kb.knowledge import Knowledge
from probes.spec import Result

SHOWN_CAUSES, SHOWN_EVIDENCE, SHOWN_FIXES, SHOWN_STEPS = 5, 4, 4, 4
WORDS = {
    "zh": {
        "problem": "结论：有问题", "suspected": "结论：可能有问题，还没有实测证据", "healthy": "结论：测过的部分都正常",
        "no_data": "结论：信息不足，什么都没有测到", "causes": "最可能的原因", "none": "都不是", "fixes": "先试这些",
        "steps": "接下来查什么", "findings": "值得注意", "probe": "探针", "question": "补充", "verify": "验证", "undo": "撤销",
        "minutes": "分钟", "restart": "需要重启服务", "reboot": "需要重启机器", "none_down": "不停机", "runs": "测量",
        "uncalibrated": "只有测量、没有描述的案例，可能性还没有校准，因此用词语表示。",
    },
    "en": {
        "problem": "Verdict: there is a problem", "suspected": "Verdict: suspected, nothing measured yet",
        "healthy": "Verdict: everything that was measured is fine", "no_data": "Verdict: no data, nothing could be judged",
        "causes": "Most likely causes", "none": "none of these", "fixes": "Try first", "steps": "Check next",
        "findings": "Worth noting", "probe": "probe", "question": "tell us", "verify": "verify", "undo": "undo", "minutes": "min",
        "restart": "restarts the server", "reboot": "reboots the machine", "none_down": "no downtime", "runs": "Measured",
        "uncalibrated": "Cases of measurements alone are not calibrated yet, so likelihood is said in words.",
    },
}  # fmt: skip


def usual_language() -> str:
    """zh where the terminal's locale is Chinese, else en."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def human(answer: Assessment, knowledge: Knowledge, lang: str) -> str:
    """The whole answer: verdict, is this normal, causes with their evidence, fixes, next steps."""
    said = WORDS[lang]
    lines = [said[answer.verdict]]
    if answer.normal is not None:
        lines += [line for said_so in answer.normal.sentences for line in _wrapped(getattr(said_so, lang), "  ")]
    for finding in answer.findings:
        lines += _wrapped(getattr(finding, lang), "  ! ")
    if answer.suspects and answer.verdict != "no_data":
        lines += ["", said["causes"]]
        lines += [line for cause in answer.suspects[:SHOWN_CAUSES] for line in _cause(cause, answer, knowledge, lang)]
        lines += [f"  {_share(answer.none, answer, lang)}  {said['none']}"]
        lines += [f"  {said['uncalibrated']}"] if answer.confidence == "uncalibrated" else []
        lines += _section(said["fixes"], (_fix(fix, answer, lang) for fix in _worth_trying(answer)[:SHOWN_FIXES]))
    if answer.suspects:
        lines += _section(said["steps"], (_step(step, lang) for step in answer.next_steps[:SHOWN_STEPS]))
    return "\n".join(lines).rstrip()


def _worth_trying(answer: Assessment) -> list[RankedFix]:
    """Fixes of causes that are likelier than "none of these"."""
    return [fix for fix in answer.fixes if fix.probability > answer.none]


def _share(probability: float, answer: Assessment, lang: str) -> str:
    return f"{explain.share(probability, answer.confidence).get(lang):>4}"


def _section(title: str, blocks: Iterable[list[str]]) -> list[str]:
    body = [line for block in blocks for line in block]
    return ["", title, *body] if body else []


def _cause(cause: RankedCause, answer: Assessment, knowledge: Knowledge, lang: str) -> list[str]:
    share = _share(cause.probability, answer, lang)
    lines = [f"  {share}  {knowledge.by_slug[cause.slug].title.get(lang)}  [{cause.slug}]"]
    telling = [c for c in cause.contributions if c.kind != "prior"]
    for contribution in sorted(telling, key=lambda c: -abs(c.weight))[:SHOWN_EVIDENCE]:
        lines += _evidence(contribution, lang)
    return lines


def _evidence(contribution: Contribution, lang: str) -> list[str]:
    return _wrapped(getattr(contribution, lang), f"        {explain.factor(contribution.weight).get(lang)}  ")


def _fix(ranked: RankedFix, answer: Assessment, lang: str) -> list[str]:
    fix, said = ranked.fix, WORDS[lang]
    down = said["none_down"] if fix.downtime == "none" else said[fix.downtime]
    lines = [f"  - {fix.title.get(lang)}  ({fix.minutes} {said['minutes']}, {down})  [{ranked.slug}]"]
    lines += _wrapped(fix.steps.get(lang), "      ")
    lines += [
        f"      $ {line}" for command in fixes.commands_here(fix, answer.facts) for line in command.run.splitlines()
    ]
    return lines + _wrapped(f"{said['verify']}: {fix.verify.get(lang)}", "      ")


def _step(step: NextStep, lang: str) -> list[str]:
    lines = _wrapped(f"{getattr(step, lang)}", f"  - {WORDS[lang][step.kind]}: ")
    for meaning in step.meanings[:3]:
        lines += _wrapped(getattr(meaning, lang), "      ")
    return lines


def _wrapped(text: str, lead: str) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()), 100, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False
    )


def runs(results: Iterable[Result], lang: str) -> str:
    """How each probe ended, with the reason where it could not measure."""
    lines = [WORDS[lang]["runs"]]
    for result in results:
        lines.append(
            f"  {result.probe}: {result.outcome} ({len(result.facts)}) {getattr(result, f'reason_{lang}')}".rstrip()
        )
        lines += [line for zh, en in result.missing for line in _wrapped(zh if lang == "zh" else en, "      ")]
    return "\n".join([*lines, ""])


def evaluation(outcome: Report, lang: str) -> str:
    """The figures of an evaluation as tables."""
    data = outcome.to_json()
    head = "案例" if lang == "zh" else "cases"
    lines = [f"{head:<14}{'n':>5}{'top-1':>8}{'top-3':>8}{'top-5':>8}{'MRR':>8}{'Brier':>8}"]
    rows = {"all": data["all"], **data["by_lang"], **data["by_kind"]}
    lines += [_figures(name, row) for name, row in rows.items()]
    lines += ["", "said     right     n" if lang == "en" else "所称    实际     n"]
    lines += [f"{row['said']:>5.0%}{row['right']:>10.0%}{row['n']:>6}" for row in data["reliability"]]
    lines += [f"ECE {calibration_error(outcome.judged):.3f}", ""]
    if data["facts"]:
        heading = ("事实", "精确率", "召回率") if lang == "zh" else ("fact", "precision", "recall")
        lines += [f"{heading[0]:<14}{'n':>5}{heading[1]:>11}{heading[2]:>9}", *map(_extracted, data["facts"]), ""]
    lines += [_missed(case) for case in data["missed"]]
    return "\n".join([*lines, *(f"! {error['id']}: {error['error']}" for error in data["errors"])])


def _figures(name: str, row: dict[str, float]) -> str:
    shares = "".join(f"{row[key]:>8.1%}" for key in ("top1", "top3", "top5"))
    return f"{name:<14}{row['n']:>5}{shares}{row['mrr']:>8.3f}{row['brier']:>8.3f}"


def _extracted(row: dict[str, Any]) -> str:
    precision = "-" if row["precision"] is None else f"{row['precision']:.0%}"
    return f"{row['fact']:<14}{row['n']:>5}{precision:>11}{row['recall']:>9.0%}"


def _missed(case: dict[str, Any]) -> str:
    return f"{case['id']:<28}{'/'.join(case['right'])} at {case['rank'] or '-'}, first: {', '.join(case['first'])}"
