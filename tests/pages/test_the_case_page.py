"""The case page: what was understood and corrected, the sum behind each number, live runs, the report, deleting."""

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from kb import diagnose
from kb.models import Case
from tests.pages import samples


@pytest.fixture
def mine(site, client):
    """A case that this browser submitted."""
    client.post("/", {"text": samples.SLOW.text + "\n" + samples.SLOW.command})
    return Case.objects.latest("id")


def page(client, case):
    return BeautifulSoup(client.get(case.get_absolute_url()).content, "html.parser")


def test_a_submission_leads_to_its_case(site, client):
    response = client.post("/", {"text": "vLLM gives 3 tok/s on an RTX 4090"})
    assert response.status_code == 302
    assert response.url == Case.objects.latest("id").get_absolute_url()


def test_an_empty_box_is_refused_with_what_to_do(site, client):
    response = client.post("/", {"text": "   "})
    assert response.status_code == 400
    assert "Write one sentence" in response.content.decode()


def test_a_file_is_read_whatever_its_encoding(site, client):
    for data in ("显存不足 CUDA out of memory".encode("gb18030"), "显存不足 CUDA out of memory".encode("utf-16")):
        client.post("/", {"text": "", "file": SimpleUploadedFile("log.txt", data)})
        assert "显存不足" in Case.objects.latest("id").log


def test_a_picture_is_no_text(site, client):
    response = client.post("/", {"file": SimpleUploadedFile("a.png", b"\x89PNG\r\n\x00\x00\x00")})
    assert response.status_code == 400
    assert "no text" in response.content.decode()


def test_too_large_a_file_is_refused(site, client, monkeypatch):
    monkeypatch.setattr("kb.uploads.MAX_BYTES", 100)
    response = client.post("/", {"text": "slow", "file": SimpleUploadedFile("big.log", b"x" * 101)})
    assert response.status_code == 413
    assert "8 MB" in response.content.decode()


def test_what_is_pasted_cannot_act(site, client):
    case = diagnose.submit(samples.HOSTILE, "en")
    html = client.get(case.get_absolute_url()).content.decode()
    assert "<script>alert" not in html and "<img" not in html
    assert "&lt;script&gt;" in html


def test_facts_are_marked_in_the_paste_and_lead_to_their_chip(mine, client):
    found = page(client, mine)
    marks = found.select(".paste mark a")
    assert marks
    for mark in marks:
        assert found.find(id=mark["href"][1:]), mark
    assert "".join(found.select_one(".paste pre").strings) == mine.text


def test_the_terms_shown_add_up_to_the_score(mine, client):
    for table in page(client, mine).select(".cause table"):
        shown = [float(cell.get_text().replace("−", "-")) for cell in table.select("tbody td:last-child")]
        score = float(table.select_one("tfoot td:last-child").get_text().replace("−", "-"))
        assert sum(shown) == pytest.approx(score, abs=0.006 * (len(shown) + 1))


def test_none_of_these_is_always_shown(mine, client):
    assert "None of these" in page(client, mine).select_one(".cause-none").get_text()


def test_a_fact_is_corrected_removed_and_restored(mine, client):
    address = f"{mine.get_absolute_url()}fact/"

    def value():
        mine.refresh_from_db()
        return diagnose.assessment(mine).facts.value("engine.tensor_parallel")

    client.post(address, {"name": "engine.tensor_parallel", "value": "4"})
    assert value() == 4
    client.post(address, {"name": "engine.tensor_parallel", "action": "remove"})
    assert value() is None
    assert "restore" in page(client, mine).select_one("#understood").get_text()
    client.post(address, {"name": "engine.tensor_parallel", "action": "restore"})
    assert value() == 2


def test_a_wrong_value_changes_nothing_and_says_what_is_wanted(mine, client):
    before = mine.revision
    for name, value in (
        ("gpu.count", "many"),
        ("engine.name", "apache"),
        ("decode.tokens_per_s", "nan"),
        ("gpu.count", ""),
    ):
        response = client.post(f"{mine.get_absolute_url()}fact/", {"name": name, "value": value}, follow=True)
        assert "nothing was changed" in response.content.decode(), (name, value)
    mine.refresh_from_db()
    assert mine.revision == before


def test_an_unknown_fact_is_not_found(mine, client):
    assert client.post(f"{mine.get_absolute_url()}fact/", {"name": "gpu.colour", "value": "red"}).status_code == 404


def test_a_stranger_reads_but_changes_nothing(site, client):
    address = site["case"].get_absolute_url()
    found = page(client, site["case"])
    assert not found.select('form[action*="/fact/"], form[action*="/checks/"], form[action*="/delete/"]')
    for path, data in (
        ("fact/", {"name": "gpu.count", "value": "1"}),
        ("checks/", {"host": site["host"].pk}),
        ("delete/", {}),
    ):
        assert client.post(address + path, data).status_code == 403, path


def test_open_runs_are_asked_for_again_and_ended_ones_are_not(site, client):
    fragment = f"{site['case'].get_absolute_url()}runs/"
    assert "hx-trigger" in client.get(fragment).content.decode()
    site["case"].runs.open().update(state="done", outcome="ok")
    site["case"].runs.update(ended_at="2026-01-01T00:00Z")
    assert "hx-trigger" not in client.get(fragment).content.decode()


def test_a_new_answer_is_told_to_the_page_once(site, client):
    case = site["case"]
    fragment = f"{case.get_absolute_url()}runs/"
    assert client.get(f"{fragment}?seen={case.revision - 1}")["HX-Trigger"] == "answer-changed"
    assert "HX-Trigger" not in client.get(f"{fragment}?seen={case.revision}").headers


def test_a_run_without_a_fact_is_not_called_fine(site, client):
    html = client.get(f"/runs/{site['runs'][0].pk}/").content.decode()
    assert "not the same as fine" in html
    assert "This container may not read" in html


def test_the_report_is_markdown_that_holds_its_tables(site, client):
    case = diagnose.submit(samples.SLOW, "en")
    text = client.get(f"{case.get_absolute_url()}report.md").content.decode()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 5
    assert {row.replace("\\|", "").count("|") for row in rows} == {4}
    assert case.get_absolute_url() in text


def test_the_owner_deletes_the_case_for_good(mine, client):
    client.post(f"{mine.get_absolute_url()}delete/")
    assert not Case.objects.filter(pk=mine.pk).exists()
    assert client.get(mine.get_absolute_url()).status_code == 404


def test_recognising_stores_nothing(site, client):
    before = Case.objects.count()
    html = client.post("/recognise/", {"text": samples.SLOW.text}).content.decode()
    assert "L40S" in html
    assert Case.objects.count() == before


def test_a_problem_by_word_alone_is_not_called_measured(site, client):
    said = diagnose.submit(samples.SLOW, "en")
    assert "By the figures given" in page(client, said).select_one(".verdict").get_text()
    assert "A problem is measured" in page(client, site["case"]).select_one(".verdict").get_text()


def test_what_is_added_later_is_understood_and_ranked_again(mine, client):
    line = "INFO 12-01 10:00:00 [kv_cache_utils.py:1] GPU KV cache size: 90,000 tokens"
    client.post(
        f"{mine.get_absolute_url()}add/",
        {"text": "password=hunter2hunter2", "file": SimpleUploadedFile("a.log", line.encode())},
    )
    mine.refresh_from_db()
    assert "90,000" in mine.log and "hunter2" not in mine.log
    assert mine.rankings.last().because_en == "more pasted"
    assert diagnose.assessment(mine).facts.value("engine.kv_cache_tokens") == 90_000


def test_adding_nothing_says_so(mine, client):
    response = client.post(f"{mine.get_absolute_url()}add/", {"text": " "}, follow=True)
    assert "nothing to add" in response.content.decode()
    assert (
        client.post(f"{mine.get_absolute_url()}add/", {"file": SimpleUploadedFile("a.bin", b"\x00")}).status_code == 302
    )
    assert mine.rankings.count() == 1
