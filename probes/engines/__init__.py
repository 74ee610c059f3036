"""One file an engine, each with one `ADAPTER` (see probes.adapter), found by looking in this folder."""
