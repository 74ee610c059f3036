"""The two threads that the work began with, in our own words: every figure in them must become a fact."""

from tests.facts.reading import one, stated, values

DUAL_3090 = """部署7B大模型到双路3090服务器，vLLM加载，用的是GPTQ 4bit量化。显存占用13GB，显存是够的，
但推理1秒2-3个token，慢得离谱；加载模型花了快两分钟。
tensor_parallel_size改成1和2试过，没有变化。求优化思路"""

LORA_4090 = """用LoRA微调了Qwen2.5-7B做领域问答，机器是4090 24G，vLLM加载int8量化后显存占用大概14G，
速度只有不到10 tokens/s，batch size调到4反而更慢。换回FP16又OOM（理论上24G应该能塞下）。日志也没报错，
GPU利用率只有40%左右，CPU却飙到80%。是不是--max-model-len没设对？有没有更合适的框架推荐（比如TGI或llama.cpp）？"""


def test_the_dual_3090_post_yields_its_hardware_and_model():
    facts = values(DUAL_3090)
    assert facts["gpu.name"] == "RTX 3090"
    assert facts["gpu.count"] == 2
    assert facts["model.params_b"] == 7
    assert facts["model.quant"] == "gptq-int4"
    assert facts["engine.name"] == "vllm"
    assert facts["gpu.memory_used_gib"] == 13


def test_the_dual_3090_post_yields_its_speed_as_a_range_and_its_load_time():
    speed = one(DUAL_3090, "decode.tokens_per_s")
    assert (speed.low, speed.value, speed.high) == (2, 2.5, 3)
    assert one(DUAL_3090, "engine.startup_s").value == 120
    assert stated(DUAL_3090, "observed.slow_load") == [True]


def test_the_dual_3090_post_says_that_tensor_parallel_was_tried_in_vain():
    assert "tensor-parallel" in stated(DUAL_3090, "tried.without_effect")
    assert stated(DUAL_3090, "observed.tp_without_effect") == [True]


def test_the_lora_post_yields_card_model_and_format():
    facts = values(LORA_4090)
    assert facts["gpu.name"] == "RTX 4090"
    assert facts["gpu.memory_total_gib"] == 24
    assert facts["gpu.memory_used_gib"] == 14
    assert facts["model.name"] == "Qwen2.5-7B"
    assert facts["model.lora"] is True
    assert facts["model.quant"] == "int8"


def test_the_lora_post_states_an_upper_bound_of_the_speed_alone():
    speed = one(LORA_4090, "decode.tokens_per_s")
    assert (speed.low, speed.value, speed.high) == (None, 10, 10)


def test_the_lora_post_ties_each_percentage_to_what_it_measures():
    facts = values(LORA_4090)
    assert facts["gpu.utilization_pct"] == 40
    assert facts["host.cpu_utilization_pct"] == 80
    assert facts["observed.cpu_busy_gpu_idle"] is True


def test_the_lora_post_yields_what_was_observed_and_tried():
    facts = values(LORA_4090)
    assert facts["observed.slower_with_batch"] is True
    assert facts["observed.fits_on_paper"] is True
    assert {"slow", "oom"} <= set(stated(LORA_4090, "symptom.kind"))
    assert {"full-precision", "raise-batch"} <= set(stated(LORA_4090, "tried.change"))


def test_what_the_lora_post_only_asks_is_no_fact():
    facts = values(LORA_4090)
    assert facts["engine.name"] == "vllm"
    assert "engine.max_model_len" not in facts
    assert "error" not in stated(LORA_4090, "symptom.kind")
