"""Sixty questions as people ask them, written before the look-up and apart from the entries: the right cause stands
among the first three of everything that is found, claims and cases included.
"""

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


def test_every_question_names_causes_that_exist():
    known = {document.name for document in everything().documents}
    assert not {slug for _, _, right in QUESTIONS for slug in right.split("|")} - known
