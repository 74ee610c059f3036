"""vLLM. Metric names of all versions: V0 (gpu_cache_usage_perc, time_per_output_token_seconds) and V1."""

from probes.adapter import Adapter, command_words, starts

MODULES = ("vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server", "vllm.entrypoints.cli.main")


def recognise(argv: list[str]) -> bool:
    words = command_words(argv)
    return any(module in words for module in MODULES) or starts(words, "vllm", "serve")


ADAPTER = Adapter(
    name="vllm",
    recognise=recognise,
    default_port=8000,
    version_path="/version",
    metrics_prefix="vllm:",
    metrics={
        "running": ("vllm:num_requests_running",),
        "waiting": ("vllm:num_requests_waiting",),
        "waiting_capacity": ("vllm:num_requests_waiting_by_reason",),
        "kv_usage": ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
        "throughput": ("vllm:avg_generation_throughput_toks_per_s",),
        "hit_rate": ("vllm:gpu_prefix_cache_hit_rate",),
        "prompt_tokens": ("vllm:prompt_tokens_total",),
        "output_tokens": ("vllm:generation_tokens_total",),
        "preemptions": ("vllm:num_preemptions_total",),
        "finished": ("vllm:request_success_total",),
        "prefix_queries": ("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total"),
        "prefix_hits": ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
        "drafted": ("vllm:spec_decode_num_draft_tokens_total",),
        "accepted": ("vllm:spec_decode_num_accepted_tokens_total",),
        "ttft": ("vllm:time_to_first_token_seconds",),
        "tpot": ("vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"),
        "queue": ("vllm:request_queue_time_seconds",),
        "prefill": ("vllm:request_prefill_time_seconds",),
        "prompt_length": ("vllm:request_prompt_tokens",),
        "output_length": ("vllm:request_generation_tokens",),
        "iteration_tokens": ("vllm:iteration_tokens_total",),
    },
)
