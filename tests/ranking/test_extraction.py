"""How the reading of facts is judged."""

from collections import Counter

import pytest

from kb import facts as reading
from kb.extraction import compared, figures
from kb.judgement import Submission


def outcome(text: str, **known) -> dict[str, str]:
    return {key: result for key, result in compared(reading.extract(Submission(text)), known)}


def test_a_fact_is_right_wrong_or_missed():
    text = "vLLM 0.6.3 on two RTX 3090, tensor parallel 2"
    assert outcome(text, engine="vllm", gpu_count=4, quant="awq") == {
        "engine": "right", "gpu_count": "wrong", "quant": "missed",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Qwen2.5-7B-Instruct in vLLM", {"model": "Qwen/Qwen2.5-7B-Instruct"}),
        ("单卡 3090 跑 7B", {"gpu": "RTX 3090 24GB"}),
        ("21.04 tok/s here", {"tok_s": 21}),
        ("Ubuntu 22.04 here", {"os": "Ubuntu 22.04"}),
        ("llama.cpp with q4_K_M", {"quant": "Q4_K_M"}),
    ],
)
def test_other_ways_to_write_the_same(text, known):
    assert set(outcome(text, **known).values()) == {"right"}


def test_what_is_no_fact_of_ours_is_not_counted():
    assert outcome("vLLM", component="scheduler") == {}


def test_precision_is_of_what_was_read_and_recall_of_what_was_stated():
    (row,) = figures(Counter({("tp", "right"): 6, ("tp", "wrong"): 2, ("tp", "missed"): 4}))
    assert row == {"fact": "tp", "n": 12, "precision": 0.75, "recall": 0.5}


def test_nothing_read_has_no_precision():
    (row,) = figures(Counter({("tp", "missed"): 4}))
    assert row["precision"] is None
