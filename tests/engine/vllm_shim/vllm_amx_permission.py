"""Asks the kernel for AMX tiles in every vLLM process.

vLLM 0.32 uses them in CPU attention and counts on an earlier oneDNN call to have asked; a tiny model makes
no such call and its worker dies with SIGILL at the first request.
"""


def register() -> None:
    import torch

    if torch.cpu._is_amx_tile_supported():
        torch.cpu._init_amx()
