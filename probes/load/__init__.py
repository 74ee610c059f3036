"""Load generation and latency statistics."""
