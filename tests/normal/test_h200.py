"""The realistic range against `docs/evidence/h200-decode.json`, which it was not made from."""

import json
from pathlib import Path

import pytest

from probes.roofline import Decode, decode, gpu, judge_speed, model_shape, weight_format

EVIDENCE = Path(__file__).parents[2] / "docs/evidence/h200-decode.json"
ROWS = json.loads(EVIDENCE.read_text("utf-8"))["rows"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['format']}-{row['streams']}x{row['prompt_tokens']}")
def test_what_a_healthy_server_does_is_called_normal(row):
    context = row["prompt_tokens"] + row["answer_tokens"] // 2
    expected = decode(Decode(
        model_shape("Qwen2.5-7B"), gpu("H200"), weight_format(row["format"]), batch=row["streams"], context=context,
        prompt=row["prompt_tokens"], answer=row["answer_tokens"],
    ))  # fmt: skip
    state, _, share = judge_speed(row["tpot_p50_ms"], expected)
    assert state == "normal"
    assert 0 < share < 1
