"""Text Generation Inference: the router answers, the launcher starts it."""

from probes.adapter import Adapter, command_words


def recognise(argv: list[str]) -> bool:
    return command_words(argv)[:1] in (["text-generation-launcher"], ["text-generation-router"])


ADAPTER = Adapter(
    name="tgi",
    recognise=recognise,
    default_port=3000,
    version_path="/info",
    metrics_prefix="tgi_",
    metrics={
        "running": ("tgi_batch_current_size",),
        "waiting": ("tgi_queue_size",),
        "finished": ("tgi_request_success",),
        "tpot": ("tgi_request_mean_time_per_token_duration",),
        "queue": ("tgi_request_queue_duration",),
        "prompt_length": ("tgi_request_input_length",),
        "output_length": ("tgi_request_generated_tokens",),
    },
)
