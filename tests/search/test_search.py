"""What the look-up finds, marks, explains and keeps away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.documents import Document, Passage, of_case, of_entry
from kb.knowledge import shipped
from kb.marks import matcher, pieces
from kb.search import Collection, Filters
from kb.spelling import Spelling
from kb.token_file import load
from tests.search.shelf import everything


def note(name, text, what="claim", **fields):
    return Document(what, name, name, (Passage(text),), **fields)


def names(collection, text, **arguments):
    return [hit.document.name for hit in collection.search(text, "en", **arguments).found]


@pytest.fixture
def three():
    return Collection([
        note("hot", "the card throttles when it is hot"),
        note("dead", "机器一跑就卡死机箱也不响"),
        note("disk", "reading from a slow disk takes minutes"),
    ])  # fmt: skip


def test_a_word_of_two_characters_is_found_in_mid_sentence_however_it_was_cut(three):
    for word in ("死机", "机箱", "卡死", "一跑"):
        assert names(three, word) == ["dead"], word


def test_a_typo_finds_the_word_that_was_meant_and_says_so(three):
    results = three.search("throtle", "en")
    assert [hit.document.name for hit in results.found] == ["hot"]
    assert results.corrected == (("throtle", "throttles"),)
    assert "spelling" in {reason.how for reason in results.found[0].why}


def test_a_half_typed_word_finds_those_that_begin_so(three):
    assert names(three, "minu") == ["disk"]
    assert "beginning" in {reason.how for reason in three.search("minu", "en").found[0].why}


def test_a_word_that_is_one_is_not_corrected(three):
    assert three.search("disk", "en").corrected == ()


def test_somebodys_own_words_never_become_suggestions():
    collection = Collection([of_case("secret", ["projectbluebird is slow"]), note("hot", "throttle")])
    assert not collection.search("projectbluebirt", "en", cases=()).corrected


def test_other_peoples_cases_are_neither_found_nor_counted():
    collection = Collection([of_case("mine", ["nccl timeout"]), of_case("theirs", ["nccl timeout"])])
    results = collection.search("nccl", "en", cases=["mine"])
    assert [hit.document.name for hit in results.found] == ["mine"]
    assert results.counts["case"] == 1
    assert collection.search("nccl", "en", cases=[]).nothing_fits


def test_filters_narrow_down_and_the_counts_follow():
    collection = Collection([
        note("a", "nccl timeout", verdict="wrong", engines=frozenset({"vllm"})),
        note("b", "nccl timeout", verdict="right", measured=True),
        note("c", "nccl timeout", what="entry", kinds=frozenset({"slow"}), engines=frozenset({"ollama"})),
        note("d", "nothing in common"),
    ])  # fmt: skip
    assert names(collection, "nccl", filters=Filters(verdict="wrong")) == ["a"]
    assert names(collection, "nccl", filters=Filters(kind="slow")) == ["c"]
    assert names(collection, "nccl", filters=Filters(measured="yes")) == ["b"]
    assert set(names(collection, "nccl", filters=Filters(engine="vllm"))) == {"a", "b"}, "b holds for any engine"
    counted = collection.search("nccl", "en", Filters(what="claim"))
    assert counted.counts == {"entry": 1, "claim": 2, "case": 0}
    assert {hit.document.what for hit in counted.found} == {"claim"}


def test_filtered_away_is_not_the_same_as_not_there():
    collection = Collection([note("a", "nccl timeout")])
    assert not collection.search("nccl", "en", Filters(verdict="wrong")).nothing_fits
    assert collection.search("zzqqx", "en").nothing_fits


def test_a_known_log_line_brings_its_cause_to_the_top():
    for entry in shipped().entries[:40]:
        for signature in entry.signatures[:1]:
            slugs = shipped().signatures.scan({"query": signature.example})
            first = everything().search(signature.example, "en", limit=1).found[0].document.name
            assert first.split("/")[0] in {*slugs, entry.slug}, signature.example


def test_of_two_that_fit_alike_the_one_that_is_right_more_often_comes_first():
    same = "gpu stands still"
    collection = Collection([note("rare", same, "entry", prior=1.0), note("common", same, "entry", prior=3.0)])
    assert names(collection, "stands still") == ["common", "rare"]


def test_a_cause_comes_before_a_single_case_of_it():
    entry = shipped().by_slug["eager-mode"]
    found = Collection(of_entry(entry)).search(entry.examples[0].symptom, "en").found
    assert found[0].document.what == "entry"
    assert found[1].document.name.startswith("eager-mode/")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_snippet_is_in_the_readers_language_with_marks(language):
    hit = everything().search("NVLink 没有用上", language, Filters(what="entry")).found[0]
    assert any(piece.hit for piece in (*hit.title, *hit.snippet))
    assert "".join(piece.text for piece in hit.title) == hit.document.title_in(language)


def test_a_long_case_is_shown_by_the_stretch_that_matched():
    hit = Collection([of_case("x", ["padding " * 100 + "the flux capacitor broke"])]).search("capacitor", "en").found[0]
    shown = "".join(piece.text for piece in hit.snippet)
    assert len(shown) < 300 and "flux capacitor" in shown and shown.startswith("…")


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_the_pieces_of_a_marked_text_are_the_text(text, terms):
    assert "".join(piece.text for piece in pieces(text, matcher(terms))) == text


@given(st.text(max_size=200))
def test_no_query_breaks_the_search(text):
    everything().search(text, "zh")


def test_nothing_to_search_with_or_in_finds_nothing():
    assert everything().search(" ?! ", "en").found == ()
    assert Collection([]).search("nccl", "en").found == ()


def test_a_collection_built_after_another_finds_what_one_built_alone_does(three):
    later = [*three.documents[1:], note("hot", "now about fans"), note("new", "a new gizmo")]
    again, alone = Collection(later, three), Collection(later)
    for word in ("throttle", "fans", "gizmo", "死机", "disk"):
        assert names(again, word) == names(alone, word), word


def test_spelling_leaves_short_and_chinese_words_alone():
    spelling = Spelling(["kv", "tp", "dtype", "显存"])
    assert spelling.near("kw") == [] and spelling.near("显寸") == []
    assert spelling.near("dtpye") == ["dtype"]


def test_a_short_word_does_not_mark_the_beginning_of_another():
    marked = [
        piece.text
        for piece in pieces("off the bus, offload, PCIe link, preempted", matcher(["off", "pci", "preempt"]))
        if piece.hit
    ]
    assert marked == ["off", "PCIe", "preempted"]


@pytest.mark.parametrize(("typed", "meant"), [("险存不足", "显存"), ("前缀换存", "缓存"), ("推理速渡", "速度")])
def test_a_chinese_word_in_the_wrong_characters_of_the_right_sound_is_forgiven(typed, meant):
    results = everything().search(typed, "zh")
    assert [right for _, right in results.corrected] == [meant]
    assert results.found


def test_a_card_keeps_what_can_be_on_it():
    collection = Collection([
        *of_entry(shipped().by_slug["cpu-offload"]), of_case("pascal", ["P40 is slow"]), of_case("ada", ["RTX 4090 is slow"]),
    ])  # fmt: skip
    found = names(collection, "slow", filters=Filters(gpu="P40"))
    assert "pascal" in found
    assert "ada" not in found
    assert "cpu-offload" in names(collection, "slow offload", filters=Filters(gpu="P40"))


def test_an_entry_that_cannot_be_with_this_engine_is_left_out():
    collection = Collection(of_entry(shipped().by_slug["ollama-context-silently-cut"]))
    assert names(collection, "context cut", filters=Filters(engine="ollama"))
    assert not names(collection, "context cut", filters=Filters(engine="vllm"))


def test_a_version_keeps_the_cases_that_name_its_release():
    collection = Collection([of_case("old", ["vllm 0.6.2 hangs"]), of_case("new", ["vllm 0.11.1 hangs"])])
    assert names(collection, "hangs", filters=Filters(version="0.6.3")) == ["old"]


def test_tokens_kept_in_a_file_spare_the_segmenting_and_find_the_same(tmp_path):
    path, whole = tmp_path / "tokens.npz", [note("hot", "the card throttles"), of_case("zh", ["显存不足，启动就报错"])]
    Collection(whole).save(path)
    again = Collection(whole, kept=load(path))
    assert again.segmented == 0
    assert names(again, "显存") == ["zh"]
    edited = Collection([note("hot", "the card is hot"), whole[1]], kept=load(path))
    assert edited.segmented == 1
    assert names(edited, "throttles") == []


def test_what_was_deleted_is_not_kept_in_the_file(tmp_path):
    path, before = tmp_path / "tokens.npz", Collection([note("hot", "card"), of_case("gone", ["quuxifier"])])
    Collection([note("hot", "card")], before=before).save(path)
    assert "quuxifier" not in load(path).vocabulary


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"no archive"])
def test_a_broken_file_of_tokens_is_as_none(tmp_path, content):
    path = tmp_path / "tokens.npz"
    path.write_bytes(content)
    assert load(path) is None
    assert load(tmp_path / "missing.npz") is None
