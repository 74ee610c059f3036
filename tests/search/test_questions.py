"""A hundred and twenty questions, half of them Chinese, written before anything was measured and without looking at the
texts of the entries: the right cause is among the first three of all that is found, claims and cases included.
"""

import re
import sqlite3
from collections import defaultdict
from pathlib import Path

import pytest

from tests.search.shelf import everything

QUESTIONS = [line.split("\t") for line in Path(__file__).with_name("queries.tsv").read_text("utf-8").splitlines()]
LEAST_AT_3, LEAST_MEAN_RECIPROCAL_RANK = 0.85, 0.8


@pytest.fixture(scope="module")
def places():
    """Place of the right cause for each question, 1 for the first; by the kind of question."""
    found = defaultdict(list)
    for kind, question, right in QUESTIONS:
        names = [hit.document.name for hit in everything().search(question, "en").found]
        found[kind].append(next((n for n, name in enumerate(names, 1) if name in right.split("|")), None))
    return found


def share_among_three(places):
    return sum(place is not None and place <= 3 for place in places) / len(places)


def test_the_right_cause_is_among_the_first_three(places):
    assert share_among_three([place for kind in places.values() for place in kind]) >= LEAST_AT_3


def test_the_right_cause_is_first_or_nearly(places):
    ranks = [1 / place if place else 0.0 for kind in places.values() for place in kind]
    assert sum(ranks) / len(ranks) >= LEAST_MEAN_RECIPROCAL_RANK


@pytest.mark.parametrize("kind", ["zh", "en", "mixed"])
def test_no_language_is_left_behind(places, kind):
    assert share_among_three(places[kind]) >= 0.8


def plain_full_text(tokenizer):
    """Place of the right cause with SQLite's own full-text index over the same entries, any word sufficing."""
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE entry USING fts5(name UNINDEXED, body, tokenize='{tokenizer}')")
    entries = [document for document in everything().documents if document.what == "entry"]
    rows = [(entry.name, "\n".join(p.text for p in entry.passages)) for entry in entries]
    database.executemany("INSERT INTO entry VALUES (?, ?)", rows)
    for _, question, right in QUESTIONS:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        names = [
            name for (name,) in database.execute("SELECT name FROM entry WHERE entry MATCH ? ORDER BY rank", (words,))
        ]
        yield next((n for n, name in enumerate(names, 1) if name in right.split("|")), None)


@pytest.mark.parametrize("tokenizer", ["trigram", "unicode61"])
def test_it_finds_more_than_the_databases_own_full_text_index(places, tokenizer):
    ours = share_among_three([place for kind in places.values() for place in kind])
    assert ours > share_among_three(list(plain_full_text(tokenizer)))


def test_every_question_names_causes_that_exist():
    known = {document.name for document in everything().documents}
    assert not {slug for _, _, right in QUESTIONS for slug in right.split("|")} - known
