"""What Ollama prints, old and new."""

import pytest

from tests.facts.reading import stated, values

PS_NEW = """\
$ ollama ps
NAME             ID              SIZE     PROCESSOR          CONTEXT    UNTIL
qwen2.5:32b      9f13ba1299af    30 GB    40%/60% CPU/GPU    16384      4 minutes from now
"""
PS_OLD = """\
NAME            ID              SIZE      PROCESSOR    UNTIL
gemma2:9b       ff02c3702f32    8.1 GB    100% GPU     Forever
"""
VERBOSE = """\
total duration:       1m2.5s
load duration:        31.4ms
prompt eval count:    612 token(s)
prompt eval duration: 2.04s
prompt eval rate:     300.00 tokens/s
eval count:           480 token(s)
eval duration:        1m0.2s
eval rate:            7.97 tokens/s
"""
SHOW = """\
  Model
    architecture        llama
    parameters          8.0B
    context length      131072
    embedding length    4096
    quantization        Q4_K_M

  Parameters
    num_ctx    8192
"""
LOG = (
    'time=2025-06-02T10:00:01.1+08:00 level=INFO source=routes.go:1235 msg="server config" env="map[CUDA_VISIBLE_DEVICES: '
    "OLLAMA_CONTEXT_LENGTH:4096 OLLAMA_FLASH_ATTENTION:true OLLAMA_KEEP_ALIVE:-1 OLLAMA_NUM_PARALLEL:4 OLLAMA_ORIGINS:[http://a "
    'https://b] OLLAMA_SCHED_SPREAD:false]"\n'
    'time=2025-06-02T10:00:01.2+08:00 level=INFO source=routes.go:1288 msg="Listening on 127.0.0.1:11434 (version 0.9.0)"\n'
    'time=2025-06-02T10:00:01.9+08:00 level=INFO source=types.go:130 msg="inference compute" id=GPU-1a library=cuda variant=v12 '
    'compute=8.6 driver=12.4 name="NVIDIA GeForce RTX 3060" total="11.8 GiB" available="11.2 GiB"\n'
    "time=2025-06-02T10:01:00.0+08:00 level=INFO source=server.go:168 msg=offload library=cuda layers.requested=-1 layers.model=49 "
    'layers.offload=21 layers.split="" memory.available="[11.2 GiB]" memory.required.full="22.4 GiB"\n'
    'time=2025-06-02T10:01:00.3+08:00 level=INFO source=server.go:438 msg="starting llama server" cmd="/usr/local/bin/ollama runner '
    '--model /root/.ollama/models/blobs/sha256-ab --ctx-size 16384 --batch-size 512 --n-gpu-layers 21 --threads 8 --parallel 4"\n'
    'time=2025-06-02T10:03:00.0+08:00 level=WARN source=runner.go:131 msg="truncating input prompt" limit=4096 prompt=9120 keep=4 new=4096\n'
)


def test_a_model_that_lies_partly_in_host_memory():
    facts = values(PS_NEW)
    assert facts["engine.name"] == "ollama"
    assert facts["engine.offloaded_gib"] == pytest.approx(11.18)
    assert facts["engine.device"] == "gpu"
    assert facts["engine.max_model_len"] == 16384
    assert facts["model.params_b"] == 32


def test_the_older_table_and_a_model_that_fits():
    facts = values(PS_OLD)
    assert facts["engine.device"] == "gpu"
    assert "engine.offloaded_gib" not in facts


def test_a_model_on_the_processor_alone():
    facts = values(PS_OLD.replace("100% GPU", "100% CPU"))
    assert facts["engine.device"] == "cpu"
    assert facts["engine.offloaded_gib"] == pytest.approx(7.54)


def test_the_timings_tell_prompt_and_answer_apart():
    facts = values("我这边很慢\n" + VERBOSE)
    assert facts["decode.tokens_per_s"] == 7.97
    assert facts["prefill.tokens_per_s"] == 300
    assert facts["load.prompt_tokens"] == 612
    assert facts["load.output_tokens"] == 480
    assert facts["latency.e2e_s"] == 62.5


def test_timings_that_are_cut_off_state_what_is_left():
    facts = values(VERBOSE[VERBOSE.index("prompt eval rate") :].replace("\n", "\r\n"))
    assert (facts["decode.tokens_per_s"], facts["prefill.tokens_per_s"]) == (7.97, 300)
    assert "load.prompt_tokens" not in facts


def test_the_card_of_a_model():
    facts = values(SHOW)
    assert facts["model.params_b"] == 8
    assert facts["model.max_position"] == 131072
    assert facts["model.quant"] == "gguf-q4"
    assert facts["engine.max_model_len"] == 8192


def test_the_log_states_settings_that_somebody_made():
    assert stated(LOG, "engine.env") == ["OLLAMA_FLASH_ATTENTION=true", "OLLAMA_KEEP_ALIVE=-1", "OLLAMA_NUM_PARALLEL=4"]
    assert values(LOG)["engine.version"] == "0.9.0"


def test_the_log_states_card_layers_and_the_prompt_that_was_cut():
    facts = values(LOG)
    assert facts["gpu.name"] == "RTX 3060 12G"
    assert facts["gpu.memory_total_gib"] == 11.8
    assert facts["gpu.compute_capability"] == 8.6
    assert facts["engine.gpu_layers"] == 21
    assert facts["load.prompt_tokens"] == 9120
    assert facts["engine.threads"] == 8


def test_only_a_processor_was_found():
    text = 'time=2024-07-05T02:36:51Z level=INFO source=types.go:98 msg="inference compute" id=0 library=cpu compute="" name="" total="7.4 GiB"\n'
    facts = values(text)
    assert facts["engine.device"] == "cpu"
    assert facts["gpu.visible"] is False
    assert "gpu.memory_total_gib" not in facts
