"""From submit to ranked causes at the server: `make bench`. The whole request, then the page that it leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LOG = "\n".join(
    path.read_text("utf-8", "replace") for path in sorted((ROOT / "tests/captures/facts").glob("*")) if path.is_file()
)
TWO_KB = (ROOT / "kb/examples/2-lora-int8.zh.txt").read_text("utf-8") * 4

pytestmark = pytest.mark.django_db


def submit(client, text: str) -> None:
    response = client.post("/", {"text": text}, follow=True)
    assert response.status_code == 200 and b'id="causes"' in response.content


def test_text_of_2_kb(benchmark, client):
    benchmark.pedantic(submit, args=(client, TWO_KB[:1000]), warmup_rounds=1, rounds=10)


def test_paste_of_5_mb(benchmark, client):
    text = "vLLM 很慢，每秒 3 个 token\n" + (LOG * (5_000_000 // len(LOG) + 1))[:5_000_000]
    benchmark.pedantic(submit, args=(client, text), warmup_rounds=1, rounds=3)
