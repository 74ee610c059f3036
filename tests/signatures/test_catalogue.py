"""The signature catalogue: every line is sound on its own and beside the others."""

import re
from pathlib import Path

import pytest
import re2

from kb.knowledge import shipped
from kb.signatures import SignatureScanner
from kb.signatures.catalogue import Line, load
from kb.signatures.catalogue import shipped as catalogue
from probes.facts import Fact, Provenance

LINES = catalogue()
HEALTHY = sorted((Path(__file__).parents[1] / "captures" / "signatures").glob("healthy_*.log"))
HAN = re.compile(r"[\u4e00-\u9fff]")
LINE = {"id": "a-b", "pattern": "boom", "example": "big boom", "causes": {"cpu-offload": 2}, "source": "made"}


def examples() -> list[tuple[str, set[str]]]:
    """Each example of the catalogue and the entries, with the causes that it stands for."""
    entries = shipped().entries
    return [(line.example, set(line.causes)) for line in LINES] + [
        (signature.example, {entry.slug}) for entry in entries for signature in entry.signatures
    ]


def test_the_catalogue_is_large_and_covers_the_field():
    assert len(LINES) >= 500
    assert len({line.engine for line in LINES if line.engine}) >= 7


def test_each_pattern_matches_its_example_and_no_empty_text():
    assert not [line.id for line in LINES if not re2.search("(?i)" + line.pattern, line.example)]
    assert not [line.id for line in LINES if re2.search("(?i)" + line.pattern, "")]


def test_patterns_stand_once_and_are_short():
    patterns = [line.pattern for line in LINES]
    assert len(patterns) == len(set(patterns))
    assert max(map(len, patterns)) <= 160


def test_causes_are_entries_and_facts_are_declared():
    assert not {slug for line in LINES for slug in line.causes} - shipped().by_slug.keys()
    for line in LINES:
        for name, value in line.facts.items():
            Fact(name, value, Provenance("log"))


def test_a_strong_line_fits_no_example_of_a_cause_that_it_does_not_name():
    wrong = []
    for line in LINES:
        strong = {slug for slug, level in line.causes.items() if level == 3}
        compiled = re2.compile("(?i)" + line.pattern)
        for example, causes in examples() if strong else ():
            if not (causes & line.causes.keys()) and compiled.search(example):
                wrong.append((line.id, sorted(causes), example))
    assert not wrong


def test_notes_are_in_both_languages():
    notes = [line.note for line in LINES if line.note]
    assert len(notes) >= 40
    assert not [note for note in notes if HAN.search(note.en) or not HAN.search(note.zh)]


@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.stem)
def test_a_healthy_log_raises_no_cause_above_the_weakest_level(path: Path):
    hits = SignatureScanner((), LINES).scan({"log": path.read_text("utf-8")})
    assert not [(slug, hit.quote) for slug, found in hits.items() for hit in found if hit.signature.level > 1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"example": "silence"}, "does not match its example"),
        ({"note": {"en": "fine", "zh": "正常"}}, "give causes and facts, or a note, or chain: last"),
        ({"causes": {}}, "give causes and facts, or a note, or chain: last"),
        ({"facts": {"engine.enforce_eager": "maybe"}}, "is true or false"),
    ],
)
def test_a_line_that_contradicts_itself_is_refused(changed, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Line.model_validate(LINE | changed)


def test_a_file_of_the_folder_is_found_and_a_second_use_of_an_id_is_refused(tmp_path):
    text = "engine: vllm\nsignatures:\n- {id: fan-a, pattern: whirr, example: whirr, chain: last, source: made}\n"
    (tmp_path / "fan.yaml").write_text(text)
    assert [(line.id, line.engine) for line in load(tmp_path)] == [("fan-a", "vllm")]
    (tmp_path / "fan.yaml").write_text(text + text.splitlines()[-1] + "\n")
    with pytest.raises(ValueError, match="stands twice"):
        load(tmp_path)
