"""The judgement in plain words, Chinese and English. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kb.normal.measured import Measured
from kb.normal.setting import Setting
from probes.facts import FactSet
from probes.roofline import Expectation, Fit
from probes.roofline.decode import State


@dataclass(frozen=True, slots=True)
class Sentence:
    zh: str
    en: str


TERMS = {
    "weights": Sentence("读权重", "reading the weights"),
    "cache": Sentence("读 KV cache", "reading the KV cache"),
    "arithmetic": Sentence("读显存之外的计算", "arithmetic beyond the reading"),
    "all-reduce": Sentence("多卡 all-reduce", "all-reduce between cards"),
    "launch": Sentence("启动核函数与主机开销", "launching kernels, work of the host"),
    "prefill": Sentence("其他请求的预填充插入", "prefills of other requests in between"),
}
_STATES: dict[State, Sentence] = {
    "normal": Sentence("这是正常速度，生成阶段没有被拖慢。", "That is a normal speed: nothing slows the generation down."),
    "look-closer": Sentence("略慢于正常范围，值得检查主机、CUDA graph 和量化核函数。", "Somewhat below normal: look at the host, CUDA graphs and the quantised kernel."),
    "slow": Sentence("明显偏慢：显存带宽解释不了，通常是 CUDA graph 没生效、量化核函数慢或 CPU 抢占。", "Clearly too slow: memory bandwidth does not explain it. Usual reasons are missing CUDA graphs, a slow quantised kernel or a busy CPU."),
    "far-too-slow": Sentence(
        "这远不是显存带宽能解释的，换更快的卡也不会好。落到上限的百分之几以下，通常是权重在经 PCIe 从主机内存读取、CPU 被抢占、开着调试跟踪，或是误读了日志里的平均速度。",
        "No bandwidth limit of a card explains this, and a faster card would not help. At a few percent of the ceiling it is usually weights read over PCIe from host memory, a starved CPU, tracing switched on, or an averaged log line that was misread."),
    "faster-than-physics": Sentence("这比带宽允许的还快：卡、模型或量化格式有一项填错了，或一步产出多个 token。", "That is faster than the bandwidth allows: card, model or format is stated wrongly, or a step gives several tokens."),
}  # fmt: skip
_UNJUDGED = Sentence(
    "并发数或量化格式未知，还不能据此判断这个速度是否正常。",
    "Without the number of streams or the weight format this speed cannot be judged.",
)


def rounded(value: float) -> str:
    """A number as a person would say it: `258`, `8.9`, `0.45`."""
    return f"{value:.0f}" if value >= 20 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def sentences(
    facts: FactSet,
    case: Setting,
    speed: Measured | None,
    expectation: Expectation | None,
    state: State,
    slowdown: float | None,
    share: float | None,
    ttft: tuple[float, float] | None,
    in_format: Fit | None,
    unquantised: Fit | None,
) -> list[Sentence]:
    """What the page says, in order: the ceiling, the stated speed, what limits the answer, the first token, the memory."""
    said = [_ceiling(case, expectation)] if expectation else [_why_unknown(facts, case)]
    if speed and expectation:
        judged = slowdown is not None and share is not None
        said.append(_standing(case, speed, expectation, state, slowdown, share) if judged else _UNJUDGED)
    said += [
        *_engine_notes(facts, case),
        *_host_memory(in_format),
        *_first_token(facts, case, ttft),
        *_memory(case, in_format, unquantised, running=facts.value("engine.running") is True),
    ]
    return said


def _ceiling(case: Setting, expectation: Expectation) -> Sentence:
    assert case.card and case.shape  # an expectation exists only with both
    low, high = expectation.tokens_per_s
    cards_zh, cards_en = (
        (f"{case.tp} 张 {case.card.name}", f"{case.tp} x {case.card.name}") if case.tp > 1 else (case.card.name,) * 2
    )
    model = f"{case.shape.params_b:g}B" if case.layout_guessed else case.shape.name
    size, layout = f"{expectation.bytes_per_step / 1e9:.1f} GB", case.weights.name
    streams_zh, streams_en = (
        (f"{case.batch} 路并发时每路", f" each of {case.batch} streams") if case.batch > 1 else ("单路", " one stream")
    )
    reached_zh = "transformers 这类逐个启动核函数的引擎" if case.launch == "eager" else "正常的引擎"
    reached_en = "an engine that launches kernels one by one" if case.launch == "eager" else "a healthy engine"
    return Sentence(
        f"{cards_zh} 跑 {model}（{layout}），一步要读 {size}，{streams_zh}的带宽上限是 "
        f"{rounded(expectation.ceiling_tokens_per_s)} tok/s；{reached_zh}能到 {rounded(low)}–{rounded(high)} tok/s。",
        f"{cards_en} with {model} in {layout} reads {size} a step, so bandwidth caps{streams_en} at "
        f"{rounded(expectation.ceiling_tokens_per_s)} tok/s; {reached_en} reaches {rounded(low)} to {rounded(high)}.",
    )


def _standing(
    case: Setting, speed: Measured, expectation: Expectation, state: State, slowdown: float, share: float
) -> Sentence:
    value_zh, value_en = _value(speed)
    low = rounded(expectation.tokens_per_s[0])
    times_zh = f"，是正常下限 {low} tok/s 的 {rounded(slowdown)} 分之一" if slowdown > 1.3 else ""
    times_en = f", {rounded(slowdown)} times below the low end of normal ({low})" if slowdown > 1.3 else ""
    verdict = _STATES[state]
    one = rounded(share * case.tp * 100)
    one_zh, one_en = (f"（按单卡算 {one}%）", f" ({one}% of one card's)") if case.tp > 1 else ("", "")
    return Sentence(
        f"{value_zh}约为上限的 {rounded(share * 100)}%{one_zh}{times_zh}。{verdict.zh}",
        f"{value_en} is about {rounded(share * 100)}% of the ceiling{one_en}{times_en}. {verdict.en}",
    )


def _value(speed: Measured) -> tuple[str, str]:
    if speed.streams > 1:
        return (
            f"{speed.streams} 路合计折合每路 {rounded(speed.value)} tok/s，",
            f"The sum over {speed.streams} streams, {rounded(speed.value)} tok/s each,",
        )
    if speed.at_most:
        return (
            f"总速度 {rounded(speed.value)} tok/s 是单路的上界，",
            f"A total of {rounded(speed.value)} tok/s, which one stream cannot exceed,",
        )
    if speed.low is not None and speed.high is not None and speed.low != speed.high:
        span = f"{rounded(speed.low)}–{rounded(speed.high)} tok/s"
        return f"你说的 {span} ", f"The stated {span}"
    if speed.high is not None and speed.low is None:
        return f"你说的不到 {rounded(speed.high)} tok/s，最多", f"The stated speed, below {rounded(speed.high)} tok/s,"
    return f"{rounded(speed.value)} tok/s ", f"{rounded(speed.value)} tok/s"


def _why_unknown(facts: FactSet, case: Setting) -> Sentence:
    if facts.value("engine.device") == "cpu":
        return Sentence(
            "模型跑在 CPU 上，速度由主机内存带宽决定，没有测过就不能判断。",
            "The model runs on the CPU, so the host's memory bandwidth decides; unmeasured, it cannot be judged.",
        )
    if facts.value("gpu.mig") is True:
        return Sentence(
            "开了 MIG，表中的带宽是整张卡的，不能直接用来判断。",
            "MIG is on and the table speaks of whole cards, so it cannot be judged from it.",
        )
    missing = [
        *([] if case.card else [("GPU 型号", "the GPU model")]),
        *([] if case.shape else [("模型或参数量", "the model or its size")]),
    ]
    if not missing:
        return Sentence(
            "这张卡的显存带宽没有可靠数字，请先实测。",
            "There is no reliable bandwidth figure for this card: measure it first.",
        )
    zh, en = "和".join(name for name, _ in missing), " and ".join(name for _, name in missing)
    return Sentence(f"还不知道{zh}，算不出速度上限。", f"Tell us {en}: without it there is no ceiling to compare with.")


def _engine_notes(facts: FactSet, case: Setting) -> list[Sentence]:
    if case.launch == "eager":
        return [
            Sentence(
                "换成带 CUDA graph 的引擎（vLLM、SGLang）同样的卡还能更快。",
                "An engine with CUDA graphs (vLLM, SGLang) gets more out of the same card.",
            )
        ]
    if facts.value("engine.enforce_eager") is True and facts.value("engine.device") != "cpu":
        return [
            Sentence(
                "启动时关了 CUDA graph，每 token 会多出 10–30 毫秒。",
                "CUDA graphs are switched off, which adds 10 to 30 ms to every token.",
            )
        ]
    return []


def _host_memory(in_format: Fit | None) -> list[Sentence]:
    """An engine that runs although the weights do not fit reads the rest from the host, and the card's ceiling is not its own."""
    if in_format is None or in_format.weights <= in_format.memory:
        return []
    return [Sentence(
        "权重比显存大：能跑起来就说明一部分在主机内存里，速度由主机内存和 PCIe 决定，上面的上限达不到。",
        "The weights exceed the cards' memory: if it runs at all, a part lies in host memory, which decides the speed; the ceiling above is out of reach.")]  # fmt: skip


def _first_token(facts: FactSet, case: Setting, ttft: tuple[float, float] | None) -> list[Sentence]:
    stated = facts.value("latency.ttft_s")
    if ttft is None or not isinstance(stated, (int, float)):
        return []
    low, high = (rounded(seconds) for seconds in ttft)
    return [Sentence(
        f"{case.prompt} 个 token 的提示在空闲服务上首 token 约需 {low}–{high} 秒，你说的是 {rounded(float(stated))} 秒。",
        f"The first token of a {case.prompt}-token prompt takes about {low} to {high} s on an idle server; stated were {rounded(float(stated))} s.")]  # fmt: skip


def _memory(case: Setting, in_format: Fit | None, unquantised: Fit | None, *, running: bool) -> list[Sentence]:
    results = [(case.weights.name, in_format), ("fp16", unquantised)]
    said = [_fit(case, result, layout) for layout, result in results if result]
    if said and case.launch == "graphs" and not running:
        said.append(Sentence(
            "vLLM 若在启动时报 KV cache 放不下一个最长请求，是模型配置的位置数太大：显式加上 --max-model-len。",
            "If vLLM stops because the KV cache cannot hold one longest request, the model's config asks for more positions: set --max-model-len."))  # fmt: skip
    return said


def _fit(case: Setting, result: Fit, layout: str) -> Sentence:
    memory, weights = f"{case.memory_gib:.0f} GB", f"{result.weights:.1f} GiB"
    if result.kv_tokens == 0:
        return Sentence(
            f"{layout} 权重每卡 {weights}，在每卡 {memory} 上放不下（还要留出激活和 KV cache）。",
            f"{layout} weights take {weights} a card, too much for {memory} beside activations and KV cache.")  # fmt: skip
    per_token, free = f"{result.kv_bytes_per_token / 1024:.0f} KiB", f"{result.free_for_kv:.1f} GiB"
    start_zh, start_en = (
        f"{layout} 权重每卡 {weights}，{memory} 放得下",
        f"{layout} weights take {weights} a card and fit {memory}",
    )
    room_zh, room_en = (
        f"留给 KV cache {free}，约 {result.kv_tokens} 个 token",
        f"{free} stay for the KV cache, about {result.kv_tokens} tokens",
    )
    if result.wanted_len and not result.fits:
        return Sentence(
            f"{start_zh}，{room_zh}，不够 --max-model-len {result.wanted_len}；改成 {result.max_model_len} 以内。",
            f"{start_en}; {room_en}, too few for --max-model-len {result.wanted_len}. Set it to {result.max_model_len} or less.")  # fmt: skip
    return Sentence(
        f"{start_zh}：{room_zh}（每 token {per_token}），单个请求的上下文最长 {result.max_model_len}。",
        f"{start_en}: {room_en} at {per_token} each, so one request can be up to {result.max_model_len} tokens long.")  # fmt: skip
