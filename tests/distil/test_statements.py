import pytest

from kb.distil.digest import Post
from kb.distil.statements import clauses, flags, kind, numbers, polarity
from kb.distil.units import units


def stated(text):
    """The statements of a post."""
    post = Post(1, "", 0, len(text), text)
    return [text[unit[0].start : unit[-1].end] for unit in units(clauses(post))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("检查一下驱动版本", "diagnostic-step"),
        ("Check the driver version", "diagnostic-step"),
        ("换成 FP8 试试看速度", "diagnostic-step"),
        ("把 --max-num-seqs 调到 64", "fix"),
        ("You can lower the context to 8192", "fix"),
        ("大概率是驱动太旧导致的", "cause"),
        ("The bottleneck is the PCIe link", "cause"),
        ("这张卡正常应该有 80 tok/s", "number"),
        ("An 8B should reach about 80 tok/s", "number"),
        ("每秒只有 3 个字", "symptom"),
        ("The server hangs after an hour", "symptom"),
        ("KV cache 按块分配", "fact"),
    ],
)
def test_a_statement_has_a_kind(text, expected):
    assert kind(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("把上下文改回 8192 就正常了", "worked"),
        ("Rebuilding with CUDA fixed it for me", "worked"),
        ("改成 4096 没什么效果", "no-effect"),
        ("Raised it to 256, no difference", "no-effect"),
        ("不是显存的问题", "denied"),
        ("The driver was not the problem", "denied"),
        ("把上下文改成 8192", "advised"),
        ("Set the context to 8192", "advised"),
        ("KV cache 按块分配", "stated"),
    ],
)
def test_a_statement_is_advised_reported_or_denied(text, expected):
    assert polarity(text, kind(text)) == expected


def test_a_flag_has_one_spelling():
    assert flags("max_num_seqs 和 --max-num-seqs，设置OMP_NUM_THREADS=8，再加 -ngl 99") == (
        "--max-num-seqs", "OMP_NUM_THREADS", "-ngl",
    )  # fmt: skip


def test_the_name_of_a_quantization_is_no_flag():
    assert flags("a 13B in Q4_K_M") == ()


def test_figures_keep_their_units_and_names_of_cards_are_none():
    assert numbers("4090 上 7B 有 40-60 tok/s，占 14GB，设为 8192") == ("40-60 tok/s", "14 GB", "8192")


def test_what_is_quoted_logged_or_code_is_not_said_by_the_post():
    assert stated(
        "> Check the driver.\n2025-05-04 10:11:12 INFO engine started\n```\nvllm serve model\n```\nCheck the PCIe link."
    ) == ["Check the PCIe link"]


def test_a_condition_stays_with_what_follows_from_it():
    assert stated("如果 GPU 利用率很低，那说明瓶颈在 CPU。换个驱动。") == [
        "如果 GPU 利用率很低，那说明瓶颈在 CPU",
        "换个驱动",
    ]


def test_one_sentence_may_state_two_things():
    assert stated("建议升级驱动，另外检查一下显卡温度") == ["建议升级驱动", "另外检查一下显卡温度"]


def test_what_came_of_a_change_stays_with_it():
    assert stated("Set -ngl 99, that was it for me.") == ["Set -ngl 99, that was it for me"]


def test_talk_is_left_out():
    assert stated("Thanks a lot! Hope you get well soon. 希望能帮到你，加油！") == []


def test_a_speed_in_front_is_no_time_stamp():
    assert stated("正常能到 40-60 tok/s，检查驱动") == ["正常能到 40-60 tok/s", "检查驱动"]
