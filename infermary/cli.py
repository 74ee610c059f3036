"""The `infermary` command: diagnose a text, check this machine, replay a bundle, measure the ranking.

Needs no site, no database and no broker, and nothing that they need.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from infermary import report, sources
from infermary.sources import Unreadable

EXIT_CODES = """exit codes:
  0  judged (whatever the verdict)
  1  not a single case could be judged (evaluate, JSON lines), or a probe of `check` measured nothing at all
  2  wrong use, or an input that cannot be read
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    args = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # JSON is UTF-8 wherever it goes; a terminal gets a mark for what it cannot show.
            stream.reconfigure(encoding="utf-8" if args.json else stream.encoding, errors="replace")
    try:
        return args.run(args)
    except Unreadable as error:
        print(f"infermary: {error.text(args.lang)}", file=sys.stderr)
        return 2
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
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_add_diagnose, _add_check, _add_replay, _add_evaluate):
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
    command.add_argument("files", nargs="+", metavar="CASES.jsonl")
    command.set_defaults(run=_evaluate)
    return command


def _diagnose(args: argparse.Namespace) -> int:
    from kb.assessment import Submission, assess
    from kb.knowledge import shipped

    judged = 0
    for name in args.files or ["-"]:
        text = sources.read_text(name)
        if args.json:
            for id, submission, error in sources.cases(name, text, args.lang):
                judged += error is None
                answer = {"id": id, "error": error} if submission is None else assess(submission, shipped()).to_json(id)
                print(json.dumps(answer, ensure_ascii=False), flush=True)
        else:
            judged += 1
            answer = assess(Submission(text), shipped())
            print(report.human(answer, shipped(), args.lang))
    return 0 if judged else 1


def _evaluate(args: argparse.Namespace) -> int:
    from kb.assessment import assess
    from kb.evaluation import evaluate
    from kb.knowledge import shipped

    lines: Iterator[str] = (line for name in args.files for line in sources.read_text(name).splitlines())
    outcome = evaluate(lines, lambda submission: assess(submission, shipped()))
    print(json.dumps(outcome.to_json(), ensure_ascii=False) if args.json else report.evaluation(outcome, args.lang))
    return 0 if outcome.judged else 1


def _check(args: argparse.Namespace) -> int:
    from infermary import machine

    results = machine.measure(args.url, load=args.load, lang=args.lang, quiet=args.json)
    if args.save:
        machine.save(results, args.save)
    _judge_results(results, args)
    return 0 if any(result.outcome in ("ok", "fine") for result in results) else 1


def _replay(args: argparse.Namespace) -> int:
    from infermary import machine

    for name in args.files:
        _judge_results(machine.load(sources.read_text(name), name), args, name)
    return 0


def _judge_results(results: list[Any], args: argparse.Namespace, id: str = "") -> None:
    from infermary import machine
    from kb.assessment import Submission, assess
    from kb.knowledge import shipped

    facts = machine.facts_of(results, getattr(args, "url", ""))
    offered = machine.probe_infos({result.probe for result in results})
    answer = assess(Submission(), shipped(), facts=facts, probe_infos=offered)
    if args.json:
        print(json.dumps(answer.to_json(id) | {"runs": [machine.brief(r) for r in results]}, ensure_ascii=False))
    else:
        print(report.runs(results, args.lang))
        print(report.human(answer, shipped(), args.lang))


if __name__ == "__main__":
    sys.exit(main())
