"""Bad input gets a clear answer in the reader's language, and nothing is lost."""

from __future__ import annotations

import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from kb.models import Case

pytestmark = pytest.mark.django_db
NOISE = random.Random(0).randbytes(10_000_000).decode("latin-1").replace("\x00", " ")


def submit(client, text="", **more):
    return client.post("/?lang=zh", {"text": text, **more}, follow=True)


def test_nothing_at_all_is_told_what_to_paste(client):
    response = submit(client, "   ")
    assert response.status_code == 400 and not Case.objects.exists()
    assert "贴" in response.content.decode()


def test_ten_megabytes_of_noise_are_kept_and_judged_as_saying_nothing(client):
    response = submit(client, NOISE)
    assert response.status_code == 200
    case = Case.objects.get()
    assert len(case.text) > 9_000_000
    assert case.rankings.get().result["verdict"] in ("no_data", "suspected")


def test_a_binary_file_is_refused_and_the_text_stays_in_the_box(client):
    file = SimpleUploadedFile("core.bin", b"\x7fELF\x00\x00\x01" * 100)
    response = submit(client, "vLLM 启动失败", file=file)
    page = response.content.decode()
    assert response.status_code == 400 and "vLLM 启动失败" in page and "core.bin" not in Case.objects.values_list()


def test_one_line_of_100000_characters(client):
    response = submit(client, "vLLM 很慢 " + "a" * 100_000)
    assert response.status_code == 200 and "vllm" in response.content.decode()


def test_a_script_tag_is_shown_not_run(client):
    response = submit(client, "vllm <script>alert(1)</script> 很慢")
    page = response.content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;" in page


def test_a_file_in_the_encoding_of_a_chinese_windows(client):
    file = SimpleUploadedFile("log.txt", "双路3090跑7B，每秒2个token".encode("gb18030"))
    assert "RTX 3090" in submit(client, file=file).content.decode()


def test_an_engine_that_nobody_knows_is_no_error(client):
    response = submit(client, "我的 frobnicator-9000 推理引擎一秒只有 3 个 token")
    assert response.status_code == 200 and Case.objects.count() == 1


def test_a_paste_beyond_the_limit_is_told_the_limit(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = submit(client, "a" * 2000)
    assert response.status_code == 413
    assert "MB" in response.content.decode()
