from tests.facts.reading import CAPTURES, read, stated, values

SMI = """\
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2     |
|   0  NVIDIA GeForce RTX 3090        On  | 00000000:01:00.0 Off |                  N/A |
| 30%   45C    P2             120W / 350W |  13312MiB / 24576MiB |     40%      Default |
|   1  NVIDIA GeForce RTX 3090        Off | 00000000:02:00.0 Off |                  N/A |
| 30%   41C    P8              20W / 350W |     12MiB / 24576MiB |      0%      Default |
+---------------------------------------------------------------------------------------+
"""
SMI_Q = """\
==============NVSMI LOG==============
Driver Version                            : 550.54.15
GPU 00000000:01:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    GPU Link Info
        PCIe Generation
            Max                           : 4
            Current                       : 1
        Link Width
            Max                           : 16x
            Current                       : 4x
    Clocks Event Reasons
        Idle                              : Not Active
        SW Power Cap                      : Active
    FB Memory Usage
        Total                             : 81920 MiB
    Max Clocks
        SM                                : 1410 MHz
GPU 00000000:02:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
"""


def capture(name: str) -> str:
    return (CAPTURES / name).read_text(encoding="utf-8")


def test_a_start_up_log_with_offload():
    facts = values(capture("vllm_offload.log"), "log")
    assert facts["engine.name"] == "vllm"
    assert facts["engine.version"] == "0.24.0"
    assert facts["engine.cpu_offload_gib"] == 8
    assert facts["engine.offloaded_gib"] == 8.12
    assert facts["engine.weights_gib"] == 6.1
    assert facts["engine.kv_cache_tokens"] == 112336
    assert facts["engine.max_concurrency"] == 6.86
    assert facts["engine.graphs_captured"] is True
    assert facts["engine.enforce_eager"] is False
    assert facts["engine.dtype"] == "bfloat16"
    assert facts["engine.attention_backend"] == "FLASH_ATTN"
    assert facts["engine.async_scheduling"] is True


def test_a_log_with_a_forced_slow_kernel():
    facts = values(capture("vllm_o_awqq.log"), "log")
    assert facts["engine.version"] == "0.20.2"
    assert facts["engine.quantization_flag"] == "awq"
    assert facts["engine.kernel"] == "awq"
    assert facts["model.quant"] == "awq-int4"


def test_a_log_with_an_adapter():
    facts = values(capture("vllm_lora.log"), "log")
    assert facts["engine.lora_enabled"] is True
    assert facts["model.lora"] is True
    assert facts["engine.max_lora_rank"] == 16


LINE = "INFO 09-26 11:35:{:02} metrics.py:351] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: {} tokens/s, Running: {} reqs, Pending: 0 reqs, GPU KV cache usage: 0.1%\n"


def test_throughput_lines_with_one_request_running_give_the_speed_of_one_stream():
    facts = values("".join(LINE.format(second, 0.9, 1) for second in range(5)), "log")
    assert facts["decode.tokens_per_s"] == 0.9
    assert facts["metrics.requests_running"] == 1
    assert facts["metrics.kv_usage"] == 0.001


def test_throughput_of_many_requests_is_not_the_speed_of_one_stream():
    facts = values("".join(LINE.format(second, 900, 32) for second in range(5)), "log")
    assert "decode.tokens_per_s" not in facts
    assert facts["metrics.output_tokens_per_s"] == 900


def test_a_log_under_a_sentence_is_read_as_both():
    facts = values(
        "4090 上很慢，日志如下：\n"
        + LINE.format(1, 0.9, 1)
        + "INFO 09-26 [core.py:1] GPU KV cache size: 9,600 tokens\n"
    )
    assert facts["gpu.name"] == "RTX 4090"
    assert facts["engine.kv_cache_tokens"] == 9600


def test_the_table_of_nvidia_smi_gives_facts_of_each_card():
    facts = read(SMI, "nvidia_smi")
    assert facts.value("gpu.count") == 2
    assert facts.value("gpu.driver_version") == "535.104.05"
    used = {fact.subject: fact.value for fact in facts.holding("gpu.memory_used_gib")}
    assert used["gpu:0"] == 13
    assert {fact.subject: fact.value for fact in facts.holding("gpu.pstate")} == {"gpu:0": 2, "gpu:1": 8}
    assert {fact.subject: fact.value for fact in facts.holding("gpu.utilization_pct")} == {"gpu:0": 40, "gpu:1": 0}


def test_the_query_text_of_nvidia_smi():
    facts = read(SMI_Q, "nvidia_smi")
    assert facts.value("gpu.count") == 2
    assert facts.value("gpu.name") == "A100 80G SXM"
    assert facts.value("gpu.driver_version") == "550.54.15"
    assert facts.value("gpu.pcie_width") == 4
    assert facts.value("gpu.pcie_width_max") == 16
    assert facts.value("gpu.pcie_gen") == 1
    assert facts.value("gpu.throttle_reason") == "sw_power_cap"
    assert facts.value("gpu.sm_clock_max_mhz") == 1410


def test_the_slowest_link_of_the_topology_counts():
    text = "        GPU0    GPU1    GPU2    CPU Affinity\nGPU0     X      NV4     SYS     0-15\nGPU1    NV4      X      SYS     0-15\nGPU2    SYS     SYS      X      0-15\n"
    facts = values(text, "nvidia_smi")
    assert facts["gpu.link"] == "sys"
    assert facts["gpu.nvlink"] is True


def test_a_driver_that_sees_no_card():
    assert (
        values("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "nvidia_smi")[
            "gpu.visible"
        ]
        is False
    )


def test_one_scrape_gives_gauges_and_configuration():
    facts = values(capture("vllm_metrics.txt"))
    assert facts["metrics.engine"] == "vllm"
    assert facts["metrics.requests_running"] == 0
    assert facts["engine.prefix_caching"] is True
    assert facts["engine.gpu_memory_utilization"] == 0.92
    assert facts["engine.kv_cache_tokens"] == 2085488


def test_one_scrape_gives_no_rate_and_no_window():
    facts = values(capture("vllm_metrics.txt"))
    windowed = {
        "metrics.output_tokens_per_s",
        "metrics.prompt_tokens_per_s",
        "metrics.preemptions",
        "metrics.requests_finished",
        "metrics.ttft_mean_s",
    }
    assert not windowed & set(facts)


def test_old_and_new_names_of_a_metric_say_the_same():
    assert values('vllm:gpu_cache_usage_perc{model_name="m"} 0.93')["metrics.kv_usage"] == 0.93
    assert values('vllm:kv_cache_usage_perc{model_name="m"} 0.93')["metrics.kv_usage"] == 0.93


def test_a_series_that_nobody_explains_is_said_to_be_unknown():
    assert stated('vllm:num_requests_running{} 1\nvllm:brand_new_thing{a="b"} 7\n', "metrics.unknown_series") == [
        "vllm:brand_new_thing"
    ]


def test_tools_of_the_host():
    text = (
        "$ nproc\n8\nModel name:   AMD EPYC 7543P 32-Core Processor\n"
        "Mem:   62  10  48  0  4  51\nshm  64M  0  64M  0% /dev/shm\n"
        "[12.3] NVRM: Xid (PCI:0000:01:00): 79, pid=1\nnr_periods 200\nnr_throttled 50\n"
    )
    facts = values(text, "log")
    assert facts["host.cpu_cores"] == 8
    assert facts["host.cpu_model"].startswith("AMD EPYC 7543P")
    assert facts["host.memory_available_gib"] == 51
    assert facts["host.shm_gib"] == 0.0625
    assert facts["gpu.xid"] == 79
    assert facts["host.cpu_throttled_ratio"] == 0.25
