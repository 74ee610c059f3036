"""Every shipped entry file is sound on its own and beside the others."""

import re
from collections import Counter

import pytest
import re2

from kb.condition import Condition, Test, fact_names
from kb.entry_file import Both, EntryFile, dump, load_folder, parse
from kb.knowledge import ENTRIES
from probes.vocabulary import fact_type, fact_types
from probes.vocabulary.engine import ENGINES

SHIPPED = load_folder(ENTRIES)
SLUGS = {entry.slug for entry in SHIPPED}
HAN = re.compile(r"[\u4e00-\u9fff]")
# Lines that belong to no engine: "any" and "shell" are run on the host.
HOST = {"", "any", "shell"}

each = pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: entry.slug)


def texts(value: object) -> list[Both]:
    """All bilingual texts below a value."""
    if isinstance(value, Both):
        return [value]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in texts(item)]
    if hasattr(type(value), "model_fields"):
        return [text for name in type(value).model_fields for text in texts(getattr(value, name))]
    return []


def conditions(entry: EntryFile) -> list[Condition]:
    applied = [entry.applies, *(fix.applies for fix in entry.fixes)]
    return [*(rule.when for rule in entry.rules), *(condition for condition in applied if condition is not None)]


def comparisons(condition: Condition) -> list[Test]:
    """The single comparisons of a condition."""
    match condition:
        case Test():
            return [condition]
        case _:
            parts = next(iter(condition.__dict__.values()))
            return [test for part in (parts if isinstance(parts, list) else [parts]) for test in comparisons(part)]


@each
def test_a_file_is_written_in_the_canonical_form(entry: EntryFile):
    text = (ENTRIES / f"{entry.slug}.yaml").read_text("utf-8")
    assert dump(parse(text)) == text


@each
def test_every_text_is_in_chinese_and_in_english(entry: EntryFile):
    prose = [text for text in texts(entry) if text.zh != text.en]  # a bare command is the same in both
    assert not [text for text in prose if not HAN.search(text.zh) or HAN.search(text.en)]


@each
def test_a_language_has_phrases_of_its_own_beside_error_lines(entry: EntryFile):
    assert not [phrase for phrase in entry.phrases.en if HAN.search(phrase)]
    assert sum(bool(HAN.search(phrase)) for phrase in entry.phrases.zh) >= 3


@each
def test_every_signature_matches_its_example(entry: EntryFile):
    assert all(re2.compile("(?i)" + one.pattern).search(one.example) for one in entry.signatures)


@each
def test_a_cause_is_confused_with_other_causes_that_have_entries(entry: EntryFile):
    confused = {confusion.slug for confusion in entry.confused_with}
    assert entry.slug not in confused
    assert confused <= SLUGS


@each
def test_every_condition_reads_facts_of_the_vocabulary(entry: EntryFile):
    assert {name for condition in conditions(entry) for name in fact_names(condition)} <= set(fact_types())


@each
def test_a_number_is_compared_with_a_number(entry: EntryFile):
    """The number 1 equals True: written without its value it would come back as a truth."""
    of_numbers = [
        test
        for condition in conditions(entry)
        for test in comparisons(condition)
        if fact_type(test.fact).kind in ("int", "float") and test.op != "known"
    ]
    assert not [test.fact for test in of_numbers if test.value is True]


@each
def test_two_rules_never_ask_the_same(entry: EntryFile):
    conditions = Counter(rule.when.model_dump_json() for rule in entry.rules)
    assert not [text for text, count in conditions.items() if count > 1]


@each
def test_a_command_names_an_engine_of_the_vocabulary(entry: EntryFile):
    assert {command.engine for fix in entry.fixes for command in fix.commands} <= set(ENGINES) | HOST


@each
def test_a_range_of_effect_is_in_order_and_has_a_source(entry: EntryFile):
    ranges = [fix.effect for fix in entry.fixes if fix.effect.low is not None and fix.effect.high is not None]
    assert all(effect.low <= effect.high and effect.source for effect in ranges)


def test_no_phrase_is_shared_by_two_entries():
    phrases = Counter(
        phrase for entry in SHIPPED for phrase in {text.lower() for text in (*entry.phrases.en, *entry.phrases.zh)}
    )
    assert not [phrase for phrase, count in phrases.items() if count > 1]


def test_an_example_is_no_copy_of_a_phrase():
    phrases = {phrase.lower() for entry in SHIPPED for phrase in (*entry.phrases.en, *entry.phrases.zh)}
    assert not [
        example.symptom for entry in SHIPPED for example in entry.examples if example.symptom.lower() in phrases
    ]
