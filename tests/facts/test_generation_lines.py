"""Lines after an answer, and the start-up of TGI."""

import pytest

from tests.facts.reading import one, stated, values

TABBY = (
    "INFO:     Metrics (ID: 4e1f): {} tokens generated in 9.10 seconds (Queue: 0.0 s, Process: 128 cached tokens and 512 new tokens at "
    "640.10 T/s, Generate: {} T/s, Context: 640 tokens)\n"
)
KOBOLD = "CtxLimit:812/8192, Amt:120/512, Init:0.01s, Process:1.40s (2.0ms/T = 494.29T/s), Generate:6.10s (50.8ms/T = 19.67T/s), Total:7.50s (16.00T/s)\n"
KOBOLD_NEW = "[12:01:44] CtxLimit:812/8192, Amt:120/512, Init:0.01s, Process:1.40s (494.29T/s), Generate:6.10s (19.67T/s), Total:7.50s\n"
TGI_NEW = """\
2025-07-04T12:35:02.586768Z  INFO text_generation_launcher: Args {
    model_id: "/models/some-model-13b",
    revision: None,
    num_shard: Some(
        4,
    ),
    quantize: Some(
        Awq,
    ),
    dtype: None,
    trust_remote_code: true,
    max_total_tokens: Some(
        8192,
    ),
    max_batch_prefill_tokens: None,
    port: 80,
}
2025-07-04T12:36:12.264187Z  INFO text_generation_launcher: Cuda Graphs are disabled (CUDA_GRAPHS=None).
2025-07-04T12:36:15.264187Z  INFO text_generation_router: router/src/main.rs:354: Setting max batch total tokens to 20480
"""
TGI_OLD = (
    '{"timestamp":"2023-09-01T08:00:00Z","level":"INFO","fields":{"message":"Args { model_id: \\"org/other-7b\\", revision: None, '
    'sharded: None, num_shard: Some(2), quantize: Some(BitsandbytesNF4), dtype: Some(Float16), max_total_tokens: 4096, env: false }"},'
    '"target":"text_generation_launcher"}\n'
)
TGI_REQUEST = (
    "2024-05-31T06:00:00.0Z  INFO generate{parameters=GenerateParameters {}}: text_generation_router::server: router/src/server.rs:322: "
    'Success total_time="4.1s" queue_time="51µs" inference_time="4.0s" time_per_token="40.5ms" seed="None"\n'
)


def test_the_median_of_tabbyapi_counts():
    facts = values("".join(TABBY.format(200, speed) for speed in (20.0, 25.4, 31.2)), "log")
    assert facts["engine.name"] == "tabbyapi"
    assert facts["decode.tokens_per_s"] == 25.4
    assert facts["prefill.tokens_per_s"] == 640.1
    assert facts["load.prompt_tokens"] == 512
    speed = one("".join(TABBY.format(200, speed) for speed in (20.0, 25.4, 31.2)), "decode.tokens_per_s")
    assert (speed.low, speed.high) == (20.0, 31.2)


def test_an_answer_without_speed_is_left_out():
    assert "decode.tokens_per_s" not in values(TABBY.format(1, "0.0"), "log")


@pytest.mark.parametrize("line", [KOBOLD, KOBOLD_NEW])
def test_both_forms_of_koboldcpp(line):
    facts = values(line, "log")
    assert (facts["decode.tokens_per_s"], facts["prefill.tokens_per_s"]) == (19.67, 494.29)


def test_the_line_of_text_generation_webui():
    facts = values("08:11:02 INFO Output generated in 40.00 seconds (3.20 tokens/s, 128 tokens, context 900, seed 7)")
    assert facts["engine.name"] == "text-generation-webui"
    assert (facts["decode.tokens_per_s"], facts["load.prompt_tokens"]) == (3.2, 900)


def test_the_footer_of_lm_studio():
    facts = values("14.25 tok/sec • 310 tokens • 2.10s to first token • Stop reason: EOS Token Found")
    assert facts["engine.name"] == "lmstudio"
    assert (facts["decode.tokens_per_s"], facts["latency.ttft_s"]) == (14.25, 2.1)


def test_a_request_of_tgi_gives_time_per_token():
    assert values(TGI_REQUEST, "log")["decode.tpot_ms"] == 40.5


def test_the_arguments_of_tgi():
    facts = values(TGI_NEW, "log")
    assert facts["engine.name"] == "tgi"
    assert facts["engine.tensor_parallel"] == 4
    assert facts["engine.quantization_flag"] == "awq"
    assert facts["engine.max_model_len"] == 8192
    assert facts["engine.trust_remote_code"] is True
    assert facts["engine.kv_cache_tokens"] == 20480
    assert facts["engine.graphs_captured"] is False
    assert facts["model.params_b"] == 13


def test_its_arguments_in_a_json_log_on_one_line():
    facts = values(TGI_OLD, "log")
    assert facts["engine.tensor_parallel"] == 2
    assert facts["engine.dtype"] == "float16"
    assert facts["engine.max_model_len"] == 4096
    assert stated(TGI_OLD, "engine.quantization_flag") == ["bitsandbytes-nf4"]
    assert facts["model.params_b"] == 7


def test_arguments_that_are_cut_off_state_what_is_left():
    facts = values(TGI_NEW[: TGI_NEW.index("quantize")], "log")
    assert facts["engine.tensor_parallel"] == 4
    assert "engine.quantization_flag" not in facts
