"""The page of flags, as a reader uses it."""

import pytest
from bs4 import BeautifulSoup


def page(client, query="", language="en"):
    response = client.get(f"/flags/{query}", headers={"Accept-Language": language})
    assert response.status_code == 200
    return BeautifulSoup(response.content, "html.parser")


def names(found):
    return [tag.text for tag in found.select("section li code strong")]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("engine", ["vllm", "sglang", "llama.cpp", "ollama", "tgi", "lmdeploy", "tabbyapi", "none"])
def test_every_engine_has_its_list_in_both_languages(client, db, engine, language):
    found = page(client, f"?engine={engine}&kind=" + ("variable" if engine == "ollama" else "flag"), language)
    assert len(names(found)) > 20
    assert len(found.find_all("h1")) == 1


def test_a_flag_is_found_by_its_name_with_underscores_and_by_its_meaning_in_either_language(client, db):
    assert "--max-num-seqs" in names(page(client, "?q=max_num_seqs"))
    assert "--cpu-offload-gb" in names(page(client, "?q=主机内存 权重"))
    assert "--cpu-offload-gb" in names(page(client, "?q=host+memory+PCIe"))


def test_a_version_says_of_each_flag_whether_it_has_it(client, db):
    text = page(client, "?q=num-scheduler-steps&version=0.11.0").get_text(" ")
    assert "gone in 0.11.0" in text and "removed in 0.10.1" in text
    assert "not yet in 0.6.3" in page(client, "?q=async-scheduling&version=v0.6.3").get_text(" ")


def test_the_default_is_that_of_the_version_asked_for(client, db):
    assert "0.92" in page(client, "?q=gpu-memory-utilization").get_text(" ")
    assert "0.92" not in page(client, "?q=gpu-memory-utilization&version=0.6.3").get_text(" ")


def test_nothing_found_says_what_to_try(client, db):
    assert "fewer letters" in page(client, "?q=zzzz").get_text(" ")


def test_foreign_words_are_shown_as_text(client, db):
    assert page(client, "?q=<script>x</script>&version=<b>").find("b") is None


def test_the_help_leads_there(client, db):
    assert 'href="/flags/"' in client.get("/help/").content.decode()
