"""What three threads of other sites, engines and languages say."""

import pytest

from kb.distil import MAX_CHARS, MAX_POSTS, TooLong, distil
from tests.distil.threads import CLAIMS, LAYERS, OLLAMA, QUEUE, digest, knowledge, line


@pytest.mark.parametrize(
    ("text", "words", "posts", "kind", "polarity"),
    [
        (QUEUE, "Time to first token jumps", (1,), "symptom", "stated"),
        (QUEUE, "num_requests_waiting", (2,), "diagnostic-step", "advised"),
        (QUEUE, "Raised --max-num-seqs", (2, 4, 5), "fix", "no-effect"),
        (QUEUE, "Lowering --max-model-len", (3, 5), "fix", "worked"),
        (QUEUE, "preemption", (4,), "diagnostic-step", "advised"),
        (QUEUE, "Prefix caching", (5,), "cause", "denied"),
        (LAYERS, "I get 4 t/s", (1,), "symptom", "stated"),
        (LAYERS, "most layers run on the CPU", (2,), "fact", "stated"),
        (LAYERS, "offloaded 41/41", (2,), "diagnostic-step", "advised"),
        (LAYERS, "CUDA out of memory", (3,), "symptom", "stated"),
        (LAYERS, "Lower the context", (4,), "fix", "advised"),
        (LAYERS, "--cache-type-k", (4,), "fix", "advised"),
        (LAYERS, "should reach", (4,), "number", "stated"),
        (LAYERS, "built with CUDA", (5,), "diagnostic-step", "advised"),
        (LAYERS, "works now", (6,), "fact", "worked"),
        (LAYERS, "Rebuilding", (6,), "fix", "denied"),
        (OLLAMA, "每秒只有", (0,), "symptom", "stated"),
        (OLLAMA, "显存放不下", (1, 5), "fact", "stated"),
        (OLLAMA, "一部分层", (1, 5), "fact", "stated"),
        (OLLAMA, "ollama ps 看看", (1,), "diagnostic-step", "advised"),
        (OLLAMA, "换个 14b", (2,), "fix", "advised"),
        (OLLAMA, "改回 8192", (3,), "fix", "worked"),
        (OLLAMA, "OLLAMA_FLASH_ATTENTION", (5,), "fix", "advised"),
    ],
)
def test_a_line_says_what_is_stated_how_and_by_whom(text, words, posts, kind, polarity):
    found = line(text, words)
    assert (found.posts, found.kind, found.polarity) == (posts, kind, polarity)


@pytest.mark.parametrize(
    ("text", "words", "claim"),
    [
        (QUEUE, "Raised --max-num-seqs", "K-1"),
        (QUEUE, "Lowering --max-model-len", "K-2"),
        (QUEUE, "Prefix caching", "K-3"),
        (OLLAMA, "OLLAMA_FLASH_ATTENTION", "K-4"),
        (LAYERS, "built with CUDA", ""),
        (OLLAMA, "换个 14b", ""),
    ],
)
def test_a_line_is_a_known_claim_or_new(text, words, claim):
    assert line(text, words).claim == claim


def test_what_is_known_to_be_wrong_is_marked():
    assert {one.claim for one in digest(QUEUE).lines if one.is_known_wrong} == {"K-3"}
    assert {one.claim for one in digest(OLLAMA).lines if one.is_known_wrong} == {"K-4"}


def test_a_line_names_the_entry_of_its_claim():
    assert line(QUEUE, "Raised --max-num-seqs").entry == "max-num-seqs-low"


def test_a_new_line_names_the_entry_whose_words_it_uses():
    assert line(OLLAMA, "一部分层").entry == "cpu-offload"


def test_flags_and_figures_are_those_of_all_who_say_it():
    found = line(QUEUE, "Lowering --max-model-len")
    assert found.flags == ("--max-model-len",)
    assert {"16384", "400 ms"} <= set(found.numbers)


@pytest.mark.parametrize("text", [QUEUE, LAYERS, OLLAMA])
def test_every_place_is_words_of_its_post(text):
    read = digest(text)
    texts = {post.number: post.text for post in read.posts}
    for one in read.lines:
        quotes = [texts[place.post][place.start : place.end] for place in one.said]
        assert one.statement in quotes
        assert all(quote.strip() == quote and quote for quote in quotes)


@pytest.mark.parametrize("text", [QUEUE, LAYERS, OLLAMA])
def test_what_most_posts_say_comes_first(text):
    counts = [len(one.posts) for one in digest(text).lines]
    assert counts == sorted(counts, reverse=True)


def test_a_post_that_says_it_twice_counts_once():
    read = distil(
        "#1 a\nCheck the PCIe link. Really, check the PCIe link.\n#2 b\nCheck the PCIe link.", knowledge(), ()
    )
    assert [one.posts for one in read.lines if "PCIe" in one.statement] == [(1, 2)]


def test_the_same_words_are_one_line_however_few():
    read = distil("#1 a\nThe GPU.\n#2 b\nThe GPU.", knowledge(), ())
    assert [one.posts for one in read.lines] == [(1, 2)]


def test_what_is_no_prose_ends():
    for text in ("x" + " " * 50_000 + "x", "," * 50_000, "gpu\n" * 5_000, "(" * 50_000, "中" * 50_000, "--a-" * 10_000):
        assert len(distil(text, knowledge(), CLAIMS).posts) == 1


def test_what_points_the_other_way_is_not_the_claim():
    read = distil("把 --max-num-seqs 调小。", knowledge(), CLAIMS)
    assert "K-1" not in {one.claim for one in read.lines}


@pytest.mark.parametrize("text", ["a" * (MAX_CHARS + 1), "slow\n\n" * (MAX_POSTS + 1)])
def test_what_is_too_long_is_refused_with_what_to_do(text):
    with pytest.raises(TooLong, match="in parts") as refused:
        distil(text, knowledge(), ())
    assert "分几次" in refused.value.zh


@pytest.mark.parametrize("text", ["", "\n\n", "!!!", "谢谢楼主！"])
def test_a_text_that_states_nothing_has_no_lines(text):
    assert distil(text, knowledge(), CLAIMS).lines == ()
