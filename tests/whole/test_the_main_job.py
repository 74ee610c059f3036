"""A symptom goes in, measured evidence and ranked fixes come out: real browser, site, worker and engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

ROOT = Path(__file__).parent.parent.parent
RUNS_END_S = 120


def opening(name: str) -> str:
    return (ROOT / "kb/examples" / name).read_text("utf-8").partition("\n")[2].strip()


def submit(page: Page, url: str, text: str) -> None:
    page.goto(url)
    page.fill("#text", text)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/case/**")


def run_the_checks(page: Page) -> None:
    page.get_by_role("button", name="运行检查").click()
    expect(page.locator("#runs .run")).to_have_count(5)
    # The fragment asks for itself again while a run is open, and stops when all have ended.
    expect(page.locator("#runs[hx-trigger]")).to_have_count(0, timeout=RUNS_END_S * 1000)


@pytest.mark.parametrize("kind", ["embedded", "served"])
def test_probes_on_a_worker_change_the_ranking_by_what_they_measured(kind, request, one_at_a_time, page):
    clinic = request.getfixturevalue(kind)
    submit(page, clinic.url, "vLLM 并发一上来就特别慢，首 token 要等很久")
    before = page.locator("#answer").inner_text()
    run_the_checks(page)
    expect(page.locator("#answer")).to_contain_text("并发序列上限太低", timeout=10_000)
    first = page.locator("#answer .cause").first
    expect(first).to_contain_text("并发序列上限太低")
    assert page.locator("#answer").inner_text() != before
    expect(page.locator("#history")).to_contain_text("→")


def test_thread_1_is_read_and_judged_on_the_page(embedded, page):
    submit(page, embedded.url, opening("1-gptq-two-cards.zh.txt"))
    understood = page.locator("#understood")
    for fact in ("RTX 3090", "gptq-int4", "2–3 tok/s"):
        expect(understood).to_contain_text(fact)
    expect(page.locator("section[aria-labelledby=normal]")).to_contain_text("1.1%")
    expect(page.locator("mark").first).to_be_visible()


def test_thread_2_leads_to_the_adapter_and_answers_fp16_on_24_gb(embedded, page):
    submit(page, embedded.url, opening("2-lora-int8.zh.txt"))
    expect(page.locator("#answer .cause").first).to_contain_text("LoRA")
    expect(page.locator("section[aria-labelledby=normal]")).to_contain_text("32768")


def test_a_fact_that_is_removed_changes_the_answer_and_can_be_restored(embedded, page):
    submit(page, embedded.url, opening("1-gptq-two-cards.zh.txt"))
    normal = page.locator("section[aria-labelledby=normal]").inner_text()
    chip = page.locator("#understood .chip-edit", has_text="RTX 3090").first
    chip.locator("summary").click()
    chip.locator("button", has_text="移除").click()
    page.wait_for_load_state()
    assert page.locator("section[aria-labelledby=normal]").inner_text() != normal


def test_a_run_can_be_cancelled_while_it_works(embedded, one_at_a_time, page):
    submit(page, embedded.url, "vllm is slow with many users")
    page.get_by_role("button", name="运行检查").click()
    # Its window of ten seconds leaves time to cancel it.
    page.locator("#runs .run", has_text="引擎指标").locator("button", has_text="取消").click()
    page.wait_for_load_state()
    expect(page.locator("main")).to_contain_text("已取消", timeout=30_000)


def test_the_report_can_be_copied_as_markdown(embedded, page):
    submit(page, embedded.url, opening("2-lora-int8.zh.txt"))
    page.click("text=复制为 Markdown")
    expect(page.locator("text=已复制")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "RTX 4090" in copied and "LoRA" in copied


def test_the_host_page_shows_what_the_checks_found(embedded, one_at_a_time, page):
    page.goto(f"{embedded.url}/hosts/")
    page.locator("main a[href^='/hosts/']").first.click()
    expect(page.locator("main")).to_contain_text("vllm")
    expect(page.locator("main")).to_contain_text(one_at_a_time.address)


def test_ctrl_c_left_no_message_unread(embedded):
    """Nothing piles up in the broker's folder while everything works."""
    waiting = list((Path(embedded.environment["INFERMARY_VAR"]) / "broker/messages").glob("*"))
    assert len(waiting) < 20, json.dumps([path.name for path in waiting[:5]])
