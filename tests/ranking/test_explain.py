import math

import pytest
from pydantic import TypeAdapter

from kb import explain
from kb.condition import Condition
from probes.facts import Fact, Provenance


def said(when):
    return explain.condition(TypeAdapter(Condition).validate_python(when))


@pytest.mark.parametrize(
    ("when", "zh", "en"),
    [
        ({"fact": "engine.prefix_caching"}, "前缀缓存", "prefix caching"),
        ({"fact": "engine.prefix_caching", "value": False}, "不成立：前缀缓存", "not so: prefix caching"),
        ({"fact": "engine.prefix_caching", "op": "is-not"}, "不成立：前缀缓存", "not so: prefix caching"),
        ({"fact": "engine.max_model_len", "op": ">=", "value": 32768}, "max-model-len至少 32,768 tokens", "max-model-len is at least 32,768 tokens"),
        ({"fact": "gpu.utilization_pct", "op": "<", "value": 40}, "低于 40%", "is below 40%"),
        ({"fact": "engine.name", "op": "in", "value": ["vllm", "sglang"]}, "推理引擎是 vllm或sglang", "engine is vllm or sglang"),
        ({"fact": "engine.version", "op": "version<", "value": "0.6.0"}, "引擎版本早于 0.6.0", "engine version is older than 0.6.0"),
        ({"fact": "gpu.xid", "value": 79}, "Xid 错误号含有 79", "Xid error includes 79"),
        ({"fact": "gpu.name", "op": "known"}, "已知GPU 型号", "the GPU model is known"),
    ],
)  # fmt: skip
def test_a_condition_reads_as_a_sentence_in_both_languages(when, zh, en):
    assert zh in said(when).zh
    assert en in said(when).en


def test_parts_are_joined_as_one_says_them():
    both = said({"all": [{"fact": "gpu.mig"}, {"not": {"fact": "gpu.nvlink"}}]})
    assert both.en == "MIG is on and not (NVLink is connected)"
    assert both.zh == "MIG 已开启，且并非（NVLink 已连接）"
    assert said({"any": [{"fact": "gpu.mig"}, {"fact": "gpu.nvlink"}]}).en == "(MIG is on) or (NVLink is connected)"


@pytest.mark.parametrize(
    ("weight", "zh", "en"),
    [
        (math.log(10), "×10", "×10"),
        (-math.log(3), "反对 ×3", "against ×3"),
        (0.0, "×1", "×1"),
        (math.log(1.6), "×1.6", "×1.6"),
    ],
)
def test_a_weight_reads_as_a_factor(weight, zh, en):
    assert (explain.factor(weight).zh, explain.factor(weight).en) == (zh, en)


def test_a_range_stays_a_range():
    stated = Fact("decode.tokens_per_s", 2.5, Provenance("text"), low=2, high=3)
    assert explain.fact(stated).zh == "单路生成速度：2–3 tok/s"


@pytest.mark.parametrize(
    ("value", "shown"), [(1234567, "1,234,567"), (0.12345, "0.123"), (1234.5, "1,234"), (2.0, "2"), ("text", "text")]
)
def test_numbers_show_the_digits_that_matter(value, shown):
    assert explain.number(value) == shown


def test_levels_are_the_steps_of_the_scale():
    assert [round(math.exp(explain.likelihood(level)), 4) for level in (1, 2, 3, -1)] == [3, 10, 30, 0.3333]
