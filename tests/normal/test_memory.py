"""Qwen2.5-7B in fp16 on a card of 24 GB, against a calculation checked with vLLM's own figures."""

from dataclasses import replace

import pytest

from probes.roofline import activation_gib, fit, model_shape, weight_format
from probes.roofline.fit import weights_gib

QWEN = model_shape("Qwen2.5-7B")
BASE = replace(QWEN, max_position=131072)
FP16 = weight_format("fp16")


@pytest.mark.parametrize(
    ("model", "quant", "gib"),
    [
        ("Llama-2-7B", "fp16", 12.55), ("Llama-2-7B", "int8", 6.52), ("Llama-2-7B", "gptq-int4", 3.62), ("Qwen2.5-7B", "fp16", 14.19),
        ("Qwen2.5-7B", "int8", 8.11), ("Qwen2.5-7B", "gptq-int8", 8.25), ("Qwen2.5-7B", "gptq-int4", 5.19),
    ],
)  # fmt: skip
def test_resident_weights(model, quant, gib):
    assert weights_gib(model_shape(model), weight_format(quant)) == pytest.approx(gib, abs=0.01)


@pytest.mark.parametrize(
    ("utilisation", "step", "free", "tokens"),
    [(0.90, 2048, 5.5, 103_000), (0.92, 2048, 6.0, 112_000), (0.85, 2048, 4.35, 81_000), (0.90, 32768, 2.3, 43_700)],
)
def test_what_stays_for_the_kv_cache(utilisation, step, free, tokens):
    """Within 0.3 GiB, which is 6000 tokens."""
    result = fit(QWEN, FP16, 24, utilisation, batched_tokens=step)
    assert result.free_for_kv == pytest.approx(free, abs=0.3)
    assert result.kv_tokens == pytest.approx(tokens, abs=6000)


def test_fp16_in_24_gb_holds_32768_tokens_but_not_131072():
    assert fit(QWEN, FP16, 24, wanted_len=32768).fits
    assert not fit(BASE, FP16, 24, wanted_len=131072).fits
    assert fit(BASE, FP16, 24).max_model_len == pytest.approx(103_000, rel=0.01)


def test_profiling_32768_tokens_at_0_85_does_not_leave_enough():
    assert not fit(QWEN, FP16, 24, 0.85, wanted_len=32768, batched_tokens=32768).fits


@pytest.mark.parametrize(("tokens", "gib"), [(2048, 1.4), (32768, 4.6), (131072, 15.6)])
def test_activations_grow_with_the_tokens_of_a_step(tokens, gib):
    assert activation_gib(QWEN, tokens) == pytest.approx(gib, rel=0.06)


def test_weights_that_do_not_fit_leave_no_context():
    result = fit(model_shape("Qwen2.5-32B"), FP16, 24)
    assert not result.weights_fit
    assert not result.fits
    assert result.max_model_len == 0


def test_the_weights_of_a_log_win_over_the_count():
    assert fit(QWEN, FP16, 24, known_weights_gib=8.2).weights == 8.2
