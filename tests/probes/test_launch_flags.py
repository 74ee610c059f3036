"""What a command line says about an engine, and what of it is kept."""

from __future__ import annotations

import pytest

from probes.launch_flags import launch_facts
from probes.processes import without_secrets


def stated(engine: str, command: str) -> dict:
    return {said.fact: said.value for said in launch_facts(engine, command.split()) if said.fact != "engine.flag"}


@pytest.mark.parametrize(
    ("command", "fact", "value"),
    [
        ("vllm serve /models/m", "engine.model_path", "/models/m"),
        ("vllm serve m -tp 2", "engine.tensor_parallel", 2),
        ("vllm serve m --tensor-parallel-size=4", "engine.tensor_parallel", 4),
        ("vllm serve m --enforce-eager", "engine.enforce_eager", True),
        ("vllm serve m --no-enforce-eager", "engine.enforce_eager", False),
        ("vllm serve m --enforce-eager --max-num-seqs 8", "engine.max_num_seqs", 8),
        ("vllm serve m --no-enable-prefix-caching", "engine.prefix_caching", False),
        ("vllm serve m --enable-chunked-prefill=False", "engine.chunked_prefill", False),
        ("vllm serve m --enable-chunked-prefill False", "engine.chunked_prefill", False),
        ("vllm serve m --disable-custom-all-reduce", "engine.custom_all_reduce", False),
        ("vllm serve m --max-model-len 32k", "engine.max_model_len", 32000),
        ("vllm serve m --kv-cache-memory-bytes 6G", "engine.kv_cache_memory_gib", 6.0),
        ("vllm serve m --dtype half", "engine.dtype", "float16"),
        ("vllm serve m --max_num_seqs 16", "engine.max_num_seqs", 16),
        ("vllm serve m --cpu-offload-gb 8", "engine.cpu_offload_gib", 8.0),
        ("vllm serve m --cuda-graph-sizes 1 2 4", "engine.capture_max", 4),
    ],
)
def test_flags_of_vllm(command, fact, value):
    assert stated("vllm", command)[fact] == value


def test_flags_of_other_engines():
    assert stated("sglang", "python -m sglang.launch_server --disable-radix-cache")["engine.prefix_caching"] is False
    assert stated("llama.cpp", "llama-server -m m.gguf -ngl 20")["engine.gpu_layers"] == 20
    assert stated("tgi", "text-generation-launcher --quantize gptq")["engine.quantization_flag"] == "gptq"


def test_a_value_that_cannot_be_read_states_the_flag_alone():
    said = list(launch_facts("vllm", ["vllm", "serve", "m", "--max-num-seqs", "$SEQS"]))
    assert ("engine.flag", "--max-num-seqs") in [(each.fact, each.value) for each in said]
    assert "engine.max_num_seqs" not in [each.fact for each in said]


def test_a_statement_knows_its_words():
    argv = ["vllm", "serve", "m", "-tp", "2", "--port", "1"]
    said = next(each for each in launch_facts("vllm", argv) if each.fact == "engine.tensor_parallel")
    assert argv[said.word : said.word + said.words] == ["-tp", "2"]


def test_keys_and_tokens_never_leave_the_host():
    argv = [
        "vllm",
        "serve",
        "m",
        "--api-key",
        "s3cret",
        "another",
        "--hf-token=hf_abc",
        "--max-num-batched-tokens",
        "2048",
    ]
    shown = " ".join(without_secrets(argv))
    assert not any(secret in shown for secret in ("s3cret", "another", "hf_abc"))
    assert "--max-num-batched-tokens 2048" in shown
