"""SGLang; its metrics need --enable-metrics."""

from probes.adapter import Adapter, command_words, starts


def recognise(argv: list[str]) -> bool:
    words = command_words(argv)
    return "sglang.launch_server" in words or starts(words, "sglang", "serve")


ADAPTER = Adapter(
    name="sglang",
    recognise=recognise,
    default_port=30000,
    version_path="/get_server_info",
    metrics_prefix="sglang:",
    replica_label="dp_rank",
    metrics={
        "running": ("sglang:num_running_reqs",),
        "waiting": ("sglang:num_queue_reqs",),
        "kv_usage": ("sglang:token_usage",),
        "throughput": ("sglang:gen_throughput",),
        "hit_rate": ("sglang:cache_hit_rate",),
        "prompt_tokens": ("sglang:prompt_tokens_total",),
        "output_tokens": ("sglang:generation_tokens_total",),
        "finished": ("sglang:num_requests_total",),
        "ttft": ("sglang:time_to_first_token_seconds",),
        "tpot": ("sglang:inter_token_latency_seconds", "sglang:time_per_output_token_seconds"),
        "queue": ("sglang:queue_time_seconds",),
    },
)
