"""LMDeploy; its metrics follow the names of vLLM."""

from probes.adapter import Adapter, command_words, starts


def recognise(argv: list[str]) -> bool:
    return starts(command_words(argv), "lmdeploy", "serve")


ADAPTER = Adapter(
    name="lmdeploy",
    recognise=recognise,
    default_port=23333,
    metrics_prefix="lmdeploy:",
    metrics={
        "running": ("lmdeploy:num_requests_running",),
        "waiting": ("lmdeploy:num_requests_waiting",),
        "kv_usage": ("lmdeploy:gpu_cache_usage_perc",),
        "prompt_tokens": ("lmdeploy:prompt_tokens_total",),
        "output_tokens": ("lmdeploy:generation_tokens_total",),
        "finished": ("lmdeploy:request_success_total",),
        "ttft": ("lmdeploy:time_to_first_token_seconds",),
        "tpot": ("lmdeploy:time_per_output_token_seconds",),
        "queue": ("lmdeploy:request_queue_time_seconds",),
    },
)
