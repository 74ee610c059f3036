"""Is this normal? Ceiling, realistic expectation, where the stated speed stands, and whether it fits. Pure.

    judge(facts) -> Normal | None

The arithmetic and the source of every threshold stand in `probes.roofline`. The caller adds `Normal.facts` to the case
before ranking.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from kb.normal.measured import Measured, measured
from kb.normal.sentences import TERMS, Sentence, sentences
from kb.normal.setting import Assumption, Setting, setting
from probes.facts import Fact, FactSet, Provenance
from probes.roofline import Decode, Expectation, Fit, decode, fit, judge_speed, prefill_s, weight_format
from probes.roofline.decode import State

__all__ = ["Normal", "judge"]

OPEN_STATES = ("normal", "faster-than-physics")


@dataclass(frozen=True, slots=True)
class Normal:
    """The judgement of a case's speed and memory.

    Attributes:
        ceiling: tokens/s of one stream by memory bandwidth. expected: the realistic (low, high), tokens/s.
        measured: what was stated. share: of the ceiling. slowdown: times slower than the slow end of `expected`.
        ttft_s: expected seconds to the first token (fast, slow) for a prompt of `setting.prompt` tokens on an idle server.
        fit: in the stated format. fit_16: the same model unquantised, where the stated format is quantised.
        confidence: of the weakest thing that the judgement rests on, A to D.
        facts: for the ranking.
    """

    state: State
    setting: Setting
    expectation: Expectation | None
    measured: Measured | None
    share: float | None
    slowdown: float | None
    ttft_s: tuple[float, float] | None
    fit: Fit | None
    fit_16: Fit | None
    sentences: tuple[Sentence, ...]
    facts: tuple[Fact, ...]

    @property
    def ceiling(self) -> float | None:
        return self.expectation.ceiling_tokens_per_s if self.expectation else None

    @property
    def expected(self) -> tuple[float, float] | None:
        return self.expectation.tokens_per_s if self.expectation else None

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        return self.setting.assumptions

    @property
    def confidence(self) -> str:
        return max((note.confidence for note in self.assumptions), default="A")

    @property
    def terms(self) -> tuple[dict[str, Any], ...]:
        """The parts of the expected time a token, (fast, slow) ms, with their labels."""
        parts = self.expectation.terms if self.expectation else ()
        return tuple(
            {
                "kind": part.kind,
                "zh": TERMS[part.kind].zh,
                "en": TERMS[part.kind].en,
                "ms": [part.fast_ms, part.slow_ms],
            }
            for part in parts
        )

    def to_json(self) -> dict[str, Any]:
        speed = self.measured
        return {
            "state": self.state,
            "ceiling_tokens_per_s": self.ceiling,
            "expected_tokens_per_s": list(self.expected) if self.expected else None,
            "measured_tokens_per_s": {"value": speed.value, "low": speed.low, "high": speed.high} if speed else None,
            "share_of_ceiling": self.share,
            "slowdown": self.slowdown,
            "expected_ttft_s": list(self.ttft_s) if self.ttft_s else None,
            "confidence": self.confidence,
            "terms": list(self.terms),
            "assumptions": [asdict(note) for note in self.assumptions],
            "fit": _fit_json(self.fit),
            "fit_16bit": _fit_json(self.fit_16),
            "sentences": [asdict(sentence) for sentence in self.sentences],
        }


def _fit_json(result: Fit | None) -> dict[str, Any] | None:
    return None if result is None else asdict(result) | {"weights_fit": result.weights_fit, "fits": result.fits}


def judge(facts: FactSet) -> Normal | None:
    """The judgement of a case, or None where neither a speed nor a card with a model is known."""
    case, speed = setting(facts), measured(facts)
    if speed is None and (case.shape is None or (case.card is None and case.memory_gib is None)):
        return None
    expectation = None if _not_a_whole_gpu(facts) else _expectation(case)
    state, slowdown, share = _state(facts, case, speed, expectation)
    ttft = prefill_s(case.shape, case.card, case.prompt, case.tp) if case.shape and case.card else None
    in_format, unquantised = _fits(facts, case)
    texts = sentences(facts, case, speed, expectation, state, slowdown, share, ttft, in_format, unquantised)
    computed = [*_speed_facts(expectation, state, slowdown, share, speed), *_fit_facts(case, in_format)]
    return Normal(
        state, case, expectation, speed, share, slowdown, ttft, in_format, unquantised, tuple(texts), tuple(computed)
    )


def _not_a_whole_gpu(facts: FactSet) -> bool:
    """The table speaks of whole cards: a CPU, or a slice of a card, has no ceiling of ours."""
    return facts.value("engine.device") == "cpu" or facts.value("gpu.mig") is True


def _expectation(case: Setting) -> Expectation | None:
    if case.shape is None or case.card is None:
        return None
    return decode(Decode(
        case.shape, case.card, case.weights, case.batch, case.context, case.kv_bytes, case.tp, case.nvlink, case.launch,
        case.prompt, case.answer,
    ))  # fmt: skip


def _state(
    facts: FactSet, case: Setting, speed: Measured | None, expectation: Expectation | None
) -> tuple[State, float | None, float | None]:
    if speed is None or expectation is None or _said_of_a_loaded_server(facts, speed):
        return "unknown", None, None
    state, slowdown, share = judge_speed(speed.token_ms, expectation)
    if state == "faster-than-physics" and _several_tokens_a_step(facts):
        state = "normal"
    if (state in OPEN_STATES and speed.at_most) or (state == "faster-than-physics" and not case.bytes_and_card_known):
        return "unknown", None, None
    return state, slowdown, share


def _said_of_a_loaded_server(facts: FactSet, speed: Measured) -> bool:
    """One request alone is said to be fine, so the slow figure is that of an unknown number of streams."""
    return facts.value("observed.fine_when_single") is True and speed.fact.provenance.origin == "text"


def _several_tokens_a_step(facts: FactSet) -> bool:
    return facts.value("engine.speculative") is True or facts.value("metrics.spec_acceptance") is not None


def _fits(facts: FactSet, case: Setting) -> tuple[Fit | None, Fit | None]:
    if case.shape is None or case.memory_gib is None or facts.value("engine.device") == "cpu":
        return None, None
    wanted, step = facts.value("engine.max_model_len"), facts.value("engine.max_num_batched_tokens")
    more: dict[str, Any] = {"batched_tokens": int(step)} if isinstance(step, int) and step > 0 else {}
    more |= {"utilisation": case.utilisation, "tp": case.spread, "kv_bytes": case.kv_bytes}
    wanted_len = int(wanted) if isinstance(wanted, int) and wanted > 0 else None
    logged = facts.value("engine.weights_gib")
    known = float(logged) if isinstance(logged, (int, float)) and logged > 0 else None
    in_format = fit(case.shape, case.weights, case.memory_gib, wanted_len=wanted_len, known_weights_gib=known, **more)
    quantised = case.format_known and case.weights.kernel != "16"
    unquantised = fit(case.shape, weight_format("fp16"), case.memory_gib, wanted_len=wanted_len, **more)
    return in_format, unquantised if quantised else None


def _fact(name: str, value: float | bool | str, low: float | None = None, high: float | None = None) -> Fact:
    return Fact(name, value, Provenance("computed", "normal"), low=low, high=high)


def _speed_facts(
    expectation: Expectation | None, state: State, slowdown: float | None, share: float | None, speed: Measured | None
) -> list[Fact]:
    """Nothing is stated where nothing could be judged: an unknown state is no fact."""
    if expectation is None:
        return []
    low, high = expectation.tokens_per_s
    found = [
        _fact("normal.ceiling_tokens_per_s", expectation.ceiling_tokens_per_s),
        _fact("normal.expected_tokens_per_s", (low + high) / 2, low, high),
    ]
    if state == "unknown" or slowdown is None or share is None:
        return found
    return [
        *found,
        _fact("normal.share_of_ceiling", share),
        _fact("normal.slowdown", slowdown),
        _fact("normal.state", state),
    ]


def _fit_facts(case: Setting, result: Fit | None) -> list[Fact]:
    """Only for a format that was said, and the KV cache only for a known layout: a guess is no fact."""
    if result is None or not case.format_known:
        return []
    weights = [
        _fact("fit.weights_gib", result.weights),
        _fact("fit.weights_fit_one_gpu", result.weights * case.spread < result.usable),
    ]
    if case.layout_guessed:
        return weights
    return [
        *weights,
        _fact("fit.free_for_kv_gib", result.free_for_kv),
        _fact("fit.max_model_len", result.max_model_len),
        _fact("fit.fits", result.fits),
    ]
