"""Manifests: what starts a server under docker compose, Kubernetes, Ray, Helm, and an engine's own YAML."""

import pytest

from kb.facts import extract
from kb.judgement import Submission

POD = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: qwen
spec:
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-L40S
      containers:
      - name: server
        image: vllm/vllm-openai:v0.8.5
        args:
        - "--model"
        - "Qwen/Qwen2.5-7B-Instruct"
        - --tensor-parallel-size=2
        - --enforce-eager
        env:
        - name: VLLM_ATTENTION_BACKEND
          value: XFORMERS
        - name: HF_TOKEN
          valueFrom: {secretKeyRef: {name: hf, key: token}}
        resources:
          requests: {cpu: "1"}
          limits:
            nvidia.com/gpu: 2
            cpu: 3500m
            memory: 32Gi
        livenessProbe:
          httpGet: {path: /health, port: 8000}
          initialDelaySeconds: 30
          periodSeconds: 5
        volumeMounts:
        - {name: shm, mountPath: /dev/shm}
      volumes:
      - name: shm
        emptyDir: {medium: Memory, sizeLimit: 8Gi}
"""

COMPOSE = """
services:
  llm:
    image: lmsysorg/sglang:v0.4.6
    shm_size: 16gb
    command: python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B-Instruct --tp 4 --mem-fraction-static 0.8
    environment:
      - NCCL_P2P_DISABLE=1
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: 4
              capabilities: [gpu]
"""


def known(text: str):
    return extract(Submission(text))


def test_a_deployment():
    facts = known(POD)
    assert facts.value("engine.name") == "vllm"
    assert facts.value("engine.version") == "0.8.5"
    assert facts.value("host.orchestrator") == "kubernetes"
    assert facts.value("engine.model_path") == "Qwen/Qwen2.5-7B-Instruct"
    assert facts.value("engine.tensor_parallel") == 2
    assert facts.value("engine.enforce_eager") is True
    assert facts.value("engine.attention_backend") == "XFORMERS"
    assert facts.value("gpu.count") == 2
    assert facts.value("gpu.name") == "L40S"
    assert facts.value("host.cpu_cores") == 3.5
    assert facts.value("host.shm_gib") == 8
    assert facts.value("host.start_limit_s") == 30 + 5 * 3


def test_a_compose_file():
    facts = known(COMPOSE)
    assert facts.value("engine.name") == "sglang"
    assert facts.value("engine.version") == "0.4.6"
    assert facts.value("host.orchestrator") == "docker"
    assert facts.value("engine.tensor_parallel") == 4
    assert facts.value("host.shm_gib") == 16
    assert facts.value("gpu.count") == 4
    assert "NCCL_P2P_DISABLE=1" in {fact.value for fact in facts.holding("engine.env")}


@pytest.mark.parametrize(("written", "gib"), [("8Gi", 8.0), ("1G", 1e9 / 2**30), ("512Mi", 0.5), ("1073741824", 1.0)])
def test_sizes_of_kubernetes(written, gib):
    facts = known(
        f"volumes:\n- name: shm\n  emptyDir:\n    medium: Memory\n    sizeLimit: {written}\nresources:\n  limits:\n    cpu: 1\n"
    )
    assert facts.value("host.shm_gib") == pytest.approx(gib)


def test_words_behind_a_shell_in_a_list():
    facts = known(
        "containers:\n- name: a\n  image: vllm/vllm-openai:latest\n  command: ['/bin/sh', '-c']\n"
        "  args: ['vllm serve Qwen/Qwen3-8B --max-model-len 4096 --max-num-seqs 2']\n"
    )
    assert facts.value("engine.max_model_len") == 4096
    assert facts.value("engine.max_num_seqs") == 2


def test_a_slice_of_a_card():
    facts = known(
        "kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - resources:\n      limits:\n        nvidia.com/mig-1g.10gb: 1\n"
    )
    assert facts.value("gpu.mig") is True
    assert facts.value("gpu.count") == 1


def test_a_start_up_probe_stands_before_the_liveness_probe():
    facts = known(
        "containers:\n- image: vllm/vllm-openai:v0.9.0\n  startupProbe: {failureThreshold: 60, periodSeconds: 10}\n"
        "  livenessProbe: {failureThreshold: 1}\n"
    )
    assert facts.value("host.start_limit_s") == 600


@pytest.mark.parametrize(
    "text",
    [
        "model: Qwen/Qwen2.5-72B-Instruct-AWQ\ntensor-parallel-size: 4\nmax-model-len: 8192\ngpu-memory-utilization: 0.85\n",
        "llm_config:\n  engine_kwargs:\n    tensor_parallel_size: 4\n    max_model_len: 8192\n    gpu_memory_utilization: 0.85\n",
        "  tensor_parallel_size: 4\n  max_model_len: 8192\n  gpu_memory_utilization: 0.85\n",
    ],
    ids=["config of vllm", "ray serve", "cut off above"],
)
def test_keys_that_are_flags_of_an_engine(text):
    facts = known(text)
    assert facts.value("engine.tensor_parallel") == 4
    assert facts.value("engine.max_model_len") == 8192
    assert facts.value("engine.gpu_memory_utilization") == 0.85


@pytest.mark.parametrize(
    "mangle",
    [
        lambda text: text[: text.index("    livenessProbe")],
        lambda text: "Here is my manifest, pods restart all the time:\n\n```yaml" + text + "```\nAny idea?",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n".join("    " + line for line in text.splitlines()),
        lambda text: text + "\n  : ][ broken\n",
    ],
    ids=["cut below", "in a fence with prose", "windows newlines", "indented", "broken at the end"],
)
def test_what_is_mangled_is_read_as_far_as_it_goes(mangle):
    facts = known(mangle(POD))
    assert facts.value("engine.tensor_parallel") == 2
    assert facts.value("gpu.count") == 2


def test_every_fact_carries_the_words_that_state_it():
    cores = known(POD).best("host.cpu_cores")
    assert cores.provenance.quote == "3500m"


@pytest.mark.parametrize(
    "text",
    [
        "name: a\nvalue: b\n",
        "Note: it is slow.\nImage: none\n",
        "kind: regards,\nservices: none of your business\n" * 3,
    ],
)
def test_other_text_states_nothing_of_a_server(text):
    names = {fact.name for fact in known(text)}
    assert not {name for name in names if name.startswith(("engine.", "gpu."))}


def test_an_object_tag_is_not_made():
    facts = known(
        "services:\n  a:\n    image: vllm/vllm-openai:v0.9.0\n    command: !!python/object/apply:os.system ['true']\n"
    )
    assert facts.value("engine.version") == "0.9.0"


def test_aliases_do_not_multiply():
    lines = ["a0: &a0 {image: x}"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert known("services:\n  image: vllm/vllm-openai:v0.9.0\n  command: a\n" + "\n".join(lines)) is not None


def test_a_variable_of_a_script_is_followed():
    facts = known(
        'MODEL="Qwen/Qwen2.5-14B-Instruct"\nTP=4\nvllm serve $MODEL --tensor-parallel-size ${TP} --max-model-len ${LEN:-8192}\n'
    )
    assert facts.value("engine.model_path") == "Qwen/Qwen2.5-14B-Instruct"
    assert facts.value("engine.tensor_parallel") == 4
    assert facts.value("engine.max_model_len") == 8192
