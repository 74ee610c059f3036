"""`make run` on a port that is taken says which, and what to type instead."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from infermary.address import trouble

ROOT = Path(__file__).parent.parent.parent


def test_a_port_in_use_is_named_with_the_command_for_another():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        argv = [sys.executable, "-m", "infermary.address", f"127.0.0.1:{port}"]
        said = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 1
    assert f"Port {port} is in use" in said.stderr and f"端口 {port} 已被占用" in said.stderr
    assert f"PORT={port + 1} make run" in said.stderr and "Traceback" not in said.stderr


def test_a_free_port_is_no_trouble():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert trouble(f"127.0.0.1:{port}") == "" == trouble(f"[::1]:{port}")


def test_an_address_of_another_machine_or_no_address_is_told():
    assert "cannot listen at 192.0.2.1:8000" in trouble("192.0.2.1:8000")
    for wrong in ("localhost", "127.0.0.1:", "127.0.0.1:99999"):
        assert "is no address" in trouble(wrong)


def test_make_run_asks_first_and_takes_the_port():
    # As from a fresh shell: `make test` hands its own variables on.
    shell = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "ADDRESS"}
    shown = subprocess.run(
        ["make", "-n", "run", "PORT=8123"], cwd=ROOT, env=shell, capture_output=True, text=True, check=True
    ).stdout
    lines = shown.splitlines()
    asks = next(i for i, line in enumerate(lines) if "infermary.address 127.0.0.1:8123" in line)
    assert asks < next(i for i, line in enumerate(lines) if "manage.py prepare" in line)
