"""`infermary distil`: the lines of a thread, and how much of an inventory is found."""

import json

import pytest

from infermary import cli

THREAD = """#1 mira
vLLM gives 3 tok/s on two L4 cards.

#2 jon
Check whether CPU offload is on. Set --tensor-parallel-size to 1.

#3 kim
Check whether CPU offload is on. My key is hf_abcdefghijklmnopqrstuvwx.
"""
INVENTORY = {"claims": [{"id": "X-1", "claim": "Check whether CPU offload is on", "posts": [2, 3]},
                        {"id": "X-2", "claim": "Reseat the riser cable", "posts": [3]}]}  # fmt: skip


@pytest.fixture
def thread(tmp_path):
    file = tmp_path / "thread.txt"
    file.write_text(THREAD, "utf-8")
    return str(file)


@pytest.fixture
def listed(tmp_path):
    file = tmp_path / "claims.json"
    file.write_text(json.dumps(INVENTORY), "utf-8")
    return str(file)


def test_lines_are_printed_with_how_many_posts_say_them(thread, capsys):
    assert cli.main(["distil", thread, "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert "2 of 3 posts" in said
    assert "--tensor-parallel-size" in said


def test_secrets_are_taken_out(thread, capsys):
    cli.main(["distil", thread, "--json"])
    assert "hf_abcdef" not in capsys.readouterr().out


def test_json_has_every_line_with_its_places(thread, capsys):
    assert cli.main(["distil", thread, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["posts"] == 3
    assert all(line["said"] and line["posts"] and line["statement"] for line in data["lines"])


def test_an_inventory_is_measured_with_its_claims_known_and_unknown(thread, listed, capsys):
    assert cli.main(["distil", thread, "--inventory", listed, "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)["measured"]
    assert measured["known"]["listed"] == measured["alone"]["listed"] == 2
    assert (measured["alone"]["found"], measured["alone"]["missed"]) == (1, ["X-2"])


def test_what_was_not_found_is_named(thread, listed, capsys):
    cli.main(["distil", thread, "--inventory", listed, "--lang", "zh"])
    assert "没有找到: X-2 Reseat the riser cable" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [["nowhere.txt"], ["--inventory", "nowhere.json"]])
def test_a_file_that_is_missing_is_named(thread, wrong, capsys):
    arguments = wrong if len(wrong) == 1 else [thread, *wrong]
    assert cli.main(["distil", *arguments]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_file_that_is_no_inventory_is_named(thread, capsys):
    assert cli.main(["distil", thread, "--inventory", thread, "--lang", "en"]) == 2
    assert "cannot be used as an inventory" in capsys.readouterr().err


def test_a_thread_that_says_nothing_of_the_field_gives_nothing(tmp_path, capsys):
    file = tmp_path / "thread.txt"
    file.write_text("Hello there!\n\nThanks a lot!\n", "utf-8")
    assert cli.main(["distil", str(file)]) == 2
