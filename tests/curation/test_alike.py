"""While an entry is written, the entries that say the same stand beside it."""

import pytest
from bs4 import BeautifulSoup

pytestmark = pytest.mark.django_db


def shown(client, **typed) -> list[str]:
    page = BeautifulSoup(client.post("/drafts/alike/", typed).content, "html.parser")
    return [link["href"].split("/")[-2] for link in page.select("a")]


def test_what_an_entry_says_already_is_shown_in_either_language(carol):
    assert "eager-mode" in shown(
        carol, **{"title.en": "CUDA graphs are off", "summary.en": "started with enforce-eager"}
    )
    assert "eager-mode" in shown(
        carol, **{"title.zh": "关闭了 CUDA graph", "summary.zh": "启动时加了 enforce-eager，解码很慢"}
    )


def test_the_entry_that_is_edited_is_not_its_own_double(carol):
    assert "eager-mode" not in shown(carol, entry="eager-mode", **{"title.en": "CUDA graphs are off (eager mode)"})


def test_nothing_is_shown_of_words_that_no_entry_has(carol):
    assert shown(carol, **{"title.en": "zzz"}) == []


def test_an_unfinished_form_is_no_error(carol):
    assert carol.post("/drafts/alike/", {"phrases.en": "slow\n\nslower", "rules.0.id": ""}).status_code == 200


def test_it_needs_the_right_to_suggest(client):
    assert client.post("/drafts/alike/", {"title.en": "x"}).status_code in (302, 403)


def test_the_form_asks_for_it(carol):
    page = BeautifulSoup(carol.get("/drafts/new/edit/").content, "html.parser")
    assert page.select_one('[hx-post="/drafts/alike/"]')
