"""Ollama; it publishes no metrics."""

from probes.adapter import Adapter, command_words


def recognise(argv: list[str]) -> bool:
    return command_words(argv)[:2] == ["ollama", "serve"]


ADAPTER = Adapter(name="ollama", recognise=recognise, default_port=11434, version_path="/api/version")
