"""Both opening posts through all the steps, in Chinese, with a real engine: `make story` fills docs/images/.

The engine is vLLM on the CPU, started with one sequence at a time while four people wait.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.engine.fixtures import make_model
from tests.engine.install_vllm import install
from tests.engine.serve import load, serving
from tests.whole.clinic import clinic

ROOT = Path(__file__).parent.parent
OUT = ROOT / "docs/images"
POSTS = {"thread-1": "1-gptq-two-cards", "thread-2": "2-lora-int8"}


def opened(browser: Browser, language: str = "zh", scheme: str = "light") -> Page:
    locale = "zh-CN" if language == "zh" else "en-US"
    size = {"width": 1280, "height": 860}
    return browser.new_context(locale=locale, color_scheme=scheme, viewport=size).new_page()


def submit(page: Page, url: str, name: str, language: str = "zh") -> None:
    text = (ROOT / f"kb/examples/{name}.{language}.txt").read_text("utf-8").partition("\n")[2].strip()
    page.goto(url)
    page.fill("#text", text)
    page.wait_for_selector("#recognised .chip", timeout=10_000)


def tell(page: Page, url: str, thread: str, name: str) -> None:
    """The box with what was recognised, the answer, the running checks, the answer after them."""
    submit(page, url, name)
    page.screenshot(path=OUT / f"{thread}-1-paste.png")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/case/**")
    page.screenshot(path=OUT / f"{thread}-2-answer.png", full_page=True)
    page.get_by_role("button", name="运行检查").click()
    page.wait_for_timeout(2500)
    page.screenshot(path=OUT / f"{thread}-3-running.png")
    expect(page.locator("#runs[hx-trigger]")).to_have_count(0, timeout=120_000)
    page.wait_for_timeout(1500)
    page.screenshot(path=OUT / f"{thread}-4-measured.png", full_page=True)


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp())
    vllm = install()
    model = make_model(vllm, folder / "tiny", "tiny", 8)
    with (
        serving(vllm, model, folder / "log", "--max-num-seqs", "1", VLLM_ENABLE_V1_MULTIPROCESSING="0") as server,
        load(server, streams=4, words=60, tokens=60),
        clinic(folder / "var") as started,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for thread, name in POSTS.items():
            tell(opened(browser), started.url, thread, name)
        for language in ("zh", "en"):
            page = opened(browser, language)
            submit(page, started.url, POSTS["thread-1"], language)
            page.keyboard.press("Control+Enter")
            page.wait_for_url("**/case/**")
            page.screenshot(path=OUT / f"case-{language}-light.png")
        browser.close()


if __name__ == "__main__":
    main()
