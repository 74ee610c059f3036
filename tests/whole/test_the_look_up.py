"""Looking up in a real browser: results while typing, the keyboard alone, the words kept where nothing is found."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def typed(page: Page, url: str, words: str) -> None:
    page.goto(url + "/search/")
    page.keyboard.type(words)  # the box has the focus


def test_results_come_while_typing_and_the_keyboard_opens_one(embedded, page):
    typed(page, embedded.url, "掉卡 preemtion")
    hits = page.locator("[data-hit]")
    expect(hits.first).to_be_visible(timeout=20_000)
    expect(page.locator("#results")).to_contain_text("preemtion →")
    assert "q=%E6%8E%89%E5%8D%A1" in page.url, "the address can be shared"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(hits.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    address = hits.first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")


def test_a_filter_acts_at_once_and_stands_in_the_address(embedded, page):
    typed(page, embedded.url, "throttle")
    expect(page.locator("[data-hit]").first).to_be_visible(timeout=20_000)
    page.select_option("select[name=what]", "claim")
    page.wait_for_url("**what=claim")
    expect(page.locator("#results li .tag", has_text="病因")).to_have_count(0)


def test_words_that_are_nowhere_go_along_to_the_box(embedded, page):
    typed(page, embedded.url, "zzqqx")
    page.click("#results .empty a.button", timeout=20_000)
    expect(page.locator("#text")).to_have_value("zzqqx")
