import pytest

from probes.roofline import model_shape, weight_format
from probes.roofline.models import models, shape_of_sizes


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen2.5-7B"),
        ("qwen2_5-14b", "Qwen2.5-14B"),
        ("Qwen2.5-Coder-7B", "Qwen2.5-7B"),
        ("llama3:8b", "Llama-3-8B"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama-3-8B"),
        ("/models/Llama2-7b-chat-hf", "Llama-2-7B"),
        ("deepseek-r1:32b", "DeepSeek-R1-Distill-Qwen-32B"),
        ("DeepSeek-R1", "DeepSeek-V3"),
        ("DeepSeek-V2-Lite-Chat", "DeepSeek-V2-Lite"),
        ("mixtral-8x7b-instruct", "Mixtral-8x7B"),
        ("Qwen3-30B-A3B", "Qwen3-30B-A3B"),
        ("THUDM/glm-4-9b-chat", "GLM-4-9B"),
        ("internlm2_5-7b-chat", "InternLM2-7B"),
    ],
)
def test_a_model_is_found_by_the_names_that_people_write(written, shape):
    assert model_shape(written).name == shape


def test_a_new_version_is_not_taken_for_an_old_one():
    shape = model_shape("Qwen9-7B")
    assert shape.confidence == "D"
    assert shape.params_b == 7


def test_a_size_alone_gives_a_common_layout_and_says_so():
    shape = model_shape(params_b=7)
    assert shape.confidence == "D"
    assert "Llama-2-7B" in shape.source


def test_a_name_with_active_parameters_is_read_as_a_mixture():
    shape = model_shape("Foo-35B-A3B")
    assert shape.linear_params_read(1) < 0.15 * shape.linear_params
    assert shape.linear_params_read(256) == pytest.approx(shape.linear_params, rel=0.01)


def test_nothing_is_made_of_a_name_without_a_size():
    assert model_shape("bge-m3") is None
    assert model_shape() is None


MATRICES = [
    shape for shape in models() if not shape.kv_latent and shape.name not in ("Llama-4-Scout", "Qwen2-57B-A14B")
]


@pytest.mark.parametrize("shape", MATRICES, ids=lambda shape: shape.name)
def test_the_matrices_of_a_row_add_up_to_its_published_parameters_within_1_percent(shape):
    """Not for latent attention and shared experts, whose matrices the table does not list."""
    attention = 2 * shape.hidden * shape.head_dim * (shape.heads + shape.kv_heads)
    mlp = (3 if shape.gated else 2) * shape.hidden * shape.intermediate
    experts = shape.experts * shape.hidden * (3 * shape.expert_intermediate + 1)
    embeddings = shape.vocab * shape.hidden * (1 if shape.tied else 2)
    total = shape.layers * (attention + (experts or mlp)) + embeddings
    assert total / 1e9 == pytest.approx(shape.params_b, rel=0.01)


def test_a_config_gives_the_same_shape_as_the_table():
    config = {
        "num_hidden_layers": 28, "hidden_size": 3584, "num_attention_heads": 28, "num_key_value_heads": 4,
        "intermediate_size": 18944, "vocab_size": 152064, "max_position_embeddings": 131072, "tie_word_embeddings": False,
    }  # fmt: skip
    shape = model_shape(config=config)
    assert shape.params_b == pytest.approx(7.616, rel=0.001)
    assert shape.kv_bytes_per_token() == 57344
    assert shape.max_position == 131072


def test_a_config_of_latent_attention_keeps_the_latent_only():
    config = {
        "num_hidden_layers": 27, "hidden_size": 2048, "num_attention_heads": 16, "vocab_size": 102400, "intermediate_size": 10944,
        "n_routed_experts": 64, "num_experts_per_tok": 6, "moe_intermediate_size": 1408, "first_k_dense_replace": 1,
        "n_shared_experts": 2, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
    }  # fmt: skip
    shape = model_shape(config=config)
    assert shape.kv_bytes_per_token() == 27 * 576 * 2
    assert shape.params_b == pytest.approx(15.7, rel=0.03)


@pytest.mark.parametrize(
    "config",
    [
        {"hidden_size": "many"},
        {"num_hidden_layers": 2},
        {"num_hidden_layers": 0, "hidden_size": 1, "num_attention_heads": 1, "vocab_size": 1},
    ],
)
def test_a_config_that_says_too_little_is_none(config):
    assert model_shape(config=config) is None


QWEN_7B = {"layers": 28, "hidden": 3584, "kv_heads": 4, "head_dim": 128, "vocab": 152064}


def test_sizes_that_a_probe_read_tell_a_known_model_whose_name_says_nothing():
    assert shape_of_sizes(QWEN_7B).params_b == pytest.approx(7.6, rel=0.02)


def test_an_unknown_model_is_summed_up_from_its_sizes():
    sizes = QWEN_7B | {"vocab": 152000, "intermediate": 18944}
    assert shape_of_sizes(sizes).params_b == pytest.approx(7.6, rel=0.02)


@pytest.mark.parametrize(
    "sizes", [{}, {"layers": 28}, QWEN_7B | {"vocab": 152000}], ids=["nothing", "one size", "no size of the MLP"]
)
def test_too_few_sizes_of_an_unknown_model_are_no_shape(sizes):
    assert shape_of_sizes(sizes) is None


def test_a_mixture_of_experts_is_not_summed_up_from_the_sizes_of_a_dense_model():
    assert shape_of_sizes(QWEN_7B | {"vocab": 152000, "intermediate": 18944}, mixture=True) is None


@pytest.mark.parametrize(
    ("quant", "group", "bits"),
    [
        ("gptq-int4", 128, 4.15625),
        ("awq-int4", None, 4.15625),
        ("gptq-int8", 128, 8.1875),
        ("int8", None, 8.004),
        ("bf16", None, 16),
    ],
)
def test_a_weight_costs_its_bits_with_scale_and_zero_point(quant, group, bits):
    assert weight_format(quant, group).bits == bits


def test_an_unknown_format_is_an_error():
    with pytest.raises(ValueError, match="unknown weight format"):
        weight_format("int3")
