"""What is learned from entries and confirmed reports, and how it is kept."""

from pathlib import Path

import pytest

from kb import facts as reading
from kb import learning
from kb.judgement import Submission
from kb.knowledge import Knowledge
from kb.likeness import readable, terms
from kb.ranking import rank
from kb.reports import ConfirmedReport
from kb.text import Query
from probes.facts import Fact, FactSet, Provenance
from tests.ranking.made import entry

ENTRIES = (entry("card-too-old"), entry("line-down"), entry("disk-full"))


def report(text: str, *causes: str) -> ConfirmedReport:
    return ConfirmedReport("r", "made/up#1", "en", Submission(text), causes)


OLD = [report(f"my Tesla P40 is far too slow with this exl2 model, attempt {n}", "card-too-old") for n in range(6)]
FULL = [report(f"the download stops with no space left, attempt {n}", "disk-full") for n in range(6)]
LINK = [report(f"two cards are slower than a single one, attempt {n}", "line-down") for n in range(6)]


@pytest.fixture
def learned(tmp_path: Path):
    return learning.learned(ENTRIES, [*OLD, *LINK, *FULL], tmp_path)


def seen(text: str) -> dict[str, float]:
    return terms(Query.of(text), reading.extract(Submission(text)))


def test_what_reports_say_tells_their_causes_apart(learned):
    fits = learned.fits(seen("the P40 is too slow here"))
    assert fits["card-too-old"] > 0 > fits["line-down"]


def test_a_card_that_no_report_named_is_judged_by_its_generation(learned):
    """The Tesla P4 is of the same generation as the P40, and no word of it was learned from."""
    fits = learned.fits(terms(Query.of(""), reading.extract(Submission("Tesla P4"))))
    assert fits["card-too-old"] > fits["line-down"]


def test_a_text_without_a_known_term_is_judged_by_chance(learned):
    assert all(abs(weight) < 0.2 for weight in learned.fits(seen("zzz")).values())


def test_measured_facts_are_no_words():
    measured = Fact("gpu.name", "Tesla P40", Provenance("probe", "gpu.state"))
    assert terms(Query.of(""), [measured]) == {}


def test_what_tells_most_can_be_read(learned):
    told = [readable(term) for term in learned.telling(seen("the P40 is too slow here"), "card-too-old")]
    assert told
    assert not any("=" in term for term in told)


def test_it_is_learned_once_for_the_same_knowledge_and_anew_for_another(tmp_path):
    first = learning.learned(ENTRIES, [*OLD, *LINK, *FULL], tmp_path)
    kept = list(tmp_path.iterdir())
    again = learning.learned(ENTRIES, [*OLD, *LINK, *FULL], tmp_path)
    assert list(tmp_path.iterdir()) == kept
    assert again.fits(seen("slow P40")) == first.fits(seen("slow P40"))
    learning.learned(ENTRIES, [*OLD, *LINK, *FULL, report("one more", "line-down")], tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_file_is_learned_anew(tmp_path):
    learning.learned(ENTRIES, OLD + LINK + FULL, tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:500])
    assert learning.learned(ENTRIES, OLD + LINK + FULL, tmp_path).slugs == ("card-too-old", "line-down", "disk-full")


def test_a_folder_that_cannot_be_written_does_not_stop_it(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert learning.learned(ENTRIES, OLD + LINK + FULL, blocked / "below") is not None


def test_two_causes_teach_nothing(tmp_path):
    assert learning.learned(ENTRIES[:2], (), tmp_path) is None


def test_of_old_files_only_the_last_are_kept(tmp_path):
    for n in range(learning.KEPT + 2):
        learning.learned(ENTRIES, [*OLD, *LINK, *FULL, report(f"number {n}", "line-down")], tmp_path)
    assert len(list(tmp_path.iterdir())) == learning.KEPT


def test_an_entry_that_was_not_learned_yet_is_judged_by_its_words_alone(learned):
    young = entry("young")
    submission = Submission("the P40 is too slow here")
    causes, none = rank(
        FactSet(reading.extract(submission)), submission, Knowledge((*ENTRIES, young), likeness=learned)
    )
    groups = {cause.slug: [c.group for c in cause.contributions] for cause in causes}
    assert "likeness" in groups["line-down"]
    assert "likeness" not in groups["young"]
    assert sum(cause.probability for cause in causes) + none == pytest.approx(1)


def test_the_score_is_the_plain_sum_of_what_is_shown(learned):
    submission = Submission("the P40 is too slow here")
    causes, _ = rank(FactSet(reading.extract(submission)), submission, Knowledge(ENTRIES, likeness=learned))
    for cause in causes:
        assert cause.score == pytest.approx(sum(c.weight for c in cause.contributions))
