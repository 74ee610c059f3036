from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.engine.fixtures import mid_model, tiny_model, vllm  # noqa: F401
from tests.engine.serve import load, serving
from tests.services import servers
from tests.whole.clinic import Clinic, clinic


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        started = playwright.chromium.launch(executable_path=program, args=options)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A Chinese reader's page, which fails the test when a script fails."""
    context = browser.new_context(locale="zh-CN", viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    failures: list[str] = []
    opened.on("pageerror", lambda error: failures.append(str(error)))
    yield opened
    context.close()
    assert not failures


@pytest.fixture(scope="module")
def one_at_a_time(vllm, tiny_model, tmp_path_factory):  # noqa: F811
    """A vLLM that works on one request at a time, and four people who wait for it."""
    log = tmp_path_factory.mktemp("engine") / "log"
    flags = ("--max-num-seqs", "1")
    with (
        serving(vllm, tiny_model, log, *flags, VLLM_ENABLE_V1_MULTIPROCESSING="0") as server,
        load(server, streams=4, words=60, tokens=60),
    ):
        yield server


@pytest.fixture(scope="module")
def embedded(tmp_path_factory) -> Iterator[Clinic]:
    """SQLite and a folder as broker: what `make run` gives without any setting."""
    with clinic(tmp_path_factory.mktemp("embedded")) as started:
        yield started


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Clinic]:
    """PostgreSQL and Redis, by settings alone."""
    folder = tmp_path_factory.mktemp("served")
    for name in ("postgres", "redis", "var"):
        (folder / name).mkdir()
    with (
        servers.postgres(folder / "postgres") as database,
        servers.redis(folder / "redis") as redis,
        clinic(folder / "var", DATABASE_URL=database, REDIS_URL=redis) as started,
    ):
        yield started
