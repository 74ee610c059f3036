"""The probes, one file each, found by looking in this folder."""
