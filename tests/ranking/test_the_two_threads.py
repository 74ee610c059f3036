"""The two cases that the product was asked for, in both languages and in other words."""

from pathlib import Path

import pytest

from kb.assessment import Submission, assess
from kb.knowledge import shipped

EXAMPLES = Path(__file__).parents[2] / "kb" / "examples"


def example(name: str) -> str:
    return (EXAMPLES / name).read_text("utf-8")


TWO_CARDS = [
    example("1-gptq-two-cards.zh.txt"),
    example("1-gptq-two-cards.en.txt"),
    "双路3090用vLLM跑7B GPTQ 4bit，显存占13GB，1秒只有2-3个token，加载要两分钟，改tensor_parallel没区别",
    "Dual RTX 3090 box, vLLM serving a 7B GPTQ int4 checkpoint. 13 GB VRAM used, 2 to 3 tok/s, two minutes to load, "
    "TP 1 or 2 makes no difference.",
    "两块3090，vllm 加载 Llama-2-7B-GPTQ，生成 2.5 tokens/s，tensor-parallel-size 设 1 或 2 都一样慢，是不是 PCIe 不够，要不要上 NVLink？",
]
LORA = [
    example("2-lora-int8.zh.txt"),
    example("2-lora-int8.en.txt"),
    "单卡 4090，Qwen2.5-7B 挂着 LoRA 适配器，int8，vLLM，只有 8 tok/s，GPU 利用率 40%，CPU 80%，batch 加到 4 更慢，fp16 直接 OOM",
]
REACH_ONE_PERCENT = {
    "quant-slow-kernel",
    "eager-mode",
    "cpu-starved",
    "cpu-bound-engine",
    "bench-misread",
    "cpu-offload",
}
TOO_SMALL = {"tp-overhead", "slow-disk-load", "cold-compile-or-warmup", "nvlink-or-p2p-missing", "numa-misbinding"}


@pytest.mark.parametrize("text", TWO_CARDS)
def test_two_cards_at_one_percent_are_first_not_on_a_compiled_kernel(text):
    answer = assess(Submission(text), shipped())
    assert answer.causes[0].slug == "quant-slow-kernel"
    assert answer.fixes[0].fix.id == "compiled-kernel"


@pytest.mark.parametrize("text", TWO_CARDS)
def test_communication_and_loading_are_not_offered_for_one_percent(text):
    shares = {cause.slug: cause.probability for cause in assess(Submission(text), shipped()).causes}
    reaching = sum(shares[slug] for slug in REACH_ONE_PERCENT)
    assert all(shares[slug] < 0.02 for slug in TOO_SMALL)
    assert shares["interconnect-not-the-limit"] < reaching / 5


def test_the_page_says_why_a_suspected_link_is_not_it():
    answer = assess(Submission(TWO_CARDS[-1]), shipped())
    cause = next(cause for cause in answer.causes if cause.slug == "interconnect-not-the-limit")
    (term,) = [term for term in cause.contributions if term.kind == "reach"]
    assert "最多能解释慢 1.04 倍" in term.zh
    assert term.weight < 0


@pytest.mark.parametrize("text", LORA)
def test_an_adapter_beside_a_busy_cpu_comes_first_then_the_int8_kernel_and_eager_mode(text):
    first, *next_two = (cause.slug for cause in assess(Submission(text), shipped()).causes[:3])
    assert first == "lora-overhead"
    assert set(next_two) == {"quant-slow-kernel", "eager-mode"}


@pytest.mark.parametrize("text", LORA)
def test_half_precision_in_24_gb_is_answered_with_the_context_that_fits(text):
    normal = assess(Submission(text), shipped()).normal
    assert normal.fit_16.weights_fit
    assert any(str(normal.fit_16.max_model_len) in sentence.en for sentence in normal.sentences)
