"""A case as Markdown, for a chat or an issue of the engine: what it is, what was measured, what it most likely is. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kb import explain
from kb.judgement import Assessment
from kb.knowledge import Knowledge
from kb.present.answer import verdict
from kb.present.facts import areas, quantity
from kb.present.words import word

TEXT = {
    "verdict": ("结论", "Verdict"), "known": ("已知的事实", "What is known"), "found": ("发现", "Findings"),
    "causes": ("可能的原因", "Likely causes"), "fixes": ("建议", "What to change"), "none": ("以上都不是", "none of these"),
    "origin": ("来源", "from"), "value": ("值", "value"), "fact": ("事实", "fact"), "verify": ("验证", "Check"),
    "because": ("依据", "because"), "uncalibrated": ("概率尚未校准。", "The probabilities are not calibrated yet."),
}  # fmt: skip
CAUSES, FIXES, EVIDENCE = 5, 3, 4


def _cell(text: str) -> str:
    """Text that cannot break out of a table cell."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def as_markdown(answer: Assessment, knowledge: Knowledge, language: str, *, title: str, address: str) -> str:
    """The case in the given language; `address` is the link to it."""
    pick = 0 if language == "zh" else 1

    def say(name: str) -> str:
        return TEXT[name][pick]

    lines = [
        f"## {_cell(title)}",
        "",
        address,
        "",
        f"**{say('verdict')}:** {getattr(verdict(answer), language)}",
    ]
    lines += _findings(answer, language, say("found"))
    lines += [
        "",
        f"### {say('known')}",
        "",
        f"| {say('fact')} | {say('value')} | {say('origin')} |",
        "| --- | --- | --- |",
    ]
    for area in areas(answer.facts):
        for chip in area.chips:
            cells = (getattr(chip.declared, language), quantity(chip.fact, language), chip.origin[language])
            lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    lines += ["", f"### {say('causes')}", ""]
    if answer.confidence == "uncalibrated":
        lines += [say("uncalibrated"), ""]
    lines += _causes(answer, knowledge, language, say("because"))
    lines += [
        f"- {explain.share(answer.none, answer.confidence).get(language)} {say('none')}",
        "",
        f"### {say('fixes')}",
        "",
    ]
    lines += _fixes(answer, language, say("verify"))
    return "\n".join(lines) + "\n"


def _findings(answer: Assessment, language: str, heading: str) -> Iterable[str]:
    if not answer.findings:
        return []
    rows = [f"- {getattr(word('finding', f.kind), language)}: {_cell(getattr(f, language))}" for f in answer.findings]
    return ["", f"### {heading}", "", *rows]


def _causes(answer: Assessment, knowledge: Knowledge, language: str, because: str) -> Iterable[str]:
    for cause in [c for c in answer.suspects if c.slug in knowledge.by_slug][:CAUSES]:
        said = explain.share(cause.probability, answer.confidence).get(language)
        yield f"- **{said}** {knowledge.by_slug[cause.slug].title.get(language)} (`{cause.slug}`)"
        telling = sorted((c for c in cause.contributions if c.kind != "prior"), key=lambda c: -abs(c.weight))
        for term in telling[:EVIDENCE]:
            yield f"  - {because} {explain.factor(term.weight).get(language)}: {_cell(getattr(term, language))}"


def _fixes(answer: Assessment, language: str, verify: str) -> Iterable[str]:
    for number, ranked in enumerate(answer.fixes[:FIXES], 1):
        yield f"{number}. **{ranked.fix.title.get(language)}** – {_cell(ranked.fix.effect.text.get(language))}"
        for command in ranked.fix.commands:
            yield f"   - {command.engine} {command.versions}".rstrip() + f": `{' '.join(command.run.split())}`"
        yield f"   - {verify}: {_cell(ranked.fix.verify.get(language))}"
