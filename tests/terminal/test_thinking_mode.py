import json

import pytest

from infermary import cli

R1 = "vllm serve deepseek-ai/DeepSeek-R1 -tp 8"


def shares(tmp_path, capsys, symptom, log=""):
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": "a", "symptom": symptom, "command": R1, "log": log}), "utf-8")
    assert cli.main(["diagnose", str(file), "--json"]) == 0
    return [(cause["slug"], cause["probability"]) for cause in json.loads(capsys.readouterr().out)["causes"]]


@pytest.mark.parametrize(
    ("symptom", "log"),
    [
        ("multi-gpu start hangs", "NCCL watchdog timeout: ProcessGroupNCCL collective operation timeout"),
        ("out of memory at start", "torch.OutOfMemoryError: CUDA out of memory"),
        ("fails to load", "KeyError: 'model.layers.0.mlp.gate'"),
    ],
)
def test_a_reasoning_model_that_breaks_otherwise_is_not_blamed_for_thinking(tmp_path, capsys, symptom, log):
    assert dict(shares(tmp_path, capsys, symptom, log))["thinking-mode-on"] < 0.05


def test_a_slow_reasoning_model_thinks(tmp_path, capsys):
    assert shares(tmp_path, capsys, "answers are slow, hello takes 20 s")[0][0] == "thinking-mode-on"
