"""llama.cpp: the native llama-server (its metrics need --metrics) and the Python server of llama-cpp-python."""

from probes.adapter import Adapter, command_words


def recognise(argv: list[str]) -> bool:
    words = command_words(argv)
    return "llama-server" in words[:1] or "llama_cpp.server" in words


ADAPTER = Adapter(
    name="llama.cpp",
    recognise=recognise,
    default_port=8080,
    version_path="/props",
    version_keys=("build_info",),
    metrics_prefix="llamacpp:",
    metrics={
        "running": ("llamacpp:requests_processing",),
        "waiting": ("llamacpp:requests_deferred",),
        "kv_usage": ("llamacpp:kv_cache_usage_ratio",),
        "prompt_tokens": ("llamacpp:prompt_tokens_total",),
        "output_tokens": ("llamacpp:tokens_predicted_total",),
    },
)
