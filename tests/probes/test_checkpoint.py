"""What a model's files say: format, size and shape."""

from __future__ import annotations

import json
import struct

import pytest

from probes.checkpoint import locate, model_values, read

CONFIG = {
    "torch_dtype": "float16", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 100, "max_position_embeddings": 4096,
}  # fmt: skip


def checkpoint(folder, config, tensors=None):
    (folder / "config.json").write_text(json.dumps(config))
    if tensors:
        header = json.dumps(
            {name: {"dtype": d, "shape": s, "data_offsets": [0, 0]} for name, (d, s) in tensors.items()}
        )
        (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header.encode())
    return model_values(read(folder))


@pytest.mark.parametrize(
    ("quantisation", "quant"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": True}, "gptq-int4"),
        ({"quant_method": "gptq", "bits": 8}, "gptq-int8"),
        ({"quant_method": "awq", "bits": 4}, "awq-int4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bnb-nf4"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bnb-int8"),
        ({"quant_method": "fp8"}, "fp8"),
        ({"quant_method": "compressed-tensors", "format": "int-quantized"}, "w8a8-int8"),
        ({"quant_method": "something-new"}, None),
        (None, "fp16"),
    ],
)
def test_the_weight_format(tmp_path, quantisation, quant):
    config = CONFIG | ({"quantization_config": quantisation} if quantisation else {})
    assert checkpoint(tmp_path, config).get("model.quant") == quant


def test_a_quantize_config_beside_the_model_counts(tmp_path):
    (tmp_path / "quantize_config.json").write_text(json.dumps({"bits": 4, "group_size": 32, "desc_act": False}))
    values = checkpoint(tmp_path, CONFIG)
    assert (values["model.quant"], values["model.group_size"], values["model.desc_act"]) == ("gptq-int4", 32, False)


def test_packed_weights_are_counted_as_what_they_hold(tmp_path):
    config = CONFIG | {"quantization_config": {"quant_method": "gptq", "bits": 4}}
    tensors = {
        "a.qweight": ("I32", [1000, 1000]), "a.qzeros": ("I32", [50, 50]), "a.scales": ("F16", [50, 50]),
        "lm_head.weight": ("F16", [1000, 2000]),
    }  # fmt: skip
    assert checkpoint(tmp_path, config, tensors)["model.params_b"] == pytest.approx(0.010)


def test_the_tensors_win_over_what_the_configuration_claims(tmp_path):
    values = checkpoint(tmp_path, CONFIG, {"a.weight": ("BF16", [8, 8]), "norm.weight": ("F32", [8])})
    assert values["model.checkpoint_dtype"] == "bfloat16"


def test_shapes_of_the_text_part_of_a_multimodal_model(tmp_path):
    values = checkpoint(tmp_path, {"text_config": CONFIG, "vision_config": {}})
    assert (values["model.is_multimodal"], values["model.layers"], values["model.head_dim"]) == (True, 2, 16)


def test_a_gguf_tells_its_format_by_its_name(tmp_path):
    path = tmp_path / "Qwen2.5-7B-Instruct-Q4_K_M.gguf"
    path.write_bytes(b"GGUF")
    assert model_values(read(path))["model.quant"] == "gguf-q4"


def test_broken_or_missing_files_say_nothing(tmp_path):
    assert model_values(read(tmp_path)) == {}
    (tmp_path / "config.json").write_text("[1, 2")
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 40)
    assert model_values(read(tmp_path)) == {}


def test_a_hub_id_is_found_in_the_cache_of_the_engines_user(tmp_path):
    snapshot = tmp_path / "home/u/.cache/huggingface/hub/models--Qwen--Qwen3-8B/snapshots/abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    assert locate("Qwen/Qwen3-8B", tmp_path, "/home/u", {}) == snapshot
    assert locate("Qwen/Other", tmp_path, "/home/u", {}) is None
