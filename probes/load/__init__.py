"""Load on an engine: streamed requests at the edge, their statistics pure."""
