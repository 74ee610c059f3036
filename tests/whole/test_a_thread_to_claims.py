"""A thread is pasted in a real browser, its lines are decided, and the claims page shows what came of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

# Made up; the first advice is a shipped claim in other words, the others are nobody's yet.
THREAD = """1楼 小周
两张 L40S 用 vLLM 跑 7B GPTQ，只有 3 tok/s，加载要两分钟。

2楼 阿明
检查一下是不是启用了 CPU offload。

3楼 lily
同意楼上，检查一下是不是启用了 CPU offload。建议把机箱侧板打开再测一次速度。

4楼 老吴
换一根转接线试试，我换了以后速度翻倍。
"""


@pytest.fixture
def digest(embedded, page) -> Page:
    """The page of the digest that the thread became."""
    page.goto(f"{embedded.url}/claims/")
    page.click("text=拆解另一个帖子")
    page.fill("#title", "两张 L40S 很慢")
    page.fill("#source", "example/forum#9")
    page.fill("#text", THREAD)
    page.click("text=开始拆解")
    page.wait_for_url("**/distil/*/")
    return page


def line(page: Page, words: str):
    """The line of the digest that says it; found by its id from then on, as its words may change."""
    found = page.locator(".digest-line", has=page.locator(".digest-says", has_text=words)).first
    return page.locator(f"#{found.get_attribute('id')}")


def test_a_thread_goes_from_paste_to_claims(embedded, digest):
    page = digest
    expect(page.locator(".post")).to_have_count(4)
    expect(page.locator("mark").first).to_be_visible()
    known, edited, rejected = line(page, "CPU offload"), line(page, "转接线"), line(page, "侧板")
    expect(known).to_contain_text("4 楼中的 2 楼")
    expect(known).to_contain_text("已知")
    key = known.locator("a[href^='/claims/']").get_attribute("href")

    known.get_by_role("button", name="接受").click()
    expect(known).to_contain_text("已接受")

    edited.get_by_role("link", name="编辑").click()
    edited.get_by_label("说法 (zh)").fill("换掉转接线后速度翻倍。")
    edited.get_by_label("说法 (en)").fill("Replacing the riser cable doubles the speed.")
    edited.get_by_role("button", name="照此接受").click()
    expect(edited).to_contain_text("改后接受")

    before = page.locator("#progress").inner_text()
    rejected.get_by_role("button", name="不采纳").click()
    expect(rejected).to_contain_text("未采纳")
    assert page.locator("#progress").inner_text() != before

    page.goto(f"{embedded.url}{key}")
    expect(page.locator("main")).to_contain_text("example/forum#9")
    page.goto(f"{embedded.url}/claims/")
    page.locator("a.card-link", has_text="两张 L40S 很慢").click()
    expect(page.locator(".claim")).to_have_count(1)
    expect(page.locator(".claim")).to_contain_text("换掉转接线后速度翻倍。")
    expect(page.locator(".claim")).to_contain_text("尚未核实。")


def test_the_lines_are_decided_without_a_script(embedded, digest, browser):
    address = digest.url
    context = browser.new_context(locale="zh-CN", java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    last = line(page, "转接线")
    last.get_by_role("button", name="不采纳").click()
    expect(last).to_contain_text("未采纳")
    last.get_by_role("button", name="撤回").click()
    last.get_by_role("link", name="编辑").click()
    page.get_by_label("说法 (zh)").fill("转接线会拖慢速度。")
    page.get_by_role("button", name="照此接受").click()
    expect(last).to_contain_text("转接线会拖慢速度。")
    context.close()
