import pytest

from tests.facts.reading import one, stated, values


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("双路3090", "RTX 3090", 2),
        ("2x RTX 3090", "RTX 3090", 2),
        ("3090双卡", "RTX 3090", 2),
        ("8卡A100", "A100", 8),
        ("A100*8", "A100", 8),
        ("two H100s", "H100", 2),
        ("4 张 V100", "V100", 4),
        ("单张4090", "RTX 4090", 1),
        ("four NVIDIA L40S", "L40S", 4),
        ("4× RTX 2080Ti", "RTX 2080 Ti", 4),
        ("an A6000 (48GB VRAM)", "RTX A6000", 1),
    ],
)
def test_cards_and_their_number_are_read_as_people_write_them(text, name, count):
    facts = values(f"机器: {text}, 很慢")
    assert (facts["gpu.name"], facts["gpu.count"]) == (name, count)


@pytest.mark.parametrize("text", ["监听端口 4090", "max_tokens=4090", "生成了3090个token", "耗时 3090 ms", "v3.3090.1"])
def test_a_number_that_is_no_card_is_no_card(text):
    assert "gpu.name" not in values(text)


@pytest.mark.parametrize(
    ("text", "low", "value", "high"),
    [
        ("1秒2-3个token", 2, 2.5, 3),
        ("每秒５个字", None, 5, None),
        ("一秒两三个token", 2, 2.5, 3),
        ("10 tok/s", None, 10, None),
        ("20～30 tokens/s", 20, 25, 30),
        ("不到10 tokens/s", None, 10, 10),
        ("less than 5 tokens per second", None, 5, 5),
        ("超过 40 t/s", 40, 40, None),
        ("30 tokens a minute", None, 0.5, None),
        ("speed dropped from 40 tok/s to 4 tok/s", None, 4, None),
    ],
)
def test_speeds_and_their_bounds(text, low, value, high):
    speed = one(text, "decode.tokens_per_s")
    assert (speed.low, speed.value, speed.high) == (low, pytest.approx(value), high)


def test_a_time_per_token_is_a_speed():
    assert one("300ms per token", "decode.tokens_per_s").value == pytest.approx(3.333, abs=0.01)


@pytest.mark.parametrize("text", ["一个token要等2秒", "2 seconds per token", "each token takes 2 s"])
def test_two_seconds_a_token_are_half_a_token_a_second(text):
    assert one(text, "decode.tokens_per_s").value == 0.5


def test_an_expected_speed_is_not_the_measured_one():
    facts = values("现在只有 5 tokens/s，别人的 3090 应该能到 60 tokens/s")
    assert facts["decode.tokens_per_s"] == 5
    assert facts["decode.expected_tokens_per_s"] == 60


def test_a_total_throughput_is_not_the_speed_of_one_stream():
    facts = values("单请求 30 tokens/s。64 并发时总吞吐 500 tokens/s。")
    assert facts["decode.tokens_per_s"] == 30
    assert facts["decode.total_tokens_per_s"] == 500


@pytest.mark.parametrize(
    ("text", "quant"),
    [
        ("GPTQ 4bit", "gptq-int4"), ("4-bit AWQ", "awq-int4"), ("INT8 量化", "int8"), ("FP8", "fp8"), ("Q4_K_M 的 GGUF", "gguf-q4"),
        ("bitsandbytes 8bit", "bnb-int8"), ("NVFP4", "nvfp4"), ("exl2", "exl2"), ("BF16", "bf16"),
    ],
)  # fmt: skip
def test_weight_formats(text, quant):
    assert values(f"模型是 7B {text}，很慢")["model.quant"] == quant


def test_the_format_of_the_cache_is_not_the_format_of_the_weights():
    assert "model.quant" not in values("7B model with an fp8 KV cache is slow")


@pytest.mark.parametrize(
    ("text", "name", "size"),
    [
        ("Qwen2.5-7B-Instruct 很慢", "Qwen2.5-7B-Instruct", 7),
        ("serving meta-llama/Llama-3.1-8B now", "Llama-3.1-8B", 8),
        ("DeepSeek-R1-Distill-Qwen-32B", "DeepSeek-R1-Distill-Qwen-32B", 32),
        ("跑Llama 3.1 70B Instruct", "Llama 3.1 70B Instruct", 70),
    ],
)
def test_models_and_their_size(text, name, size):
    facts = values(text)
    assert (facts["model.name"], facts["model.params_b"]) == (name, size)


def test_a_mixture_of_experts_has_two_sizes():
    facts = values("Qwen3-30B-A3B is slow")
    assert (facts["model.params_b"], facts["model.active_params_b"], facts["model.is_moe"]) == (30, 3, True)


@pytest.mark.parametrize(
    ("text", "engine", "version"),
    [
        ("vLLM 0.6.3 很慢", "vllm", "0.6.3"),
        ("sglang v0.4.1 hangs", "sglang", "0.4.1"),
        ("vllm==0.8.5.post1", "vllm", "0.8.5.post1"),
        ("把 vllm 从 0.5.1 升到 0.6.0 之后变慢", "vllm", "0.6.0"),
        ("Ollama 0.3.12 on Windows", "ollama", "0.3.12"),
    ],
)
def test_engines_and_versions(text, engine, version):
    facts = values(text)
    assert (facts["engine.name"], facts["engine.version"]) == (engine, version)


def test_a_denied_switch_is_false_and_not_true():
    assert values("没有开 enforce-eager")["engine.enforce_eager"] is False
    assert values("We are not using LoRA.")["model.lora"] is False
    assert values("There is no CPU offload.")["engine.cpu_offload_gib"] == 0
    assert values("Two cards without NVLink.")["gpu.nvlink"] is False


@pytest.mark.parametrize(
    "text",
    [
        "是不是没开 enforce-eager?",
        "Would enforce-eager help?",
        "Should I use LoRA?",
        "如果换成 AWQ 会快吗?",
        "要不要试试 TP=2?",
    ],
)
def test_what_is_asked_or_supposed_is_no_fact(text):
    facts = values(text)
    assert not {"engine.enforce_eager", "model.lora", "model.quant", "engine.tensor_parallel"} & set(facts)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("batch调到4反而更慢", "slower_with_batch"),
        ("throughput gets slower with more concurrent requests", "slower_with_batch"),
        ("单请求正常，并发一上来就慢", "fine_when_single"),
        ("单卡比双卡还快", "tp_slower"),
        ("第一次请求要等很久", "first_request_slow"),
        ("The first request takes 40 seconds", "first_request_slow"),
        ("升级之后就变慢了", "after_upgrade"),
        ("重启机器后就好了", "after_reboot_fixed"),
        ("GPU利用率几乎是0", "gpu_idle"),
        ("流式输出一次性返回", "tokens_arrive_at_once"),
        ("输出全是乱码", "garbled"),
        ("it never stops generating", "repeats"),
        ("回答被截断", "truncated"),
        ("启动时卡住不动", "hangs_at_start"),
        ("It gets slower over time", "degrades_over_time"),
        ("模型加载很慢", "slow_load"),
    ],
)
def test_behaviour_in_both_languages(text, name):
    assert stated(text, f"observed.{name}") == [True]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("太慢了", "slow"),
        ("CUDA out of memory", "oom"),
        ("启动失败", "load"),
        ("it hangs", "hang"),
        ("全是乱码", "output"),
        ("一直报错", "error"),
    ],
)
def test_kinds_of_trouble(text, kind):
    assert kind in stated(text, "symptom.kind")


def test_words_of_speed_make_slowness_the_subject_where_no_other_trouble_is_named():
    assert stated("4090 跑 7B，每秒 5 个 token，怎么优化？", "symptom.kind") == ["slow"]
    assert "slow" not in stated("CUDA out of memory，吞吐先不管", "symptom.kind")


def test_denied_trouble_is_no_trouble():
    assert stated("不是OOM，也没有报错，就是慢", "symptom.kind") == ["slow"]


def test_one_busy_core_is_not_a_busy_machine():
    facts = values("CPU 一个核 100%，GPU 利用率 0%")
    assert facts["host.one_core_saturated"] is True
    assert "host.cpu_utilization_pct" not in facts
    assert facts["gpu.utilization_pct"] == 0


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("把gpu-memory-utilization从0.9降到0.8也没用", "lower-gpu-memory-utilization"),
        ("I reinstalled everything, no difference.", "reinstall"),
        ("升级到最新版，问题依旧", "upgrade"),
    ],
)
def test_what_was_tried_in_vain(text, change):
    assert stated(text, "tried.without_effect") == [change]


def test_durations_and_lengths():
    facts = values("TTFT 5-8 秒，32 并发，prompt 约 2k tokens，上下文 32k")
    assert facts["latency.ttft_s"] == 6.5
    assert facts["load.concurrency"] == 32
    assert facts["load.prompt_tokens"] == 2048
    assert facts["load.context_tokens"] == 32768


def test_the_host_around_the_cards():
    facts = values("WSL2, Ubuntu 22.04, driver 550.54.15, CUDA 12.4, 64GB RAM, in docker, AMD EPYC 7543")
    assert facts["host.virtualisation"] == "wsl2"
    assert facts["host.os"] == "linux"
    assert facts["gpu.driver_version"] == "550.54.15"
    assert facts["gpu.cuda_version"] == "12.4"
    assert facts["host.memory_total_gib"] == 64
    assert facts["host.in_container"] is True


def test_a_flag_that_no_table_knows_is_stated_as_a_flag():
    assert stated("started with --some-new-flag 20 and --other", "engine.flag") == ["--some-new-flag 20", "--other"]
    assert stated("Should I set --some-new-flag?", "engine.flag") == []


def test_flags_named_in_a_sentence():
    facts = values("gpu_memory_utilization=0.9, max-model-len 设为 4096, 张量并行设为2")
    assert facts["engine.gpu_memory_utilization"] == 0.9
    assert facts["engine.max_model_len"] == 4096
    assert facts["engine.tensor_parallel"] == 2


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("With tensor parallel 1 it starts; with 4 it hangs", "single-gpu"),
        ("Out of memory; with --enforce-eager it starts.", "enforce-eager"),
        ("关闭 custom all-reduce 之后就正常了", "disable-custom-all-reduce"),
        ("after downgrading to 0.6.2 everything works", "downgrade"),
        ("Without the LoRA adapter it is fast", "disable-lora"),
        ("单请求的时候是正常的，并发一上来就卡", "one-request-at-a-time"),
    ],
)
def test_what_helped(text, change):
    assert stated(text, "tried.helped") == [change]


@pytest.mark.parametrize("text", ["With --enforce-eager it does not work either", "设置 NCCL_P2P_DISABLE=1 也没有效果"])
def test_what_did_not_help_is_not_said_to_help(text):
    assert stated(text, "tried.helped") == []
    assert len(stated(text, "tried.without_effect")) == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("eight cards are slower than four", "tp_slower"),
        ("with --load-8bit it takes twice as long as in fp16", "quant_slower_than_fp16"),
        ("为什么 int8 更慢？", "quant_slower_than_fp16"),
        ("After going from 0.4.0 to 0.4.1 throughput falls", "version_compared"),
        ("It takes 25 s with 0.23 and took 2.6 s with 0.22", "version_compared"),
        ("calling the API directly streams at once", "fine_directly"),
        ("the model is loaded again at every prompt", "model_reloads"),
        ("only one CPU core is at 100%", "one_core_busy"),
        ("同样的配置，另一台机器上很快", "other_machine_faster"),
        ("112 个核全部跑满", "cpu_busy"),
        ("任务管理器里两张 GPU 都没有负载", "gpu_idle"),
        ("batch 4 is slower than batch 1", "slower_with_batch"),
    ],
)
def test_what_people_observe(text, name):
    assert stated(text, f"observed.{name}") == [True]


@pytest.mark.parametrize(
    "text", ["memory went from 12.4 to 3.4 GB", "Llama-3.1-8B-Instruct is used", "2.21 GiB is needed"]
)
def test_other_numbers_are_no_versions(text):
    assert stated(text, "observed.version_compared") == []


@pytest.mark.parametrize(
    "text", ["Qwen2.5-7B 在 4090 上 20 tok/s 正常吗", "Is 20 tok/s normal for Qwen2.5-7B on a 4090?"]
)
def test_who_asks_whether_a_speed_is_normal_states_it(text):
    facts = values(text)
    assert (facts["decode.tokens_per_s"], facts["model.name"], facts["gpu.name"]) == (20, "Qwen2.5-7B", "RTX 4090")


@pytest.mark.parametrize(
    ("text", "speed"),
    [("It used to be 60 tok/s and now it is 12 tok/s", 12), ("以前 40 tok/s，现在只有 4 tok/s", 4)],
)
def test_of_two_speeds_the_present_one_counts(text, speed):
    assert values(text)["decode.tokens_per_s"] == speed


@pytest.mark.parametrize(
    ("text", "gpu", "speed"),
    [
        ("vllm serve on 4090, 7B model only 5 tok/s", "RTX 4090", 5),
        ("ollama run qwen2.5:7b on my 3060 is slow, 4 tok/s", "RTX 3060 12G", 4),
    ],
)
def test_words_after_a_command_on_the_same_line_are_prose(text, gpu, speed):
    facts = values(text)
    assert (facts["gpu.name"], facts["decode.tokens_per_s"]) == (gpu, speed)


def test_the_split_that_ollama_prints_is_no_load():
    assert "host.cpu_utilization_pct" not in values("ollama ps shows 38%/62% CPU/GPU")


@pytest.mark.parametrize(
    ("text", "model"), [("deepseek-v3 8*H200", "deepseek-v3"), ("CodeLlama-34B 4.0bpw exl2", "CodeLlama-34B")]
)
def test_a_number_that_counts_what_follows_is_not_the_models(text, model):
    assert values(text)["model.name"] == model


def test_a_number_after_a_switch_is_not_its_value():
    assert values("7B on one 4090 with --enforce-eager: 20 tok/s")["engine.enforce_eager"] is True
