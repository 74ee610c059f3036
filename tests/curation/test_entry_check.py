"""The shipped entries pass the check, and each fault that it is there for is found."""

from io import StringIO
from itertools import pairwise

import pytest
from django.core.management import CommandError, call_command
from pydantic import TypeAdapter

from kb.condition import Condition
from kb.entry_check import check, check_one
from kb.entry_file import EntryFile, dump
from kb.entry_form import normal
from kb.knowledge import ENTRIES, shipped
from kb.possible import can_hold

CONDITION = TypeAdapter(Condition)


def condition(data) -> Condition:
    return CONDITION.validate_python(data)


def fact(name, op, value):
    return {"fact": name, "op": op, "value": value}


def changed(**changes) -> EntryFile:
    return EntryFile.model_validate(normal(shipped().by_slug["eager-mode"]) | changes)


def said(entry: EntryFile) -> list[str]:
    found = check_one(entry, set(shipped().by_slug))
    return [f"{one.where}: {one.says}" for one in found if not one.note]


def rule(when) -> list[dict]:
    why = {"en": "made up", "zh": "虚构"}
    return [{"id": "made-up", "when": when, "level": 1, "group": "made-up", "why": why}]


def test_the_shipped_entries_have_no_fault():
    out = StringIO()
    call_command("check_entries", stdout=out)
    assert "0 faults" in out.getvalue()


def test_a_faulty_folder_fails_with_a_list(tmp_path):
    (tmp_path / "broken.yaml").write_text("slug: broken\n")
    (tmp_path / "eager-mode.yaml").write_text(dump(changed(confused_with=[])) + "\n")
    out = StringIO()
    with pytest.raises(CommandError, match="2 faults"):
        call_command("check_entries", tmp_path, stdout=out)
    assert "canonical form" in out.getvalue() and "FAULT broken" in out.getvalue()


@pytest.mark.parametrize("when", [
    {"all": [fact("engine.enforce_eager", "is", True), fact("engine.enforce_eager", "is", False)]},
    {"all": [fact("load.concurrency", "<", 4), fact("load.concurrency", ">", 8)]},
    {"all": [fact("engine.name", "is", "vllm"), {"any": [fact("engine.name", "is", "tgi"), fact("engine.name", "is", "sglang")]}]},
    {"all": [fact("engine.version", "version<", "0.8.0"), fact("engine.version", "version>=", "0.9.0")]},
    {"all": [fact("engine.enforce_eager", "is", True), {"not": fact("engine.enforce_eager", "is", True)}]},
    fact("gpu.utilization_pct", ">", 100),
    fact("load.concurrency", "<", 0),
    fact("engine.name", "contains", "no such engine"),
])  # fmt: skip
def test_a_rule_that_can_never_fire_is_found(when):
    assert "rules.made-up: can never fire: its conditions exclude each other" in said(changed(rules=rule(when)))


@pytest.mark.parametrize("when", [
    {"all": [fact("engine.version", "version>=", "0.8.0"), fact("engine.version", "version<", "0.9.0")]},
    {"all": [fact("gpu.name", "contains", "3090"), fact("gpu.name", "contains", "4090")]},
    {"any": [fact("load.concurrency", ">", 8), fact("load.concurrency", "<", 4)]},
    {"not": {"all": [fact("engine.enforce_eager", "is", True), fact("load.concurrency", "<=", 4)]}},
    fact("gpu.temperature_c", "<", 0),
    fact("engine.name", "in", ["vllm", "tgi"]),
])  # fmt: skip
def test_a_rule_that_can_fire_is_left_alone(when):
    assert can_hold([condition(when)])


def test_a_rule_outside_of_what_the_entry_applies_to_is_found():
    entry = changed(applies=fact("engine.name", "is", "vllm"), rules=rule(fact("engine.name", "is", "tgi")), fixes=[
        normal(shipped().by_slug["eager-mode"])["fixes"][0] | {"applies": fact("engine.name", "is", "ollama")}])  # fmt: skip
    assert {"rules.made-up: can never fire where the entry applies", "fixes.drop-flag: can never apply"} <= set(
        said(entry)
    )


def test_a_text_in_the_wrong_language_is_found():
    found = said(changed(title={"en": "图没有生效", "zh": "CUDA graphs are off"}))
    assert found[:2] == ["title.en: Chinese in the English text", "title.zh: no Chinese in the Chinese text"]
    half = changed(summary={"en": "x", "zh": "显卡 waits for the processor to launch every kernel"})
    assert any("left in English" in one for one in said(half))


def test_a_fix_that_names_a_flag_and_gives_no_command_is_found():
    fixes = normal(shipped().by_slug["eager-mode"])["fixes"]
    fixes[0] = {key: value for key, value in fixes[0].items() if key != "commands"}
    assert "fixes.drop-flag: names a flag and gives no command" in said(changed(fixes=fixes))


def test_a_cause_confused_with_itself_or_with_nothing_is_found():
    tell = {"en": "x", "zh": "是"}
    entry = changed(confused_with=[{"slug": "eager-mode", "tell": tell}, {"slug": "no-such-cause", "tell": tell}])
    assert len([one for one in said(entry) if "no other entry" in one]) == 2


def test_a_source_that_nothing_cites_is_noted():
    sources = [*normal(shipped().by_slug["eager-mode"])["sources"],
               {"id": "idle", "kind": "vendor", "ref": "A manual", "says": {"en": "x", "zh": "是"}}]  # fmt: skip
    notes = [one for one in check_one(changed(sources=sources), set(shipped().by_slug)) if one.note]
    assert any(one.where == "sources.idle" for one in notes)


def test_two_entries_that_say_the_same_are_found():
    twin = changed(slug="eager-twin")
    found = check((shipped().by_slug["eager-mode"], twin))
    assert {"summary.en", "summary.zh", "phrases"} <= {one.where for one in found}


def test_findings_come_by_entry():
    found = check(shipped().entries)
    assert all(one <= other for one, other in pairwise(found))
    assert {path.stem for path in ENTRIES.glob("*.yaml")} >= {one.slug for one in found}
