"""How much of an inventory is found, and what does not count."""

import json

import pytest

from kb.distil import inventory
from kb.distil.digest import Digest, Line, Place, Post

FIRST, SECOND = "Check the driver version and the PCIe link.", "Lower the context to 8192."


def read(*claims, **more):
    return inventory.read(json.dumps({"claims": list(claims), **more}), "thread.txt")[0]


def digest(*lines):
    return Digest((Post(1, "", 0, len(FIRST), FIRST), Post(2, "", 44, 44 + len(SECOND), SECOND)), lines)


def place(post, words):
    text = FIRST if post == 1 else SECOND
    start = text.index(words)
    return Place(post, start, start + len(words))


def line(*said, claim=""):
    return Line("fix", "en", "-", "advised", said, claim=claim)


DRIVER = {"id": "A", "claim": "Check the driver version", "posts": ["OP"]}
LINK = {"id": "B", "claim": "Check the PCIe link", "posts": [1]}
CONTEXT = {"id": "C", "claim": "Lower the context to 8192", "posts": [2]}


def test_a_claim_is_found_by_a_line_matched_to_it_in_one_of_its_posts():
    measured = inventory.known(digest(line(place(2, SECOND), claim="C")), read(CONTEXT, DRIVER))
    assert (measured.found, measured.missed) == (1, ("A",))


def test_a_line_matched_to_it_in_another_post_does_not_count():
    measured = inventory.known(digest(line(place(1, FIRST), claim="C")), read(CONTEXT))
    assert (measured.found, measured.confirmed, measured.given) == (0, 0, 1)


def test_alone_a_place_with_most_of_its_words_counts():
    measured = inventory.alone(digest(line(place(2, SECOND)), line(place(1, "PCIe link"))), read(CONTEXT))
    assert (measured.found, measured.confirmed, measured.given) == (1, 1, 2)


def test_alone_the_same_words_in_another_post_do_not_count():
    assert inventory.alone(digest(line(place(1, FIRST))), read(CONTEXT | {"claim": FIRST})).found == 0


def test_a_place_stands_for_one_claim_only():
    assert inventory.alone(digest(line(place(1, FIRST))), read(DRIVER, LINK)).found == 1


def test_two_places_are_given_to_two_claims_whatever_the_order():
    both, driver = place(1, FIRST), place(1, "driver version")
    for claims in ((DRIVER, LINK), (LINK, DRIVER)):
        assert inventory.alone(digest(line(both), line(driver)), read(*claims)).found == 2


def test_one_of_several_ways_to_say_it_is_enough():
    assert inventory.alone(digest(line(place(1, "PCIe link"))), read(LINK | {"zh": "换驱动 / PCIe link"})).found == 1


def test_a_figure_is_a_key_word():
    other = CONTEXT | {"zh": "context 4096"}
    assert inventory.alone(digest(line(place(2, "the context to 8192"))), read(other)).found == 0


def test_an_inventory_of_several_threads_gives_those_of_the_file():
    threads = {"threads": {"1": "../threads/thread.txt", "2": "other.txt"}}
    rows = [DRIVER | {"thread": 1}, LINK | {"thread": 2}]
    listed, keys = inventory.read(json.dumps({"claims": rows, "meta": threads}), "/here/thread.txt")
    assert [one.key for one in listed] == ["A"]
    assert keys == {"A", "B"}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"claims": [{"id": 1}]}', '{"claims": []}', '{"claims": 3}'])
def test_what_is_no_inventory_is_refused(text):
    with pytest.raises(ValueError, match="inventory"):
        inventory.read(text, "thread.txt")
