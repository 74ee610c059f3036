"""The `infermary` command: diagnose a text, check this machine, replay a bundle, measure the ranking, distil a thread.

Needs no site, no database and no broker, and nothing that they need.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from infermary import load, report, sources
from infermary.sources import Unreadable

log = logging.getLogger(__name__)

EXIT_CODES = """exit codes:
  0  something was judged, whatever the verdict
  2  nothing could be judged or measured, or wrong use; the reason is on standard error or in the answer
"""
NOTHING = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    args = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # JSON is UTF-8 wherever it goes; a terminal gets a mark for what it cannot show.
            stream.reconfigure(encoding="utf-8" if args.json else stream.encoding, errors="replace")
    try:
        return args.run(args)
    except BrokenPipeError:
        # The reader (head, less) has enough; nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="infermary", description="诊断大模型推理服务 · diagnose LLM serving", epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"infermary {metadata.version('infermary')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_add_diagnose, _add_check, _add_replay, _add_evaluate, _add_distil, load.add):
        command = add(commands)
        command.add_argument("--json", action="store_true", help="machine-readable output · 输出 JSON")
        command.add_argument("--lang", choices=("zh", "en"), default=report.usual_language(), help="language · 语言")
        command.epilog, command.formatter_class = EXIT_CODES, argparse.RawDescriptionHelpFormatter
    return parser


def _add_diagnose(commands: Any) -> argparse.ArgumentParser:
    command = commands.add_parser(
        "diagnose", help="judge a text, or cases as JSON lines · 诊断文本",
        description="Judge what FILE holds: a complaint, a launch command, a log, nvidia-smi, in any mixture. With --json, lines of "
        '{"id", "symptom", "command", "log", "nvidia_smi"} are judged one by one.',
    )  # fmt: skip
    command.add_argument("files", nargs="*", metavar="FILE", help="text or JSON lines; - or nothing: standard input")
    command.set_defaults(run=_diagnose)
    return command


def _add_check(commands: Any) -> argparse.ArgumentParser:
    command = commands.add_parser(
        "check", help="measure this machine and judge it · 检查本机", description="Measure this machine and judge it."
    )
    command.add_argument("--url", default="", metavar="ENGINE_URL", help="address of the engine · 引擎地址")
    command.add_argument(
        "--load", action="store_true", help="also send a few requests to measure its speed · 发送少量请求测速"
    )
    command.add_argument("--save", metavar="BUNDLE", help="keep what was measured, for `replay` · 保存测量结果")
    command.set_defaults(run=_check)
    return command


def _add_replay(commands: Any) -> argparse.ArgumentParser:
    command = commands.add_parser(
        "replay",
        help="judge stored measurements again · 重新判断",
        description="Judge bundles of `check --save` again.",
    )
    command.add_argument("files", nargs="+", metavar="BUNDLE")
    command.set_defaults(run=_replay)
    return command


def _add_evaluate(commands: Any) -> argparse.ArgumentParser:
    command = commands.add_parser(
        "evaluate",
        help="measure the ranking on known cases · 评估排序",
        description="Rank cases whose cause is known, and count.",
    )
    command.add_argument("files", nargs="*", metavar="CASES.jsonl", help="- or nothing: standard input")
    command.add_argument(
        "--cross-validate", action="store_true",
        help="judge the confirmed reports, each by what is learned from the others · 交叉验证",
    )  # fmt: skip
    command.add_argument("--without", metavar="PART", help="leave out one part of the ranking · 去掉一部分")
    command.set_defaults(run=_evaluate)
    return command


def _add_distil(commands: Any) -> argparse.ArgumentParser:
    command = commands.add_parser(
        "distil",
        help="what a thread says, claim by claim · 提炼讨论帖",
        description="Tell the posts of a thread apart, find what they say, count it, and match it with the known claims.",
    )
    command.add_argument("file", metavar="FILE", help="the thread as text; - for standard input")
    command.add_argument(
        "--inventory", metavar="CLAIMS.json", help="measure how much of a list of its claims is found · 用说法清单评估"
    )
    command.set_defaults(run=_distil)
    return command


def _texts(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Name and text of each input that can be read; the others are named on standard error."""
    for name in args.files or ["-"]:
        try:
            yield name, sources.read_text(name)
        except Unreadable as error:
            _complain(error, args.lang)


def _complain(error: Unreadable, lang: str) -> None:
    print(f"infermary: {error.text(lang)}", file=sys.stderr)


def _diagnose(args: argparse.Namespace) -> int:
    from kb.assessment import Submission, assess
    from kb.knowledge import shipped

    if args.json:
        return _diagnose_cases(args)
    judged = 0
    for _, text in _texts(args):
        judged += 1
        print(report.human(assess(Submission(text), shipped()), shipped(), args.lang))
    return 0 if judged else NOTHING


def _diagnose_cases(args: argparse.Namespace) -> int:
    judged = 0
    for name in args.files or ["-"]:
        try:
            for id, submission, error in sources.cases(name, args.lang):
                judged += submission is not None
                answer = {"id": id, "error": error} if submission is None else _answer(id, submission)
                print(json.dumps(answer, ensure_ascii=False), flush=True)
        except Unreadable as error:
            _complain(error, args.lang)
    return 0 if judged else NOTHING


def _answer(id: str, submission: Any) -> dict[str, Any]:
    """One case of many: a fault of ours is reported in its place, and the others are judged."""
    from kb.assessment import assess
    from kb.knowledge import shipped

    try:
        return _as_json(assess(submission, shipped()), id)
    except Exception as error:
        log.exception("case %s", id)
        return {"id": id, "error": f"{type(error).__name__}: {error}"[:500]}


def _as_json(answer: Any, id: str) -> dict[str, Any]:
    """An answer as promised to programs: `normal` is always an object."""
    data = answer.to_json(id)
    return data | {"normal": data["normal"] or {}}


def _evaluate(args: argparse.Namespace) -> int:
    from kb import ablation
    from kb.assessment import assess
    from kb.evaluation import evaluate
    from kb.knowledge import shipped

    if args.without and args.without not in ablation.PARTS:
        _complain(Unreadable(f"没有 {args.without} 这一部分；可选：{', '.join(ablation.PARTS)}",
                             f"there is no part {args.without}; choose of {', '.join(ablation.PARTS)}"), args.lang)  # fmt: skip
        return NOTHING
    with tempfile.TemporaryDirectory() as folder:
        known = ablation.PARTS[args.without](shipped(), Path(folder)) if args.without else shipped()
        if args.cross_validate:
            outcome = ablation.cross_validated(known, assess, Path(folder))
        elif texts := [text for _, text in _texts(args)]:
            outcome = evaluate((line for text in texts for line in text.splitlines()), lambda case: assess(case, known))
        else:
            return NOTHING
    print(json.dumps(outcome.to_json(), ensure_ascii=False) if args.json else report.evaluation(outcome, args.lang))
    return 0 if outcome.judged else NOTHING


def _distil(args: argparse.Namespace) -> int:
    from infermary import thread

    try:
        read = thread.Measurable(sources.read_text(args.file))
        listed, keys = thread.claims_listed(args.inventory, args.file) if args.inventory else ([], frozenset())
        digest = read.digest()
    except Unreadable as error:
        _complain(error, args.lang)
        return NOTHING
    outcome = thread.measured(read, listed, keys) if listed else {}
    if args.json:
        print(json.dumps(thread.as_json(digest, outcome), ensure_ascii=False))
    else:
        print(thread.human(digest, args.lang))
        print(thread.figures(outcome, listed, args.lang), end="\n" if outcome else "")
    return 0 if digest.lines else NOTHING


def _check(args: argparse.Namespace) -> int:
    from infermary import machine

    try:
        url = machine.checked_url(args.url) if args.url else ""
    except Unreadable as error:
        _complain(error, args.lang)
        return NOTHING
    results = machine.measure(url, load=args.load, lang=args.lang, quiet=args.json)
    judged = _judge_results(results, args)
    if args.save:
        try:
            machine.save(results, args.save)
        except Unreadable as error:
            _complain(error, args.lang)
            return NOTHING
    return 0 if judged else NOTHING


def _replay(args: argparse.Namespace) -> int:
    from infermary import machine

    judged = 0
    for name, text in _texts(args):
        try:
            results = machine.load(text, name)
        except Unreadable as error:
            _complain(error, args.lang)
            continue
        judged += _judge_results(results, args, name)
    return 0 if judged else NOTHING


def _judge_results(results: list[Any], args: argparse.Namespace, id: str = "") -> bool:
    """Say what results mean; returns whether anything could be judged."""
    from infermary import machine
    from kb.assessment import Submission, assess
    from kb.knowledge import shipped

    facts = machine.facts_of(results, getattr(args, "url", ""))
    offered = machine.probe_infos({result.probe for result in results})
    answer = assess(Submission(), shipped(), facts=facts, probe_infos=offered)
    if args.json:
        print(json.dumps(_as_json(answer, id) | {"runs": [machine.brief(r) for r in results]}, ensure_ascii=False))
    else:
        print(report.runs(results, args.lang))
        print(report.human(answer, shipped(), args.lang))
    return answer.verdict != "no_data"


if __name__ == "__main__":
    sys.exit(main())
