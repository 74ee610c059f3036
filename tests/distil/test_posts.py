import pytest

from kb.distil.posts import posts

FLOORS = """Slow again
1楼 老周
卡住了。
2楼
2025-03-01
换个版本。
5楼 小鹿
没用。
"""
GITHUB = """rivera42 opened this issue on May 4, 2025
It is slow.

hmori commented on May 5, 2025
Contributor
Look at the queue.

patel-dev commented 3 days ago
Same here.
"""
GITHUB_NEW = """kestrel
on Feb 3, 2025
It is slow.

moth
on Feb 4, 2025
Look at the queue.
"""
HASHES = """#1 mira
It is slow.

#2 jon
Look at the queue.
"""
MAILS = """It is slow.

On Mon, 3 Mar 2025 at 10:12, Ada King <ada@example.org> wrote:
Look at the queue.

On Tue, 4 Mar 2025 at 09:00, Bo Li <bo@example.org> wrote:
Same here.
"""
DOTS = """mira · 3 days ago
It is slow.

jon · 2 days ago
Look at the queue.
"""
RULES = """It is slow.
---
Look at the queue.
---
Same here.
"""
BLOCKS = """It is slow.
Very slow.

Look at the queue.


Same here.
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FLOORS, [(0, "", "Slow again"), (1, "老周", "卡住了。"), (2, "", "2025-03-01\n换个版本。"), (5, "小鹿", "没用。")]),
        (GITHUB, [(1, "rivera42", "It is slow."), (2, "hmori", "Contributor\nLook at the queue."), (3, "patel-dev", "Same here.")]),
        (GITHUB_NEW, [(1, "kestrel", "It is slow."), (2, "moth", "Look at the queue.")]),
        (HASHES, [(1, "mira", "It is slow."), (2, "jon", "Look at the queue.")]),
        (MAILS, [(1, "", "It is slow."), (2, "Ada King", "Look at the queue."), (3, "Bo Li", "Same here.")]),
        (DOTS, [(1, "mira", "It is slow."), (2, "jon", "Look at the queue.")]),
        (RULES, [(1, "", "It is slow."), (2, "", "Look at the queue."), (3, "", "Same here.")]),
        (BLOCKS, [(1, "", "It is slow.\nVery slow."), (2, "", "Look at the queue."), (3, "", "Same here.")]),
    ],
    ids=["floors", "issue", "discussion", "hashes", "mails", "dots", "rules", "blocks"],
)  # fmt: skip
def test_posts_are_told_apart_however_they_are_marked(text, expected):
    assert [(post.number, post.author, post.text) for post in posts(text)] == expected


@pytest.mark.parametrize("text", [FLOORS, GITHUB, HASHES, MAILS, BLOCKS])
def test_a_post_is_the_characters_of_the_thread_that_it_names(text):
    assert all(text[post.start : post.end] == post.text for post in posts(text))


def test_numbers_that_do_not_rise_are_counted_anew():
    assert [post.number for post in posts("#7 a\nslow\n#7 b\nslow\n#3 c\nslow")] == [1, 2, 3]


def test_the_opening_post_stands_before_the_second_floor():
    assert [(post.number, post.text) for post in posts("卡住了。\n2楼\n换个版本。\n3楼\n没用。")] == [
        (1, "卡住了。"), (2, "换个版本。"), (3, "没用。"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "   \n\n ", "one post"])
def test_a_text_without_marks_is_as_many_posts_as_it_has_blocks(text):
    assert len(posts(text)) == bool(text.strip())
