"""The look-up page: results, filters, cases that a person may see, searches that found nothing."""

import pytest
from bs4 import BeautifulSoup

from kb import diagnose, lookup
from kb.judgement import Submission
from kb.models import Case, Claim, MissedSearch
from tests import cast

HTMX = {"HX-Request": "true"}


def page(client, path, **headers):
    return BeautifulSoup(client.get(path, headers=headers).content, "html.parser")


def links(soup):
    return [link["href"] for link in soup.select("a[data-hit]")]


def test_a_cause_is_found_with_marks_and_why(db, client):
    soup = page(client, "/search/?q=CUDA graph 没有生效")
    assert "/entries/eager-mode/" in links(soup)[:3]
    assert soup.select("#results mark")
    assert "found by" in soup.select_one("#results").get_text()


def test_a_claim_is_found_and_leads_to_its_place(site, client):
    assert any(link.startswith("/claims/S") for link in links(page(client, "/search/?q=run on one card&what=claim")))


def test_filters_stand_in_the_address_and_an_unknown_one_is_ignored(db, client):
    soup = page(client, "/search/?q=nccl&what=entry&kind=failure&engine=nonsense")
    assert soup.select_one("select[name=what] option[selected]")["value"] == "entry"
    assert soup.select_one("select[name=kind] option[selected]")["value"] == "failure"
    assert not soup.select("select[name=engine] option[selected]")
    assert soup.select('#results .tabs a[href*="kind=failure"]')


def test_the_fragment_tells_the_address_of_the_page(db, client):
    response = client.get("/search/results/?q=掉卡&what=entry", headers=HTMX)
    assert response["HX-Replace-Url"] == "/search/?q=%E6%8E%89%E5%8D%A1&what=entry"
    assert b"<html" not in response.content


def test_the_search_of_the_list_of_causes_leads_here(db, client):
    assert client.get("/entries/?q=掉卡")["Location"] == "/search/?q=%E6%8E%89%E5%8D%A1&what=entry"


def test_nothing_found_leads_to_the_box_with_the_words_kept(db, client):
    soup = page(client, "/search/?q=zzqqx wwvvk")
    assert soup.select_one('#results a.button[href="/?text=zzqqx%20wwvvk"]')


def test_a_missed_search_is_kept_and_counted_for_the_curator(db, client, admin_client):
    for _ in range(2):
        client.get("/search/?q=zzqqx  wwvvk")
    row = MissedSearch.objects.get()
    assert (row.words, row.language, row.count) == ("zzqqx wwvvk", "en", 2)
    assert "zzqqx wwvvk" in admin_client.get("/admin/kb/missedsearch/").content.decode()


def test_half_typed_words_are_not_kept_until_they_stood_for_a_while(db, client):
    soup = BeautifulSoup(client.get("/search/results/?q=zzqqx", headers=HTMX).content, "html.parser")
    assert not MissedSearch.objects.exists()
    form = soup.select_one("form[hx-post]")
    assert "delay" in form["hx-trigger"]
    client.post(form["hx-post"], {"missed": form.select_one("[name=missed]")["value"]})
    assert MissedSearch.objects.get().words == "zzqqx"


@pytest.mark.parametrize("words", ["nccl timeout", "  ", "oom", "?!"])
def test_what_finds_something_or_says_nothing_is_no_missed_search(db, client, words):
    client.get("/search/", {"q": words})
    client.post("/search/missed/", {"missed": words})
    assert not MissedSearch.objects.exists()


def test_filtered_away_is_no_missed_search(db, client):
    soup = page(client, "/search/?q=掉卡&what=claim&verdict=not-a-real-option")
    assert "Search without them" in soup.get_text()
    assert not MissedSearch.objects.exists()


def test_a_secret_in_a_missed_search_is_blacked_out(db, client):
    client.get("/search/", {"q": "zzqqx hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345"})
    assert "hf_AbC" not in "".join(MissedSearch.objects.values_list("words", flat=True))


def test_only_so_many_missed_searches_are_kept(db, monkeypatch):
    monkeypatch.setattr("kb.models.missed_search.MOST_KEPT", 2)
    for words in ("aa", "bb", "bb", "cc", "dd"):
        MissedSearch.objects.note(words, "en")
    assert set(MissedSearch.objects.values_list("words", flat=True)) == {"bb", "dd"}


def submit(user, words="our quuxifier is slow"):
    return diagnose.submit(Submission(text=words), "en", user)


def test_a_person_finds_own_cases_and_nobody_elses(db, client):
    case = submit(cast.person("bob", "reporter"))
    client.force_login(case.owner)
    assert links(page(client, "/search/?q=quuxifier")) == [case.get_absolute_url()]
    client.force_login(cast.person("charlie", "reader"))
    assert links(page(client, "/search/?q=quuxifier")) == []
    assert "quuxifier is slow" not in client.get("/search/?q=quuxifier").content.decode()


def test_staff_find_every_case(db, admin_client):
    case = submit(cast.person("bob", "reporter"))
    assert links(page(admin_client, "/search/?q=quuxifier")) == [case.get_absolute_url()]


def test_a_deleted_case_is_no_longer_found(db, admin_client):
    submit(None)
    assert links(page(admin_client, "/search/?q=quuxifier"))
    Case.objects.all().delete()
    assert not links(page(admin_client, "/search/?q=quuxifier"))


def test_an_edited_claim_is_found_by_its_new_words(site, client):
    assert not links(page(client, "/search/?q=frobnicate"))
    claim = Claim.objects.first()
    claim.statement_en = "Frobnicate the server first."
    claim.save()
    assert links(page(client, "/search/?q=frobnicate")) == [f"/claims/{claim.key}/"]


@pytest.mark.django_db(transaction=True)
def test_where_cases_are_many_a_search_is_answered_before_they_are_read(client, monkeypatch):
    monkeypatch.setattr(lookup, "INLINE", 0)
    shelf = lookup.Shelf()
    case = submit(None)
    assert shelf.collection().documents  # the entries, at once
    with shelf._building:  # waits for the thread behind
        pass
    assert ("case", case.token) in {document.id for document in shelf.collection().documents}


@pytest.mark.parametrize("query", ["\x00", "'", '"><script>alert(1)</script>', "a" * 5000, "%", "\\", "。。。"])
def test_any_words_get_a_page(db, client, query):
    response = client.get("/search/", {"q": query, "what": "\x00"})
    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
