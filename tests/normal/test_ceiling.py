"""Against hand-made tables: Llama-2-7B and Qwen2.5-7B on a 3090 and a 4090, one stream."""

import pytest

from probes.roofline import Decode, decode, gpu, model_shape, weight_format

ROWS = [  # model, format, GB read, tok/s with empty context on 3090 and 4090, at 1k, 4k, 32k on the 3090
    ("Llama-2-7B", "fp16", 13.21, 70.8, 76.3, (68.1, 60.9, 30.8)),
    ("Llama-2-7B", "int8", 6.74, 138.8, 149.5, (128.6, 105.3, 39.1)),
    ("Llama-2-7B", "gptq-int8", 6.89, 135.8, 146.3, (126.0, 103.6, 38.9)),
    ("Llama-2-7B", "gptq-int4", 3.63, 258.1, 277.9, (224.8, 162.1, 45.0)),
    ("Qwen2.5-7B", "fp16", 14.14, 66.2, 71.3, (65.9, 65.1, 58.4)),
    ("Qwen2.5-7B", "int8", 7.62, 122.8, 132.3, (121.9, 119.2, 98.5)),
    ("Qwen2.5-7B", "gptq-int8", 7.77, 120.5, 129.7, (119.6, 116.9, 97.0)),
    ("Qwen2.5-7B", "gptq-int4", 4.48, 208.9, 225.0, (206.2, 198.5, 147.2)),
]


def step(model, quant, card="RTX 3090", **more):
    return decode(Decode(model_shape(model), gpu(card), weight_format(quant), **more))


@pytest.mark.parametrize(("model", "quant", "read", "on_3090", "on_4090", "by_context"), ROWS)
def test_the_ceiling_is_bandwidth_over_bytes_within_a_thousandth(model, quant, read, on_3090, on_4090, by_context):
    assert step(model, quant, context=0).bytes_per_step / 1e9 == pytest.approx(read, abs=0.006)
    assert step(model, quant, context=0).ceiling_tokens_per_s == pytest.approx(on_3090, rel=1e-3)
    assert step(model, quant, "RTX 4090", context=0).ceiling_tokens_per_s == pytest.approx(on_4090, rel=1e-3)
    for tokens, expected in zip((1024, 4096, 32768), by_context, strict=True):
        assert step(model, quant, context=tokens).ceiling_tokens_per_s == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(
    ("model", "context", "gib"),
    [("Llama-2-7B", 1024, 0.5), ("Llama-2-7B", 4096, 2.0), ("Qwen2.5-7B", 4096, 0.219), ("Qwen2.5-7B", 32768, 1.75)],
)
def test_the_kv_cache_of_a_context_is_exact(model, context, gib):
    assert model_shape(model).kv_bytes_read(context) / 2**30 == pytest.approx(gib, abs=5e-4)


def test_a_sliding_window_bounds_what_is_read():
    shape = model_shape("gemma-3-27b")
    assert shape.kv_bytes_read(32768) < 0.25 * 32768 * shape.kv_bytes_per_token()
    assert shape.kv_bytes_read(100) == 100 * shape.kv_bytes_per_token()


@pytest.mark.parametrize(("batch", "hit"), [(1, 8), (4, 29), (16, 82), (64, 126)])
def test_a_batch_hits_more_experts(batch, hit):
    shape = model_shape("Qwen3-30B-A3B")
    idle = shape.linear_params - shape.linear_params_read(batch)
    assert 128 * (1 - idle / shape.expert_params) == pytest.approx(hit, abs=0.6)


def test_two_cards_halve_the_floor():
    assert step("Llama-2-7B", "fp16", tp=2).floor_ms == pytest.approx(step("Llama-2-7B", "fp16").floor_ms / 2)


def test_a_card_without_a_bandwidth_has_no_ceiling():
    assert step("Llama-2-7B", "fp16", "Ascend 910B") is None
