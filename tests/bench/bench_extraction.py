"""Megabytes a second through the whole extraction, beside `grep -c` and reading the file: `make bench`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kb.facts import extract
from kb.judgement import Submission

ROOT = Path(__file__).parent.parent.parent
MEGABYTES = 5


@pytest.fixture(scope="module")
def paste(tmp_path_factory) -> Path:
    """Real logs, metrics and tool output of the captures, one after another."""
    one = "\n".join(
        path.read_text("utf-8", "replace") for path in sorted((ROOT / "tests/captures").rglob("*")) if path.is_file()
    )
    file = tmp_path_factory.mktemp("bench") / "paste.txt"
    file.write_text((one * (MEGABYTES * 1_000_000 // len(one) + 1))[: MEGABYTES * 1_000_000])
    return file


def rate(benchmark) -> None:
    benchmark.extra_info["MB/s"] = round(MEGABYTES / benchmark.stats.stats.median, 1)


def test_whole_extraction(benchmark, paste):
    text = paste.read_text()
    benchmark.pedantic(lambda: extract(Submission(log=text)), warmup_rounds=1, rounds=3)
    rate(benchmark)


def test_grep_count(benchmark, paste):
    command = [shutil.which("grep"), "-c", "-i", "error", str(paste)]
    benchmark.pedantic(lambda: subprocess.run(command, check=False, capture_output=True), warmup_rounds=1, rounds=5)
    rate(benchmark)


def test_reading_the_file(benchmark, paste):
    benchmark.pedantic(paste.read_text, warmup_rounds=1, rounds=5)
    rate(benchmark)
