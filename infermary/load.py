"""`infermary load`: load an engine for a while and say how it answered."""

from __future__ import annotations

import argparse
import ipaddress
import json
import os
import sys
from typing import Any
from urllib.parse import urlsplit

from infermary.machine import checked_url
from infermary.sources import Unreadable

# What one client process sends at most: beyond it is the limit itself.
MOST_CLIENTS, MOST_RATE, MOST_SECONDS = 2048, 2000.0, 3600
GOALS = {"ttft": "ttft_s", "tpot": "tpot_ms", "e2e": "e2e_s"}


def add(commands: Any) -> argparse.ArgumentParser:
    command = commands.add_parser(
        "load", help="load an engine and time its answers · 压测引擎",
        description="Send streamed requests to the OpenAI API of an engine, at a rate or from a number of clients, and print TTFT, "
        "TPOT, throughput and, with --goal, goodput. Ctrl-C ends it and prints what was measured.",
    )  # fmt: skip
    command.add_argument("url", metavar="ENGINE_URL", help="http://host:port")
    how = command.add_mutually_exclusive_group(required=True)
    how.add_argument("--rate", type=float, metavar="R", help="requests a second, whatever the answers do (open loop)")
    how.add_argument("--concurrency", type=int, metavar="N", help="clients that wait for their answer (closed loop)")
    command.add_argument("--arrivals", choices=("poisson", "constant"), default="poisson", help="of an open loop")
    command.add_argument("--seconds", type=float, default=30.0, metavar="S")
    command.add_argument("--prompt", type=int, default=512, metavar="TOKENS", help="length of a prompt (mean)")
    command.add_argument("--answer", type=int, default=128, metavar="TOKENS", help="length of an answer (mean)")
    command.add_argument("--lengths", choices=("fixed", "uniform", "lognormal"), default="fixed")
    command.add_argument(
        "--prefix", type=float, default=0.0, metavar="SHARE", help="share of the prompt that all share"
    )
    command.add_argument("--goal", default="", help="what a good request keeps: ttft:0.5,tpot:50,e2e:10 (s, ms, s)")
    command.add_argument("--model", default="", help="as the engine calls it; nothing: the first that it lists")
    command.add_argument("--completions", action="store_true", help="/v1/completions instead of chat")
    command.add_argument("--warm-up", type=int, default=1, metavar="N", help="requests before, that do not count")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--yes", action="store_true", help="load a server that is not on this machine")
    command.set_defaults(run=_run)
    return command


def _run(args: argparse.Namespace) -> int:
    from probes.load.arrivals import Arrivals
    from probes.load.drive import Target, drive
    from probes.load.prompts import Lengths, asks
    from probes.load.summary import Goal, summary

    try:
        url = _allowed(args)
        goal = Goal(**_goal(args.goal)) if args.goal else None
        model = args.model or _first_model(url)
    except Unreadable as error:
        print(f"infermary: {error.text(args.lang)}", file=sys.stderr)
        return 2
    rate = Arrivals(args.arrivals, rate=args.rate) if args.rate else Arrivals("closed", clients=args.concurrency)
    target = Target(url, model, chat=not args.completions, api_key=os.environ.get("OPENAI_API_KEY", ""))
    wanted = asks(
        Lengths(args.prompt, args.lengths), Lengths(args.answer, args.lengths), shared=args.prefix, seed=args.seed
    )
    show = (lambda *_: None) if args.json else _progress(args.lang)
    load = drive(target, rate, wanted, args.seconds, warm_up=args.warm_up, seed=args.seed, progress=show)
    found = summary(load, goal)
    print(json.dumps(found | {"model": model}) if args.json else table(found, args.lang))
    return 0 if found["requests"] > sum(failure["count"] for failure in found["failed"]) else 2


def _allowed(args: argparse.Namespace) -> str:
    """The address with its scheme.

    Raises:
        Unreadable: no address, more than one client sends, or a server elsewhere without --yes.
    """
    url = checked_url(args.url)
    url = url if "://" in url else f"http://{url}"
    for name, value, most in (("--rate", args.rate, MOST_RATE), ("--concurrency", args.concurrency, MOST_CLIENTS),
                              ("--seconds", args.seconds, MOST_SECONDS)):  # fmt: skip
        if value is not None and not 0 < value <= most:
            raise Unreadable(f"{name} 应大于 0、不超过 {most:g}。", f"{name} must be above 0 and at most {most:g}.")
    if not 0 <= args.prefix < 1 or args.prompt < 1 or args.answer < 1:
        raise Unreadable("--prompt、--answer 至少为 1，--prefix 在 0 与 1 之间。",
                         "--prompt and --answer must be at least 1, --prefix from 0 to below 1.")  # fmt: skip
    if not args.yes and not _is_here(urlsplit(url).hostname or ""):
        raise Unreadable(
            "这个地址不在本机：压测会占用它的算力，确认可以的话加 --yes。",
            "This server is not on this machine; a load takes its time from others. If you may, add --yes.",
        )
    return url.rstrip("/")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _goal(text: str) -> dict[str, float]:
    goals: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition(":")
        try:
            goals[GOALS[name.strip()]] = float(value)
        except (KeyError, ValueError):
            raise Unreadable(
                f"--goal 里看不懂 {part!r}；写法如 ttft:0.5,tpot:50,e2e:10。",
                f"--goal: cannot read {part!r}; write ttft:0.5,tpot:50,e2e:10.",
            ) from None
    return goals


def _first_model(url: str) -> str:
    from probes.http import get_json

    answer = get_json(f"{url}/v1/models")
    models = answer.get("data") if isinstance(answer, dict) else None
    if not models:
        raise Unreadable(
            f"{url}/v1/models 没有列出模型：引擎在运行吗？也可以用 --model 指定。",
            f"{url}/v1/models lists no model: is the engine running? Or name it with --model.",
        )
    return str(models[0]["id"])


def _progress(lang: str) -> Any:
    def show(share: float, sent: int, ended: int) -> None:
        text = f"已发 {sent}，已答 {ended}" if lang == "zh" else f"{sent} sent, {ended} answered"
        print(f"\r{share:4.0%}  {text}   ", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)

    return show


def table(found: dict[str, Any], lang: str) -> str:
    """The figures as lines of text."""
    zh = lang == "zh"
    lines = [f"{'请求' if zh else 'requests'}: {found['requests']}  ({found['requests_per_s']:.2f}/s)  "
             f"{'输出' if zh else 'output'}: {found['output_tokens_per_s']:.1f} tok/s  "
             f"{'平均并发' if zh else 'mean concurrency'}: {found['concurrency_mean']:.1f}"]  # fmt: skip
    lines.append(f"{'':<10}{'mean':>10}{'p50':>10}{'p90':>10}{'p99':>10}{'max':>10}   95 % p50")
    for name, key, factor in (("TTFT ms", "ttft_s", 1000), ("TPOT ms", "tpot_ms", 1), ("E2E ms", "e2e_s", 1000)):
        if spread := found[key]:
            cells = "".join(f"{spread[column] * factor:>10.2f}" for column in ("mean", "p50", "p90", "p99", "max"))
            low, high = ("-" if end is None else f"{end * factor:.2f}" for end in spread["p50_95"])
            lines.append(f"{name:<10}{cells}   {low} - {high}")
    if "good_share" in found and found["good_share"] is not None:
        lines.append(f"{'达标' if zh else 'goodput'}: {found['goodput_per_s']:.2f}/s ({found['good_share']:.1%})")
    lines += [f"! {failure['count']}x {failure['error']}" for failure in found["failed"]]
    if found["client"]["was_the_limit"]:
        lines.append("! 客户端自己成了瓶颈，延迟偏大：减小负载或换一台机器发。" if zh else
                     "! The client itself was the limit, so latencies are too high: send less, or from another machine.")  # fmt: skip
    if (chunk := found["tokens_per_chunk"]) and chunk > 1.5:
        lines.append(f"{'每块' if zh else 'a chunk holds'} {chunk:.1f} tokens")
    return "\n".join(lines)
