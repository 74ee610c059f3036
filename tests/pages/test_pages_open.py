"""Every page opens, for a stranger and for the operator, in both languages, without a word of script in it."""

import pytest
from bs4 import BeautifulSoup

PUBLIC = ["/", "/entries/", "/search/", "/search/?q=掉卡", "/search/?q=zzqqx",
          "/entries/?kind=slow&symptom=oom", "/entries/eager-mode/", "/claims/",
          "/claims/?verdict=wrong&kind=fix&thread=two-cards-slow", "/help/", "/flags/",
          "/accounts/login/"]  # fmt: skip
LANGUAGES = {"en": "en", "zh": "zh-CN"}


def of_case(site):
    case, runs = site["case"], site["runs"]
    address = case.get_absolute_url()
    return [
        address,
        f"{address}runs/",
        f"{address}report.md",
        *(f"/runs/{run.pk}/" for run in runs),
        f"/runs/{runs[2].pk}/part/",
    ]


def of_hosts(site):
    return ["/hosts/", f"/hosts/{site['host'].pk}/"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stranger_opens_every_public_page(site, client, language):
    for path in [*PUBLIC, *of_case(site)]:
        response = client.get(path, headers={"Accept-Language": language})
        assert response.status_code == 200, path
        assert response["Content-Language"] == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_operator_opens_the_hosts(site, operator, language):
    for path in of_hosts(site):
        assert operator.get(path, headers={"Accept-Language": language}).status_code == 200


def test_a_stranger_sees_no_host(site, client):
    for path in of_hosts(site):
        assert client.get(path).status_code == 403


@pytest.mark.parametrize("language", LANGUAGES)
def test_whole_pages_are_sound(site, operator, language):
    """One title, one h1, the language, no repeated id, a label on every field, nothing inline that a policy forbids."""
    whole = [
        path
        for path in [*PUBLIC, *of_case(site), *of_hosts(site)]
        if not path.endswith(("report.md", "part/", "/runs/"))
    ]
    for path in whole:
        page = BeautifulSoup(operator.get(path, headers={"Accept-Language": language}).content, "html.parser")
        assert page.html["lang"] == LANGUAGES[language]
        assert len(page.find_all("h1")) == 1, path
        ids = [tag["id"] for tag in page.find_all(id=True)]
        assert len(ids) == len(set(ids)), (path, sorted(i for i in ids if ids.count(i) > 1))
        assert not page.find_all(style=True) and not page.find_all("style")
        assert all(script.get("src") for script in page.find_all("script"))
        labelled = {label.get("for") for label in page.find_all("label")}
        for field in page.find_all(["input", "select", "textarea"]):
            inside = field.find_parent("label") is not None
            assert field.get("type") == "hidden" or inside or field.get("id") in labelled, (path, str(field))
        for form in page.find_all("form", method="post"):
            assert form.find("input", {"name": "csrfmiddlewaretoken"}), path
        for link in page.select('main a[href^="#"]'):
            assert link["href"][1:] in ids, (path, link["href"])


def test_the_chinese_page_has_no_english_left_in_its_own_words(site, client):
    page = BeautifulSoup(client.get("/", headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"}).content, "html.parser")
    own = " ".join(tag.get_text(" ") for tag in page.select("h1, h2, .site-nav, .lede, .button"))
    assert "模型服务哪里不舒服" in own
    assert "Diagnose" not in own and "Search" not in own
