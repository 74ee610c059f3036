from hypothesis import given
from hypothesis import strategies as st

from kb.difference import side_by_side
from kb.entry_merge import merge

VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_what_one_side_alone_changed_is_taken(base, changed):
    assert merge(base, changed, base) == (changed, [])
    assert merge(base, base, changed) == (changed, [])
    assert merge(base, changed, changed) == (changed, [])


def test_two_rules_changed_by_two_people_are_both_kept():
    base = {"rules": [{"id": "a", "level": 1}, {"id": "b", "level": 1}]}
    theirs = {"rules": [{"id": "a", "level": 2}, {"id": "b", "level": 1}, {"id": "c", "level": 1}]}
    mine = {"rules": [{"id": "a", "level": 1}]}
    merged, conflicts = merge(base, theirs, mine)
    assert merged == {"rules": [{"id": "a", "level": 2}, {"id": "c", "level": 1}]} and not conflicts


def test_phrases_added_by_two_people_are_all_kept():
    assert merge(["a", "b"], ["a", "b", "c"], ["b", "d"]) == (["b", "c", "d"], [])


def test_one_value_changed_in_two_ways_is_a_conflict_and_mine_stands():
    merged, conflicts = merge({"t": {"en": "x"}}, {"t": {"en": "y"}}, {"t": {"en": "z"}})
    assert merged == {"t": {"en": "z"}}
    assert [(c.path, c.theirs, c.mine) for c in conflicts] == [("t.en", "y", "z")]


@given(
    st.lists(st.sampled_from(["a", "b", "cc", ""]), max_size=30),
    st.lists(st.sampled_from(["a", "b", "cd"]), max_size=30),
)
def test_a_comparison_accounts_for_every_line(before, after):
    rows = side_by_side("\n".join(before), "\n".join(after))
    if "\n".join(before) == "\n".join(after):
        assert not rows
        return
    hidden = sum(row.equal for row in rows)
    assert sum(row.left_number is not None for row in rows) + hidden == len("\n".join(before).splitlines())
    assert sum(row.right_number is not None for row in rows) + hidden == len("\n".join(after).splitlines())
