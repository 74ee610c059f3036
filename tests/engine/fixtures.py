"""Fixtures with the real vLLM. A test folder takes them by importing them in its conftest.py:

from tests.engine.fixtures import tiny_model, vllm  # noqa: F401
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.engine.install_vllm import install

MAKE_MODEL = Path(__file__).parent / "make_model.py"


@pytest.fixture(scope="session")
def vllm() -> Path:
    """The `vllm` command of the real engine, installed once into `.venv-vllm` of the working copy."""
    return install()


def make_model(vllm: Path, out: Path, size: str, lora_rank: int) -> Path:
    subprocess.run([vllm.parent / "python", MAKE_MODEL, out, size, str(lora_rank)], check=True, capture_output=True)
    return out


@pytest.fixture(scope="session")
def tiny_model(vllm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of 0.2 million random weights; beside it `tiny-lora`, an adapter of rank 8."""
    return make_model(vllm, tmp_path_factory.mktemp("models") / "tiny", "tiny", 8)


@pytest.fixture(scope="session")
def mid_model(vllm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a quarter billion random weights in bfloat16, about 60 ms a token; for faults that must show in time."""
    return make_model(vllm, tmp_path_factory.mktemp("models") / "mid", "mid", 8)
