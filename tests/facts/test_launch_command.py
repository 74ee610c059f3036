import pytest

from tests.facts.reading import read, values


def test_vllm_serve_with_environment_short_flags_and_negated_switch():
    facts = values(
        "CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ -tp 2 --max-model-len=8192 "
        "--gpu_memory_utilization .85 --no-enable-prefix-caching --enforce-eager --cpu-offload-gb 4",
        "command",
    )
    assert facts["engine.name"] == "vllm"
    assert facts["gpu.count"] == 2
    assert facts["engine.model_path"] == "Qwen/Qwen2.5-7B-Instruct-AWQ"
    assert (facts["model.name"], facts["model.params_b"], facts["model.quant"]) == (
        "Qwen2.5-7B-Instruct-AWQ",
        7,
        "awq-int4",
    )
    assert facts["engine.tensor_parallel"] == 2
    assert facts["engine.max_model_len"] == 8192
    assert facts["engine.gpu_memory_utilization"] == 0.85
    assert facts["engine.prefix_caching"] is False
    assert facts["engine.enforce_eager"] is True
    assert facts["engine.cpu_offload_gib"] == 4


def test_every_flag_and_assignment_is_stated_in_one_spelling():
    facts = read("NCCL_P2P_DISABLE=1 vllm serve m --some-new-flag 3 --port 8000 --executor_name=x", "command")
    assert {f.value for f in facts.all("engine.flag")} == {"--some-new-flag 3", "--port 8000", "--executor-name x"}
    assert [f.value for f in facts.all("engine.env")] == ["NCCL_P2P_DISABLE=1"]


def test_docker_run_over_several_lines():
    facts = values(
        "docker run --gpus '\"device=0,1\"' --shm-size 1g --cpus=4 -e VLLM_USE_V1=0 \\\n  vllm/vllm-openai:v0.6.3 \\\n"
        "  --model /models/DeepSeek-R1-Distill-Qwen-32B --quantization gptq",
        "command",
    )
    assert facts["engine.version"] == "0.6.3"
    assert facts["host.in_container"] is True
    assert facts["host.shm_gib"] == 1
    assert facts["host.cpu_cores"] == 4
    assert facts["gpu.count"] == 2
    assert facts["engine.env"] == "VLLM_USE_V1=0"
    assert facts["engine.quantization_flag"] == "gptq"
    assert facts["model.params_b"] == 32


def test_python_keyword_arguments():
    facts = values("llm = LLM(model='org/net-7b', dtype='half', tensor_parallel_size=2, enforce_eager=True)", "command")
    assert facts["engine.name"] == "vllm"
    assert facts["engine.dtype"] == "float16"
    assert facts["engine.tensor_parallel"] == 2
    assert facts["engine.enforce_eager"] is True


@pytest.mark.parametrize(
    ("command", "engine", "name", "value"),
    [
        ("python -m vllm.entrypoints.openai.api_server --model m --max-num-seqs 16", "vllm", "engine.max_num_seqs", 16),
        ("python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2", "sglang", "engine.tensor_parallel", 2),
        ("./llama-server -m q.gguf -ngl 20 -c 4096 -t 8", "llama.cpp", "engine.gpu_layers", 20),
        ("llama-server.exe -m q.gguf -c 4096", "llama.cpp", "engine.max_model_len", 4096),
        ("ollama run llama3.2:3b", "ollama", "model.params_b", 3),
        ("text-generation-launcher --model-id m --num-shard 4", "tgi", "engine.tensor_parallel", 4),
        ("lmdeploy serve api_server internlm/internlm2-7b --tp 2", "lmdeploy", "engine.tensor_parallel", 2),
    ],
)
def test_engines_and_their_flags(command, engine, name, value):
    facts = values(command, "command")
    assert (facts["engine.name"], facts[name]) == (engine, value)


def test_a_command_within_a_sentence_ends_where_the_sentence_goes_on():
    facts = values("我用 vllm serve Qwen/Qwen2.5-7B --max-model-len 4096 启动，4090 上只有 5 tokens/s")
    assert facts["engine.max_model_len"] == 4096
    assert facts["decode.tokens_per_s"] == 5
    assert facts["gpu.name"] == "RTX 4090"


def test_unbalanced_quotes_do_not_lose_what_stands_before_them():
    assert (
        values("vllm serve org/m-7b --max-model-len 4096 --chat-template 'x", "command")["engine.max_model_len"] == 4096
    )


def test_a_shell_variable_is_no_value():
    facts = values("vllm serve $MODEL --max-model-len $LEN --enforce-eager", "command")
    assert "engine.max_model_len" not in facts
    assert "engine.model_path" not in facts
    assert facts["engine.enforce_eager"] is True
