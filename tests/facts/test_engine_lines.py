"""Single lines of engines, of a GGUF's header, of NCCL and of /metrics."""

import pytest

from tests.facts.reading import read, stated, values


@pytest.mark.parametrize(
    ("line", "fact", "value"),
    [
        (
            "INFO 05-06 10:00:00 gpu_executor.py:122] # GPU blocks: 1200, # CPU blocks: 512",
            "engine.kv_cache_tokens",
            19200,
        ),
        (
            "INFO 02-01 10:00:00 executor_base.py:111] # cuda blocks: 500, # CPU blocks: 256",
            "engine.kv_cache_tokens",
            8000,
        ),
        (
            "WARNING 05-06 10:00:01 scheduler.py:1057] Sequence group cmpl-1 is preempted by PreemptionMode.RECOMPUTE mode because there "
            "is not enough KV cache space. total_num_cumulative_preemption=51",
            "metrics.preemptions",
            51,
        ),
        (
            "INFO 11-01 10:00:00 [metrics.py:86] SpecDecoding metrics: Mean acceptance length: 1.40, Avg Draft acceptance rate: 20.0%",
            "metrics.spec_acceptance",
            0.2,
        ),
        (
            "INFO 11-01 10:00:00 metrics.py:477] Speculative metrics: Draft acceptance rate: 0.310",
            "metrics.spec_acceptance",
            0.31,
        ),
        (
            "[2025-03-25 16:37:06 TP0] KV Cache is allocated. #tokens: 30720, K size: 1.25 GB",
            "engine.kv_cache_tokens",
            30720,
        ),
        (
            "[2025-11-25 16:37:06] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 777, K size: 1 GB",
            "engine.kv_cache_tokens",
            777,
        ),
        (
            "[2026-01-01 10:00:00] max_total_num_tokens=9, max_running_requests=64, context_len=4096",
            "engine.max_model_len",
            4096,
        ),
        (
            "[2026-01-01 10:00:00 TP0] Decode batch. #running-req: 3, #token: 900, token usage: 0.02, cuda graph: False, gen throughput "
            "(token/s): 88.20, #queue-req: 0",
            "engine.graphs_captured",
            False,
        ),
        ("system_info: n_threads = 8 (n_threads_batch = 8) / 16 | AVX = 1 | AVX2 = 0 |", "host.cpu_flags_avx", False),
        ("system_info: n_threads = 8 (n_threads_batch = 8) / 16 | AVX = 1 | AVX2 = 1 |", "host.cpu_cores_total", 16),
        ("warning: no usable GPU found, --gpu-layers option will be ignored", "engine.device", "cpu"),
        ("ggml_cuda_init: found 2 CUDA devices:", "gpu.count", 2),
        ("srv    load_model: initializing slots, n_slots = 4", "engine.max_num_seqs", 4),
    ],
)
def test_a_line_of_a_log(line, fact, value):
    assert values(line + "\n", "log")[fact] == pytest.approx(value)


def test_a_prefill_batch_without_graph_says_nothing_about_graphs():
    line = "[2026-01-01 10:00:00 TP0] Prefill batch. #new-seq: 1, #new-token: 8, token usage: 0.00, cuda graph: False, #queue-req: 0\n"
    assert "engine.graphs_captured" not in values(line, "log")


def test_the_speed_of_the_prompt_is_not_that_of_the_answer():
    line = "prompt eval time =     100.00 ms /    20 tokens (    5.00 ms per token,   200.00 tokens per second)\n"
    answer = "       eval time =    2000.00 ms /    50 runs   (   40.00 ms per token,    25.00 tokens per second)\n"
    assert "decode.tokens_per_s" not in values("slot print_timing: id 0 | task 1 |\n" + line, "log")
    assert values(answer + line, "log")["decode.tokens_per_s"] == 25


LOADED = """\
llama_model_loader: - kv   2:                               general.name str              = Some Coder 14B
llama_model_loader: - kv   7:                          qwen2.block_count u32              = 48
llama_model_loader: - kv   8:                       qwen2.context_length u32              = 16384
llama_model_loader: - kv  11:              qwen2.attention.head_count_kv u32              = 8
llama_model_loader: - kv  20:                          general.file_type u32              = 17
"""
DUMPED = """\
      3: STRING     |        1 | general.name = 'Tiny MoE'
      9: UINT32     |        1 | qwen3moe.block_count = 24
     12: UINT32     |        1 | qwen3moe.expert_count = 64
     14: UINT32     |        1 | general.file_type = 7
"""
PRINTED = """\
print_info: file type   = IQ4_XS - 4.25 bpw
print_info: file size   = 742.10 MiB (4.40 BPW)
print_info: n_expert         = 0
print_info: model params     = 1.41 B
"""


def test_the_header_as_the_loader_prints_it():
    facts = values(LOADED, "log")
    assert facts["model.name"] == "Some Coder 14B"
    assert facts["model.params_b"] == 14
    assert facts["model.layers"] == 48
    assert facts["model.max_position"] == 16384
    assert facts["model.kv_heads"] == 8
    assert facts["model.quant"] == "gguf-q5"


def test_the_header_as_gguf_dump_prints_it():
    facts = values(DUMPED)
    assert (facts["model.layers"], facts["model.is_moe"], facts["model.quant"]) == (24, True, "gguf-q8")


def test_what_llama_cpp_prints_of_the_file():
    facts = values("llm_load_print_meta: n_layer          = 16\n" + PRINTED, "log")
    assert facts["model.quant"] == "gguf-q4"
    assert facts["model.file_gib"] == pytest.approx(0.7247, abs=1e-3)
    assert facts["model.params_b"] == 1.41
    assert facts["model.layers"] == 16
    assert "model.is_moe" not in facts


NCCL = """\
node-a:101:140 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.
node-a:101:140 [0] NCCL INFO comm 0x1 rank 0 nRanks 4 nNodes 2 localRanks 2 localRank 0 MNNVL 0
node-a:101:140 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
node-a:101:140 [0] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [send] via NET/Socket/0
"""


def test_the_ways_that_nccl_takes():
    facts = read(NCCL, "log")
    assert sorted(stated(NCCL, "gpu.nccl_transport")) == ["net-socket", "p2p"]
    assert facts.value("gpu.p2p") is True
    assert facts.value("host.nodes") == 2
    assert stated(NCCL, "engine.env") == ["NCCL_IB_DISABLE=1"]


def test_shared_memory_does_not_say_that_the_cards_cannot_reach_each_other():
    facts = values("h:1:2 [1] NCCL INFO Channel 01 : 1[1] -> 0[0] via SHM/direct/direct\n", "log")
    assert facts["gpu.nccl_transport"] == "shm"
    assert "gpu.p2p" not in facts


def test_nccl_says_that_peer_access_fails():
    text = "h:1:2 [1] NCCL INFO Check P2P Type isAllDirectP2p 0 directMode 0\nh:1:2 [1] NCCL INFO Ring 00 : 0[0] -> 1[1] via SHM/direct\n"
    assert values(text, "log")["gpu.p2p"] is False


@pytest.mark.parametrize(
    ("text", "engine", "facts"),
    [
        (
            'lmdeploy:num_requests_running{engine="0",model_name="m"} 5.0\nlmdeploy:gpu_cache_usage_perc{engine="0",model_name="m"} 0.4\n',
            "lmdeploy",
            {"metrics.requests_running": 5, "metrics.kv_usage": 0.4},
        ),
        (
            "trtllm_num_requests_waiting 7\ntrtllm_kv_cache_utilization 0.25\n",
            "tensorrt-llm",
            {"metrics.requests_waiting": 7},
        ),
        (
            'nv_trt_llm_request_metrics{model="m",request_type="waiting",version="1"} 3\n'
            'nv_trt_llm_request_metrics{model="m",request_type="max",version="1"} 512\n'
            'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="m",version="1"} 0.75\n',
            "triton",
            {"metrics.requests_waiting": 3, "metrics.kv_usage": 0.75},
        ),
        (
            "llamacpp:predicted_tokens_seconds 31.5\nllamacpp:prompt_tokens_seconds 410\n",
            "llama.cpp",
            {"decode.tokens_per_s": 31.5, "prefill.tokens_per_s": 410},
        ),
        ('vllm:gpu_prefix_cache_hit_rate{model_name="m"} 0.125\n', "vllm", {"metrics.prefix_hit_rate": 0.125}),
    ],
)
def test_names_of_metrics(text, engine, facts):
    found = values(text)
    assert found["engine.name"] == engine
    assert {name: found[name] for name in facts} == facts
    assert "metrics.unknown_series" not in found
