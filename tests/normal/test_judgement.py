import json

import pytest

from kb.normal import judge
from probes.facts import Fact, FactSet, Provenance
from tests.normal.case import case


def stated(normal, name):
    return next((fact.value for fact in normal.facts if fact.name == name), None)


def test_two_or_three_tokens_a_second_of_a_4_bit_7b_on_two_3090_is_a_hundredth_of_the_ceiling():
    normal = judge(
        case(
            gpu__name="RTX 3090",
            gpu__count=2,
            model__params_b=7.0,
            model__quant="gptq-int4",
            decode__tokens_per_s=(2.5, 2.0, 3.0),
        )
    )
    assert normal.state == "far-too-slow"
    assert normal.share == pytest.approx(0.0107, abs=0.001)
    assert normal.slowdown > 30
    said = " ".join(sentence.en for sentence in normal.sentences)
    assert "1.1% of the ceiling" in said
    assert "No bandwidth limit of a card explains this" in said
    assert any("Llama-2-7B" in note.en and note.confidence == "D" for note in normal.assumptions)


def test_with_tensor_parallel_the_share_of_one_card_is_said_too():
    facts = {
        "gpu__name": "RTX 3090",
        "gpu__count": 2,
        "model__name": "llama2 7B GPTQ",
        "decode__tokens_per_s": (2.5, 2.0, 3.0),
    }
    normal = judge(case(**facts, engine__tensor_parallel=2))
    assert normal.state == "far-too-slow"
    assert any("0.52% of the ceiling (1.0% of one card's)" in sentence.en for sentence in normal.sentences)


def test_under_ten_tokens_a_second_of_an_int8_7b_on_a_4090_is_slow_and_fp16_fits_with_its_context():
    normal = judge(
        case(
            gpu__name="RTX 4090",
            gpu__memory_total_gib=24,
            model__name="Qwen2.5-7B",
            model__quant="int8",
            decode__tokens_per_s=(10.0, None, 10.0),
        )
    )
    assert normal.state == "slow"
    assert normal.share == pytest.approx(0.076, abs=0.001)
    assert normal.fit_16.kv_tokens == pytest.approx(103_000, rel=0.01)
    assert normal.fit_16.max_model_len == 32768
    assert any("fp16 weights take 14.2 GiB" in sentence.en and "32768" in sentence.en for sentence in normal.sentences)
    assert any("不到 10.0 tok/s" in sentence.zh for sentence in normal.sentences)


@pytest.mark.parametrize(
    "facts", [{}, {"symptom__kind": "output"}, {"gpu__name": "RTX 4090"}, {"model__name": "Qwen2.5-7B"}]
)
def test_where_nothing_about_speed_or_memory_is_known_there_is_no_judgement(facts):
    assert judge(case(**facts)) is None


@pytest.mark.parametrize(
    ("facts", "asked"),
    [
        ({"model__name": "Qwen2.5-7B", "decode__tokens_per_s": 5.0}, "the GPU model"),
        ({"gpu__name": "RTX 4090", "decode__tokens_per_s": 5.0}, "the model or its size"),
        (
            {
                "gpu__name": "RTX 4090",
                "model__name": "Qwen2.5-7B",
                "engine__device": "cpu",
                "decode__tokens_per_s": 5.0,
            },
            "CPU",
        ),
        ({"gpu__name": "A100 80G", "gpu__mig": True, "model__name": "Qwen2.5-7B", "decode__tokens_per_s": 5.0}, "MIG"),
        ({"gpu__name": "Ascend 910B", "model__name": "Qwen2.5-7B", "decode__tokens_per_s": 5.0}, "bandwidth"),
    ],
)
def test_what_is_missing_is_said_and_no_state_is_invented(facts, asked):
    normal = judge(case(**facts))
    assert normal.state == "unknown"
    assert asked in normal.sentences[0].en
    assert stated(normal, "normal.state") is None
    assert stated(normal, "normal.slowdown") is None


def test_a_sum_of_many_streams_is_not_compared_with_the_ceiling_of_one():
    facts = {
        "gpu__name": "H200",
        "model__name": "Qwen2.5-7B",
        "model__quant": "bf16",
        "decode__total_tokens_per_s": 3933.0,
    }
    assert judge(case(**facts, load__concurrency=32)).state == "normal"
    assert judge(case(**facts)).state == "unknown"


def test_a_sum_below_what_one_stream_should_reach_is_slow_however_many_there_are():
    assert (
        judge(
            case(gpu__name="H200", model__name="Qwen2.5-7B", model__quant="bf16", decode__total_tokens_per_s=20.0)
        ).state
        == "slow"
    )


def test_a_time_of_the_engines_metrics_is_judged_with_the_streams_that_ran():
    facts = {"gpu__name": "H200", "model__name": "Qwen2.5-7B", "model__quant": "bf16", "metrics__tpot_mean_ms": 17.9}
    assert judge(case("metrics", **facts, metrics__requests_running=128.0)).state == "normal"
    assert judge(case("metrics", **facts, metrics__requests_running=1.0)).state == "look-closer"


def test_a_probe_wins_over_what_was_said():
    facts = case(gpu__name="H200", model__name="Qwen2.5-7B", model__quant="bf16", decode__tokens_per_s=5.0)
    facts.add([Fact("decode.tpot_ms", 4.7, Provenance("probe"))])
    assert judge(facts).state == "normal"


def test_an_unstated_format_is_no_reason_to_call_a_speed_impossible():
    facts = {"gpu__name": "RTX 4090", "model__name": "Qwen2.5-7B", "decode__tokens_per_s": 110.0}
    assert judge(case(**facts)).state == "unknown"
    assert judge(case(**facts, model__quant="fp16")).state == "faster-than-physics"
    assert judge(case(**facts, model__quant="fp16", engine__speculative=True)).state == "normal"


def test_an_unstated_format_states_nothing_about_memory():
    normal = judge(case(gpu__name="RTX 4090", model__name="Qwen2.5-32B"))
    assert stated(normal, "fit.fits") is None
    assert normal.fit.fits is False


def test_a_guessed_layout_states_weights_but_no_context():
    normal = judge(case(gpu__name="RTX 4090", model__params_b=7.0, model__quant="fp16"))
    assert stated(normal, "fit.weights_fit_one_gpu") is True
    assert stated(normal, "fit.max_model_len") is None


def test_weights_too_big_for_one_card_are_counted_over_all():
    normal = judge(case(gpu__name="A100 80G", gpu__count=4, model__name="Llama-3.1-70B", model__quant="bf16"))
    assert normal.setting.tp == 4
    assert stated(normal, "fit.weights_fit_one_gpu") is False
    assert stated(normal, "fit.fits") is True


def test_layers_laid_on_two_cards_fit_where_one_card_is_too_small_but_read_no_faster():
    facts = {
        "gpu__name": "RTX 4090",
        "model__name": "Qwen2.5-32B",
        "model__quant": "gguf-q8",
        "engine__name": "llama.cpp",
    }
    one, two = judge(case(**facts)), judge(case(**facts, gpu__count=2))
    assert (stated(one, "fit.fits"), stated(two, "fit.fits")) == (False, True)
    assert one.ceiling == two.ceiling
    assert any("host memory" in sentence.en for sentence in one.sentences)
    assert not any("host memory" in sentence.en for sentence in two.sentences)


def test_a_card_of_unknown_size_says_nothing_about_memory_or_impossible_speeds():
    facts = {"gpu__name": "A100", "model__name": "Qwen2.5-7B", "model__quant": "bf16", "decode__tokens_per_s": 125.0}
    assert judge(case(**facts)).fit is None
    assert judge(case(**facts)).state == "unknown"
    assert judge(case(**facts, gpu__memory_total_gib=40)).state == "faster-than-physics"
    assert judge(case(**facts, gpu__memory_total_gib=80)).state == "normal"


def test_sizes_of_the_checkpoint_win_over_the_table():
    assert (
        judge(
            case(gpu__name="RTX 4090", model__name="Qwen2.5-7B", model__max_position=131072, model__quant="fp16")
        ).fit.max_model_len
        > 100_000
    )


def test_a_measured_bandwidth_wins_over_the_table():
    normal = judge(
        case(
            "probe", gpu__name="H200", gpu__measured_bandwidth_gbs=4120.0, model__name="Qwen2.5-7B", model__quant="bf16"
        )
    )
    assert normal.ceiling == pytest.approx(290, abs=2)


def test_transformers_is_measured_by_its_own_range():
    facts = {"gpu__name": "A100 80G", "model__name": "Qwen2.5-7B", "model__quant": "bf16", "decode__tokens_per_s": 40.4}
    normal = judge(case(**facts, engine__name="transformers"))
    assert normal.state == "normal"
    assert any("CUDA graphs" in sentence.en for sentence in normal.sentences)


def test_newer_vllm_takes_more_memory_by_default():
    def free(version):
        return judge(
            case(
                gpu__name="RTX 4090",
                model__name="Qwen2.5-7B",
                model__quant="fp16",
                engine__name="vllm",
                engine__version=version,
            )
        ).fit.free_for_kv

    assert free("0.24.0") - free("0.9.2") == pytest.approx(0.47, abs=0.01)


def test_computed_facts_say_so_and_are_of_the_vocabulary():
    normal = judge(case(gpu__name="RTX 4090", model__name="Qwen2.5-7B", model__quant="int8", decode__tokens_per_s=80.0))
    assert {fact.provenance.origin for fact in normal.facts} == {"computed"}
    assert {fact.name for fact in normal.facts} >= {
        "normal.ceiling_tokens_per_s",
        "normal.state",
        "fit.weights_gib",
        "fit.max_model_len",
    }


def test_the_terms_add_up_to_the_expectation():
    normal = judge(
        case(
            gpu__name="RTX 4090", gpu__count=2, engine__tensor_parallel=2, model__name="Qwen2.5-7B", model__quant="int8"
        )
    )
    assert 1000 / sum(term["ms"][1] for term in normal.terms) == pytest.approx(normal.expected[0])
    assert all(term["zh"] and term["en"] for term in normal.terms)


def test_it_is_written_as_json_in_both_languages():
    normal = judge(
        case(
            gpu__name="RTX 4090",
            model__name="Qwen2.5-7B",
            decode__tokens_per_s=10.0,
            latency__ttft_s=3.0,
            load__prompt_tokens=4000,
        )
    )
    written = json.loads(json.dumps(normal.to_json()))
    assert written["state"] == "slow"
    assert all(sentence["zh"] and sentence["en"] for sentence in written["sentences"])
    assert written["expected_ttft_s"][0] < 1 < 3


@pytest.mark.parametrize("facts", [
    {"decode__tokens_per_s": 0.0}, {"decode__tpot_ms": 0.0, "gpu__name": "RTX 4090", "model__name": "Qwen2.5-7B"},
    {"gpu__name": "RTX 4090", "model__params_b": 0.0, "decode__tokens_per_s": 1.0}, {"gpu__name": "RTX 4090", "model__params_b": 1e6, "decode__tokens_per_s": 1e9},
    {"gpu__name": "RTX 4090", "model__name": "Qwen2.5-7B", "model__group_size": 0, "model__quant": "gptq-int4", "load__output_tokens": 0, "load__concurrency": 100000},
    {"gpu__name": "RTX 4090", "model__name": "Qwen2.5-7B", "engine__tensor_parallel": 0, "model__kv_heads": 0, "gpu__memory_total_gib": 0.0, "model__quant": "exl2"},
])  # fmt: skip
def test_senseless_values_do_not_crash(facts):
    normal = judge(case(**facts))
    assert normal is None or json.dumps(normal.to_json())


def test_an_empty_case_is_no_case():
    assert judge(FactSet()) is None
