"""A real vLLM that was started badly is diagnosed by probes alone, with no word of text; a healthy one is called healthy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.engine.serve import Server, load, serving

ROOT = Path(__file__).parent.parent.parent


def check(server: Server) -> dict:
    """What `infermary check` says of the engine at this address."""
    argv = [sys.executable, "-m", "infermary.cli", "check", "--url", server.url, "--json"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=300)
    answer = json.loads(done.stdout)
    assert done.returncode == (2 if answer["verdict"] == "no_data" else 0), done.stderr
    return answer


def start(vllm: Path, model: Path, folder: Path, *flags: str):
    return serving(vllm, model, folder / "log", *flags, VLLM_ENABLE_V1_MULTIPROCESSING="0")


def leading(answer: dict, count: int = 1) -> list[str]:
    return [cause["slug"] for cause in answer["causes"][:count]]


def test_a_healthy_server_is_called_healthy(vllm, mid_model, tmp_path):
    """The larger model works most of the time, so that the client of the test leaves it its core."""
    with start(vllm, mid_model, tmp_path) as server, load(server, 1, 60, 60):
        answer = check(server)
    assert answer["verdict"] == "healthy"


def test_an_idle_server_is_not_called_healthy(vllm, tiny_model, tmp_path):
    with start(vllm, tiny_model, tmp_path) as server:
        answer = check(server)
    assert answer["verdict"] == "no_data"


def test_one_sequence_at_a_time_while_people_wait(vllm, tiny_model, tmp_path):
    with start(vllm, tiny_model, tmp_path, "--max-num-seqs", "1") as server, load(server, 4, 60, 60):
        answer = check(server)
    assert answer["verdict"] == "problem"
    assert leading(answer) == ["max-num-seqs-low"]


def test_a_kv_cache_too_small_for_the_load(vllm, tiny_model, tmp_path):
    flags = ("--num-gpu-blocks-override", "12", "--max-model-len", "512")
    with start(vllm, tiny_model, tmp_path, *flags) as server, load(server, 8, 100, 200):
        answer = check(server)
    assert answer["verdict"] == "problem"
    assert leading(answer) == ["kv-preemption"]


def test_float32_for_a_bfloat16_checkpoint(vllm, tiny_model, tmp_path):
    with start(vllm, tiny_model, tmp_path, "--dtype", "float32") as server, load(server, 1, 400, 10):
        answer = check(server)
    assert answer["verdict"] == "problem"
    assert leading(answer) == ["wrong-dtype"]
