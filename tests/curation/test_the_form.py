"""The form shows every shipped entry whole, gives it back unchanged, and says what is wrong where it is wrong."""

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from kb.condition_rows import to_data, to_rows, value_of
from kb.entry_file import EntryFile, dump
from kb.entry_form import checked, fields, normal, read, rearranged
from kb.knowledge import shipped
from kb.models import Revision
from kb.present import entry_words
from probes.vocabulary import fact_types
from tests.curation.form import sent


class Sent(dict):
    """A form's fields by name."""

    def getlist(self, name):
        return self.get(name, [])


@pytest.mark.parametrize("slug", ["eager-mode", "ecc-errors", "gpu-fell-off-bus"])
def test_an_entry_sent_back_as_it_was_shown_is_the_same_entry(carol, slug, db):
    if slug not in shipped().by_slug:
        slug = shipped().entries[0].slug
    page = carol.get(f"/entries/{slug}/edit/")
    assert dump(EntryFile.model_validate(read(Sent(sent(page.content))))) == dump(shipped().by_slug[slug])


def test_every_condition_of_every_entry_survives_its_rows():
    entries = shipped().entries
    conditions = [rule.when for entry in entries for rule in entry.rules]
    conditions += [fix.applies for entry in entries for fix in entry.fixes if fix.applies]
    data = [one.model_dump(mode="json", by_alias=True, exclude_defaults=True) for one in conditions]
    rows = [to_rows(one) for one in data]
    assert [to_rows(to_data(one.join, one.rows)) for one in rows] == rows
    kept = [row for one in rows for row in one.rows if row.kept]
    assert len(kept) <= len(conditions) / 50  # brackets within brackets are rare, so nearly all are edited as rows


def test_a_bracket_within_a_bracket_is_kept_as_it_is():
    deep = {
        "any": [{"all": [{"fact": "engine.enforce_eager"}, {"not": {"any": [{"fact": "engine.graphs_captured"}]}}]}]
    }
    shown = to_rows(deep)
    assert shown.rows[0].kept
    assert EntryFile.model_fields  # the schema is the only judge of it
    assert to_rows(to_data(shown.join, shown.rows)).rows == shown.rows


def test_rows_of_one_letter_stand_in_a_bracket():
    bracket = {"all": [{"fact": "engine.enforce_eager"}, {"any": [{"fact": "load.concurrency", "op": ">=", "value": 9},
                                                                  {"fact": "engine.graphs_captured"}]}]}  # fmt: skip
    assert [row.group for row in to_rows(bracket).rows] == ["", "A", "A"]


@given(st.text(max_size=40), st.sampled_from(sorted(fact_types())), st.sampled_from(["is", "in", "<", "contains"]))
def test_whatever_is_typed_as_a_value_is_kept_or_refused_by_the_schema_alone(text, fact, op):
    value = value_of(fact, op, text)
    assert isinstance(value, (bool, int, float, str, list))


def test_every_field_has_a_name_in_both_languages():
    body = normal(shipped().by_slug["eager-mode"])
    shown = [one for top in fields(body) for one in top.walk()]
    missing = {f.name for f in shown if f.name not in entry_words.LABELS}
    missing -= {key.split(".")[1] for key in entry_words.LABELS if "." in key}
    assert not missing


def test_a_fault_stands_beside_its_field():
    body = normal(shipped().by_slug["eager-mode"])
    body["rules"][1]["level"] = ""
    body["rules"][2]["when"] = {"fact": "engine.no_such"}
    body["phrases"]["en"] = ["only one"]
    body["title"]["zh"] = ""
    wrong = {field.path: entry_words.fault(field.errors[0]) for field in checked(body).wrong}
    assert set(wrong) == {"rules.1.level", "rules.2.when", "phrases.en", "title.zh"}
    assert "词表" in wrong["rules.2.when"].zh and "engine.no_such" in wrong["rules.2.when"].zh
    assert "3" in wrong["phrases.en"].zh


def test_a_rule_that_cites_no_source_of_the_entry_is_said_in_both_languages():
    body = normal(shipped().by_slug["eager-mode"])
    body["rules"][0]["source"] = "nowhere"
    said = [entry_words.fault(error) for error in checked(body).errors]
    assert any("没有这些出处" in one.zh and "nowhere" in one.zh for one in said)


def test_rows_are_added_removed_and_moved():
    body = {"rules": [{"id": "a"}, {"id": "b"}]}
    assert rearranged(body, "add", "rules")["rules"] == [{"id": "a"}, {"id": "b"}, {}]
    assert rearranged(body, "up", "rules.1")["rules"][:2] == [{"id": "b"}, {"id": "a"}]
    assert rearranged(body, "remove", "rules.0")["rules"] == [{"id": "a"}, {}]
    assert rearranged({"fixes": [{}]}, "add", "fixes.0.commands") == {"fixes": [{"commands": [{}]}]}


@pytest.mark.parametrize("target", ["", "rules.99", "rules.x", "nowhere.1", "rules.0.when.all", "slug.3"])
def test_a_button_that_leads_nowhere_changes_nothing(target):
    body = {"slug": "a", "rules": [{"id": "a"}]}
    assert rearranged(body, "remove", target)["rules"] == [{"id": "a"}]


def test_adding_a_row_keeps_what_was_typed_and_saves_nothing(carol, entry):
    data = sent(carol.get(f"/entries/{entry.slug}/edit/").content)
    data["title.en"] = ["Half-written titl"]
    page = carol.post(f"/entries/{entry.slug}/edit/", data | {"add": "rules"})
    again = sent(page.content)
    assert again["title.en"] == ["Half-written titl"]
    assert f"rules.{len(entry.file.rules)}.id" in again
    assert not Revision.objects.exists()


def test_nothing_typed_is_lost_where_something_is_wrong(carol, entry):
    data = sent(carol.get(f"/entries/{entry.slug}/edit/").content)
    data |= {"rules.0.level": [""], "fixes.0.minutes": ["soon"], "rules.0.when.rows.0.fact": ["no.such"], "save": ["1"]}
    page = carol.post(f"/entries/{entry.slug}/edit/", data, follow=True)
    again = sent(page.content)
    assert again["fixes.0.minutes"] == ["soon"] and again["rules.0.when.rows.0.fact"] == ["no.such"]
    soup = BeautifulSoup(page.content, "html.parser")
    assert "whole number" in soup.find(id="e-fixes.0.minutes").text
    assert "no.such" in soup.find(id="e-rules.0.when").text
    assert soup.find(id="e-rules.0.level").text.strip() == "Choose one."


def test_the_faults_are_said_in_chinese_to_a_chinese_reader(carol, entry):
    data = sent(carol.get(f"/entries/{entry.slug}/edit/").content) | {"fixes.0.minutes": ["soon"], "check": ["1"]}
    page = carol.post(f"/entries/{entry.slug}/edit/", data, headers={"accept-language": "zh"})
    assert "请填一个整数" in BeautifulSoup(page.content, "html.parser").find(id="e-fixes.0.minutes").text


def test_a_condition_is_read_aloud_while_it_is_typed(carol):
    row = {"part": "rules.0.when", "as": "sentence", "rules.0.when.rows.0.fact": "load.concurrency",
           "rules.0.when.rows.0.op": ">=", "rules.0.when.rows.0.value": "9"}  # fmt: skip
    assert "9" in carol.post("/drafts/part/", row).text and "is at least" in carol.post("/drafts/part/", row).text
    row["rules.0.when.rows.0.value"] = "many"
    assert "no condition yet" in carol.post("/drafts/part/", row).text


def test_markdown_is_shown_as_it_will_look_and_cannot_act(carol):
    texts = {"part": "mechanism", "as": "markdown", "mechanism.en": "**so** <script>x</script>", "mechanism.zh": "`是`"}
    shown = carol.post("/drafts/part/", texts).text
    assert "<strong>so</strong>" in shown and "<script" not in shown and "<code" in shown


def test_a_row_of_a_condition_is_dropped_by_its_button(carol, entry):
    data = sent(carol.get(f"/entries/{entry.slug}/edit/").content)
    at = next(n for n, rule in enumerate(entry.file.rules) if rule.id == "captured-small-batch")
    page = carol.post(f"/entries/{entry.slug}/edit/", data | {"drop": f"rules.{at}.when.rows.0"})
    assert sent(page.content)[f"rules.{at}.when.rows.0.fact"] == ["load.concurrency"]


@pytest.mark.parametrize("junk", [{"rules.0.when.rows.0.kept": "[" * 3000}, {"rules.9999.id": "x"},
                                  {"rules.0.when.rows.0.kept": '{"all": 3}'}, {"symptoms_of": "nothing"},
                                  {"fixes.0.minutes": "9" * 5000}, {"fixes.0.effect.low": "nan"}])  # fmt: skip
def test_no_form_however_odd_breaks_the_page(carol, entry, junk):
    page = carol.post(f"/entries/{entry.slug}/edit/", junk | {"save": "1"}, follow=True)
    assert page.status_code == 200
