import jieba

from kb import text
from kb.text import Index, Query, glossary, salient, words


def test_a_flag_is_a_term_whole_and_in_parts():
    assert {"max-model-len", "max", "model", "len"} <= set(words("--max-model-len=4096"))
    assert {"cuda_visible_devices", "cuda", "visibl"} <= set(words("CUDA_VISIBLE_DEVICES"))


def test_two_character_terms_of_the_field_are_words():
    for term in ("掉卡", "显存", "首字"):
        assert term in words(f"我的机器{term}了")


def test_full_width_letters_and_case_make_no_difference():
    assert words("ＧＰＵ Ｕｔｉｌｉｓａｔｉｏｎ") == words("gpu utilisation")


def test_plural_and_verb_endings_make_no_difference():
    assert words("GPUs throttled") == words("GPU throttles")


def test_bare_numbers_are_no_terms():
    assert words("4096 0.9 12") == ()


def test_negation_is_kept():
    assert "not" in words("it does not stop")
    assert any("不" in word for word in words("停不下来"))


def test_the_glossary_carries_a_chinese_complaint_to_an_english_document():
    index = Index({"swap": [("swap out of KV blocks", 1)], "oom": [("out of memory while loading", 1)]})
    assert index.search("显存不足")[0][0] == "oom"


def test_the_glossary_carries_an_english_complaint_to_a_chinese_document():
    index = Index({"ttft": [("首字很慢", 1)], "oom": [("爆显存", 1)]})
    assert index.search("ttft")[0][0] == "ttft"


def test_a_short_form_finds_its_long_one_and_is_no_part_of_another_word():
    index = Index({"oom": [("out of memory", 1)], "other": [("disk", 1)]})
    assert index.search("oom killer")[0][0] == "oom"
    assert index.search("a room") == []


def test_how_a_question_is_put_is_no_term():
    assert words("请问这是什么原因，应该怎么解决？") == ()


def test_a_written_term_weighs_more_than_a_translated_one():
    index = Index({"written": [("throughput", 1)], "translated": [("吞吐", 1)], "other": [("disk", 1)]})
    scores = dict(index.search("throughput"))
    assert scores["written"] > scores["translated"] > 0


def test_a_field_that_counts_more_wins():
    index = Index({"title": [("nccl", 3), ("disk", 1)], "body": [("nccl", 1), ("disk", 3)]})
    assert [name for name, _ in index.search("nccl")] == ["title", "body"]


def test_a_document_without_a_common_word_is_not_found():
    assert Index({"a": [("throttle", 1)]}).search("parking garage") == []


def test_an_empty_collection_and_an_empty_question_find_nothing():
    assert Index({}).search("anything") == []
    assert Index({"a": [("x y", 1)]}).search("") == []


def test_a_long_paste_keeps_the_lines_that_tell_of_trouble():
    paste = "INFO nothing\n" * 50_000 + "RuntimeError: the one line\n" + "INFO nothing\n" * 50_000
    kept = salient(paste)
    assert "RuntimeError: the one line" in kept
    assert len(kept) <= text.SALIENT_CHARS + 2


def test_a_repeated_line_does_not_count_again():
    assert Query.of("nccl timeout\n" * 100).terms == Query.of("nccl timeout").terms


def test_the_dictionary_is_not_read_from_a_folder_that_others_can_write(tmp_path, monkeypatch):
    monkeypatch.setattr(jieba.dt, "tmp_dir", str(tmp_path))
    text._segmenter.cache_clear()
    words("显存")
    assert list(tmp_path.iterdir()) == []


def test_the_glossary_has_no_line_without_both_languages():
    lines = [line for line in text.GLOSSARY.read_text("utf-8").splitlines() if line]
    assert len(glossary()) == len(lines) >= 250
