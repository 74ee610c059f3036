"""What an edit would change on past cases is worked out before it is published."""

from kb import curation, diagnose
from kb.impact import of_publishing
from kb.judgement import Submission
from kb.library import knowledge


def against(entry):
    """The entry with its own flag speaking against it."""
    why = {"en": "made up", "zh": "虚构"}
    rules = [
        {"id": f"no-{n}", "group": f"no-{n}", "level": -3, "when": {"fact": "engine.enforce_eager"}, "why": why}
        for n in range(3)
    ]
    return entry.body | {"signatures": [], "rules": rules}


def test_the_cases_that_would_rank_differently_are_listed(carol, entry, db):
    moved = diagnose.submit(Submission(text="slow", command="vllm serve m --enforce-eager"), "en")
    diagnose.submit(Submission(text="CUDA out of memory when loading the model"), "en")
    first = diagnose.assessment(moved).causes[0].slug
    assert first == "eager-mode"
    draft = curation.begin(entry, against(entry), "to see", carol.person, entry.newest)
    page = carol.get(f"/drafts/{draft.pk}/impact/").text
    assert "1 of the newest 2 cases rank differently" in page and moved.get_absolute_url() in page


def test_an_edit_that_says_the_same_moves_no_case(entry, db):
    diagnose.submit(Submission(text="slow", command="vllm serve m --enforce-eager"), "en")
    found = of_publishing(knowledge().by_slug["eager-mode"])
    assert (found.looked_at, found.moved) == (1, ())
