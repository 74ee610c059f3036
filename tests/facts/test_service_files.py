"""Units of systemd, Dockerfiles, Modelfiles of Ollama, and what `docker inspect` prints."""

import pytest

from kb.facts import extract
from kb.judgement import Submission


def known(text: str):
    return extract(Submission(text))


UNIT = """[Unit]
Description=vLLM
[Service]
Environment="HF_HOME=/data/hf" "VLLM_USE_V1=0"
ExecStart=/opt/venv/bin/vllm serve Qwen/Qwen2.5-7B-Instruct \\
    --max-model-len 8192 \\
    --enforce-eager
CPUQuota=150%
TimeoutStartSec=2min
[Install]
WantedBy=multi-user.target
"""


def test_a_unit():
    facts = known(UNIT)
    assert facts.value("host.orchestrator") == "systemd"
    assert facts.value("engine.model_path") == "Qwen/Qwen2.5-7B-Instruct"
    assert facts.value("engine.max_model_len") == 8192
    assert facts.value("engine.enforce_eager") is True
    assert facts.value("host.cpu_cores") == 1.5
    assert facts.value("host.start_limit_s") == 120
    assert {"HF_HOME=/data/hf", "VLLM_USE_V1=0"} <= {fact.value for fact in facts.holding("engine.env")}


@pytest.mark.parametrize(("written", "cores"), [("0-7", 8), ("0-3,8-11", 8), ("5", 1)])
def test_cpus_that_a_unit_is_held_to(written, cores):
    assert known(f"[Service]\nAllowedCPUs={written}\n").value("host.cpu_cores") == cores


def test_an_override_of_ollama():
    facts = known('[Service]\nEnvironment="OLLAMA_NUM_PARALLEL=8"\nEnvironment="OLLAMA_KEEP_ALIVE=-1"\n')
    assert {"OLLAMA_NUM_PARALLEL=8", "OLLAMA_KEEP_ALIVE=-1"} <= {fact.value for fact in facts.holding("engine.env")}


def test_a_dockerfile_with_a_list_as_command():
    facts = known(
        "FROM vllm/vllm-openai:v0.8.5\nENV VLLM_ATTENTION_BACKEND=XFORMERS\nRUN pip install flash-attn\n"
        'CMD ["--model", "Qwen/Qwen3-8B", "--tensor-parallel-size", "2", "--enforce-eager"]\n'
    )
    assert facts.value("engine.version") == "0.8.5"
    assert facts.value("engine.attention_backend") == "XFORMERS"
    assert facts.value("engine.model_path") == "Qwen/Qwen3-8B"
    assert facts.value("engine.tensor_parallel") == 2
    assert facts.value("engine.enforce_eager") is True


def test_a_modelfile():
    facts = known(
        "FROM qwen2.5:7b\nPARAMETER num_ctx 16384\nPARAMETER num_gpu 20\nADAPTER ./lora.gguf\nSYSTEM You help.\n"
    )
    assert facts.value("engine.name") == "ollama"
    assert facts.value("engine.max_model_len") == 16384
    assert facts.value("engine.gpu_layers") == 20
    assert facts.value("model.lora") is True


INSPECT = """[
  {
    "Id": "0123",
    "Args": ["serve", "Qwen/Qwen2.5-7B-Instruct", "-tp", "2"],
    "Config": {
      "Image": "vllm/vllm-openai:v0.9.1",
      "Env": ["NCCL_P2P_DISABLE=1", "PATH=/usr/bin"],
      "Cmd": ["serve", "Qwen/Qwen2.5-7B-Instruct", "-tp", "2"],
      "Entrypoint": ["vllm"]
    },
    "HostConfig": {
      "ShmSize": 67108864,
      "NanoCpus": 2000000000,
      "DeviceRequests": [{"Driver": "", "Count": -1, "DeviceIDs": ["0", "1"]}]
    }
  }
]"""


def test_docker_inspect():
    facts = known(INSPECT)
    assert facts.value("engine.version") == "0.9.1"
    assert facts.value("engine.model_path") == "Qwen/Qwen2.5-7B-Instruct"
    assert facts.value("engine.tensor_parallel") == 2
    assert facts.value("host.shm_gib") == 0.0625
    assert facts.value("host.cpu_cores") == 2
    assert facts.value("gpu.count") == 2
    assert "NCCL_P2P_DISABLE=1" in {fact.value for fact in facts.holding("engine.env")}


def test_a_part_of_docker_inspect_is_enough():
    facts = known(INSPECT[INSPECT.index('"HostConfig"') :])
    assert facts.value("host.shm_gib") == 0.0625


@pytest.mark.parametrize("cut", range(40, len(INSPECT), 97))
def test_docker_inspect_that_is_cut_off_states_nothing_false(cut):
    facts = known(INSPECT[:cut])
    assert facts.value("host.shm_gib") in (None, 0.0625)
    assert facts.value("engine.tensor_parallel") in (None, 2)


def test_a_text_that_begins_with_from_is_no_dockerfile():
    assert known("FROM yesterday on it is slow.\nCMD says nothing").best("engine.name") is None
