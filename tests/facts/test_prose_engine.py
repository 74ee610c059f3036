"""The engine that somebody speaks of without its name, and the version that he came to."""

import pytest

from kb.facts import extract
from kb.judgement import Submission


def known(text: str):
    return extract(Submission(text))


@pytest.mark.parametrize(
    ("said", "engine"),
    [
        ("the log waits for MQLLMEngine", "vllm"),
        ("with load_in_8bit=True it is slower", "transformers"),
        ("started with mem-fraction-static 0.8", "sglang"),
        ("level=INFO msg=offload layers.offload=29", "ollama"),
        ("34B in exl2 is slow", "exllamav2"),
    ],
)
def test_what_only_one_engine_has_names_it(said, engine):
    assert known(said).value("engine.name") == engine


def test_a_name_counts_before_what_only_hints():
    assert known("vLLM with torch_dtype=half").value("engine.name") == "vllm"


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("After going from 0.4.0 to 0.4.1 throughput fell", "0.4.1"),
        ("Since the automatic update to 0.5.4 it runs on the CPU", "0.5.4"),
        ("从旧版升级到 0.8.5 之后变慢", "0.8.5"),
        ("the driver went from 535.1.2 to 550.54.15", None),
        ("torch was upgraded to 2.5.1", None),
    ],
)
def test_the_version_that_one_came_to(said, version):
    assert known(said).value("engine.version") == version


@pytest.mark.parametrize(
    ("said", "quant"),
    [
        ("AutoAWQ 量化后部署", "awq-int4"),
        ("Llama 70B 4.5bpw", "exl2"),
        ("Llama-3.1-70B in f16", "fp16"),
        ("bitsandbytes INT8; inputs will be cast from torch.bfloat16 to float16", "bnb-int8"),
    ],
)
def test_weight_formats_as_people_write_them(said, quant):
    assert {fact.value for fact in known(said).holding("model.quant")} == {quant}


def test_cards_before_the_words_of_parallelism_in_chinese():
    assert known("用 4 卡张量并行启动").value("engine.tensor_parallel") == 4


def test_the_build_of_llama_cpp():
    assert known("llama-server b6123 on Windows is slow").value("engine.version") == "b6123"


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("While one user sends a large prompt all the other streams freeze", "observed.others_wait_for_prefill"),
        ("有人发长提示的时候，其他人全都卡住", "observed.others_wait_for_prefill"),
        ("Even without any request the CPU stays at 100% on one core", "observed.cpu_busy_when_idle"),
        ("空闲的时候 CPU 也占满", "observed.cpu_busy_when_idle"),
        (
            "as soon as I add --quantize it is twice as slow, time per token goes to 110 ms",
            "observed.quant_slower_than_fp16",
        ),
    ],
)
def test_what_people_see(said, fact):
    assert known(said).value(fact) is True


def test_a_busy_cpu_under_load_is_not_busy_when_idle():
    assert known("under load the CPU is at 100%").best("observed.cpu_busy_when_idle") is None


def test_generate_of_the_library_sends_raw_prompts():
    call = "LLM(model='meta-llama/Llama-3.1-8B-Instruct').generate(['Hi'])"
    assert known(call).value("engine.raw_prompts") is True
    assert known(call.replace("generate", "chat")).best("engine.raw_prompts") is None


def test_a_card_with_its_memory():
    assert known("RTX 3060 Laptop with 6 GB, very slow").value("gpu.memory_total_gib") == 6


def test_not_quantised_is_sixteen_bits():
    assert known("本地用 chatglm3-6b，没有做量化").value("model.quant") == "fp16"
    assert known("不量化正常，用 AWQ 就乱码").value("model.quant") == "awq-int4"


@pytest.mark.parametrize(
    "said",
    [
        "我这边大概 40-60 tokens/s，比别人慢",
        "单卡4090跑7B，40-60 tokens/s 之间，很慢",
        "10-15 tokens/s with vLLM is slow",
    ],
)
def test_a_range_at_the_beginning_of_a_line_is_no_time_stamp(said):
    assert known(said).value("symptom.kind") == "slow"
    assert known(said).best("decode.tokens_per_s") is not None


def test_a_line_that_begins_with_a_time_stamp_is_a_log():
    for stamp in ("2025-12-01 10:00:00,123", "12-01 10:00:00", "10:00:00.5", "[2025/12/01 10:00:00]"):
        assert known(f"{stamp} everything is very slow here").best("symptom.kind") is None
