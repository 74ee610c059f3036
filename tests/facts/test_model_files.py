"""Files that lie beside a model, pasted whole, cut off or quoted."""

import json

import pytest

from tests.facts.reading import one, read, values

CONFIG = {
    "_name_or_path": "/data/models/Qwen2.5-14B-Instruct-AWQ",
    "architectures": ["Qwen2ForCausalLM"],
    "hidden_size": 5120,
    "max_position_embeddings": 32768,
    "model_type": "qwen2",
    "num_attention_heads": 40,
    "num_hidden_layers": 48,
    "num_key_value_heads": 8,
    "quantization_config": {"bits": 4, "group_size": 128, "quant_method": "awq", "version": "gemm", "zero_point": True},
    "torch_dtype": "float16",
    "use_cache": False,
    "vocab_size": 152064,
}
VISION = {
    "architectures": ["SomeForConditionalGeneration"],
    "model_type": "some_vl",
    "dtype": "bfloat16",
    "text_config": {"num_hidden_layers": 36, "hidden_size": 2560, "num_attention_heads": 32, "num_experts": 64},
    "vision_config": {"num_hidden_layers": 27, "hidden_size": 1152},
}


def test_the_config_of_a_quantised_model():
    facts = values("config.json 如下：\n" + json.dumps(CONFIG, indent=2))
    assert facts["model.name"] == "Qwen2.5-14B-Instruct-AWQ"
    assert facts["model.layers"] == 48
    assert facts["model.kv_heads"] == 8
    assert facts["model.head_dim"] == 128
    assert facts["model.max_position"] == 32768
    assert facts["model.quant"] == "awq-int4"
    assert facts["model.quant_bits"] == 4
    assert facts["model.group_size"] == 128
    assert facts["model.checkpoint_dtype"] == "float16"
    assert facts["engine.use_kv_cache"] is False


def test_each_fact_points_at_its_line():
    text = json.dumps(CONFIG, indent=2)
    assert one(text, "model.layers").provenance.quote == '"num_hidden_layers": 48'
    assert one(text, "model.quant_bits").provenance.quote == '"bits": 4'


def test_the_language_part_of_a_vision_model_counts():
    facts = values(json.dumps(VISION, indent=2))
    assert facts["model.layers"] == 36
    assert facts["model.is_moe"] is True
    assert facts["model.is_multimodal"] is True
    assert facts["model.quant"] == "bf16"


@pytest.mark.parametrize(
    ("section", "quant"),
    [
        ({"quant_method": "gptq", "bits": 8, "group_size": 32, "desc_act": True}, "gptq-int8"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8"),
        ({"quant_method": "compressed-tensors", "format": "pack-quantized"}, "int4"),
        ({"quant_method": "compressed-tensors", "format": "float-quantized"}, "fp8"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bnb-nf4"),
    ],
)
def test_the_ways_to_quantise(section, quant):
    text = json.dumps({"model_type": "llama", "num_hidden_layers": 32, "quantization_config": section}, indent=2)
    assert values(text)["model.quant"] == quant


def test_a_quantize_config_alone():
    facts = values('{\n  "bits": 4,\n  "group_size": -1,\n  "desc_act": true,\n  "sym": true\n}')
    assert facts["model.quant"] == "gptq-int4"
    assert facts["model.desc_act"] is True
    assert "model.is_multimodal" not in facts


def test_a_config_that_is_cut_off_at_both_ends_and_quoted():
    lines = json.dumps(CONFIG, indent=2).splitlines()[6:-3]
    facts = values("".join(f"> {line}\r\n" for line in lines))
    assert facts["model.layers"] == 48
    assert facts["model.quant"] == "awq-int4"
    assert "model.hidden" not in facts


def test_an_adapter_states_its_rank_and_its_base():
    adapter = {"base_model_name_or_path": "org/Llama-3.1-8B", "lora_alpha": 32, "peft_type": "LORA", "r": 16}
    facts = values(json.dumps(adapter, indent=1))
    assert facts["model.lora"] is True
    assert facts["model.lora_rank"] == 16
    assert facts["model.params_b"] == 8


def test_the_index_of_safetensors_states_the_size_of_the_weights():
    index = {
        "metadata": {"total_size": 15 * 2**30},
        "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors"},
    }
    assert values(json.dumps(index, indent=2))["model.file_gib"] == 15


def test_a_generation_config_is_no_prose():
    text = json.dumps(
        {"eos_token_id": 2, "max_length": 4096, "temperature": 0.6, "transformers_version": "4.51.0"}, indent=2
    )
    assert len(read(text)) == 0


@pytest.mark.parametrize(
    "text",
    [
        '{"model_type": [], "num_hidden_layers": {}, "quantization_config": [1], "torch_dtype": {"a": 1}}',
        '{"num_hidden_layers": "many", "hidden_size": 0, "num_attention_heads": 0, "group_size": null, "bits": [4]}',
        '{"text_config": 7, "model_type": "x", "num_hidden_layers": 1e999}',
        "{" * 100_000 + '"model_type": 1',
        '{"quant_method": {"a": ' * 2_000,
    ],
)
def test_values_that_no_config_holds_are_read_over(text):
    read(text)
