"""The pages of curation: one heading, no id twice, a name on every field, in both languages."""

import pytest
from bs4 import BeautifulSoup

from kb import curation, distilling
from tests.pages import samples


@pytest.fixture
def pages(carol, dave, entry):
    """A draft whose base was overtaken, one under review, and the pages around them."""
    wrong = entry.body | {"title": {"en": "Mine", "zh": "我的"}, "rules": [{"id": "a", "when": {"fact": "no.such"}}]}
    stale = curation.begin(entry, wrong, "", carol.person, entry.newest)
    first = curation.begin(entry, entry.body | {"title": {"en": "One", "zh": "其一"}}, "x", carol.person, entry.newest)
    curation.publish(first, dave.person)
    new = curation.begin(None, {}, "", carol.person, None)
    digest = distilling.begin(samples.THREAD, "", "example/forum#7", carol.person)
    drafts = [f"/drafts/{draft.pk}/" for draft in (stale, first, new)]
    editing = [f"/drafts/{draft.pk}/edit/" for draft in (stale, new)]
    return [
        *drafts,
        *editing,
        "/distil/",
        f"/distil/{digest.pk}/",
        "/review/",
        "/drafts/new/edit/",
        "/entries/eager-mode/edit/",
        "/entries/eager-mode/history/",
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_sound(carol, pages, language):
    for path in pages:
        response = carol.get(path, headers={"accept-language": language})
        assert response.status_code == 200, path
        page = BeautifulSoup(response.content, "html.parser")
        assert len(page.find_all("h1")) == 1, path
        ids = [tag["id"] for tag in page.find_all(id=True)]
        assert len(ids) == len(set(ids)), (path, sorted(i for i in ids if ids.count(i) > 1))
        assert not page.find_all(style=True)
        named = {label.get("for") for label in page.find_all("label")}
        for field in page.find_all(["input", "select", "textarea"]):
            inside = field.find_parent("label") is not None or field.get("aria-label")
            assert field.get("type") == "hidden" or inside or field.get("id") in named, (path, str(field))
        for form in page.find_all("form", method="post"):
            assert form.find("input", {"name": "csrfmiddlewaretoken"}), path
        for link in page.select('main a[href^="#"]'):
            assert link["href"][1:] in ids, (path, link["href"])


def test_a_draft_of_nothing_says_what_is_missing(carol, entry):
    draft = curation.begin(None, {}, "", carol.person, None)
    page = carol.get(f"/drafts/{draft.pk}/").text
    assert "To mend before review" in page and "Fill this in." in page and "Publish<" not in page
