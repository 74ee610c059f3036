"""Language and theme of a reader; pages for what went wrong."""

import pytest

from kb.language import accepted


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-US,en;q=0.9,zh;q=0.8", "en"),
        ("fr, zh;q=0.2", "zh"),
        ("de;q=x", "en"),
    ],
)
def test_the_browser_says_which_language(header, language):
    assert accepted(header) == language


def test_a_link_chooses_and_is_remembered(client, db):
    assert 'lang="zh-CN"' in client.get("/help/?lang=zh").content.decode()
    assert 'lang="zh-CN"' in client.get("/help/").content.decode()
    assert 'data-theme="dark"' in client.get("/help/?theme=dark").content.decode()
    assert 'data-theme="dark"' in client.get("/help/").content.decode()


def test_an_unknown_choice_is_ignored(client, db):
    html = client.get("/help/?lang=xx&theme=neon").content.decode()
    assert 'lang="en"' in html and 'data-theme="auto"' in html


@pytest.mark.parametrize(
    ("language", "words"), [("en", "There is nothing at this address"), ("zh", "这个地址没有内容")]
)
def test_a_missing_page_says_so_in_the_readers_language(client, db, language, words):
    response = client.get("/nowhere/", headers={"Accept-Language": language})
    assert response.status_code == 404
    assert words in response.content.decode()


def test_a_form_from_elsewhere_is_refused_with_what_to_do(db):
    from django.test import Client

    response = Client(enforce_csrf_checks=True).post("/", {"text": "slow"})
    assert response.status_code == 403
    assert "load the page again" in response.content.decode()


def test_an_oversized_request_is_told_the_limit(client, db, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = client.post("/", "text=" + "x" * 2000, content_type="application/x-www-form-urlencoded")
    assert response.status_code == 413
    assert "12 MB" in response.content.decode()


def test_a_broken_page_shows_the_error_page(client, db, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError

    monkeypatch.setattr("kb.pages.help.library.knowledge", broken)
    client.raise_request_exception = False
    response = client.get("/help/")
    assert response.status_code == 500
    assert "是我们这边出了错" in response.content.decode()
