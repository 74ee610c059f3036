"""A closed site of a team: a reporter writes an entry, a curator publishes it and takes an edit back, a reader reads.

Real browser, site and OpenID provider; everybody comes in through the sign-in page.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.accounts import provider as providers
from tests.whole.clinic import Clinic, clinic

PASSWORD = "four-winds-7"
SLUG = "fan-switched-off"
ENTRY = f"/entries/{SLUG}/"
TITLE = "The fan is switched off"

TEXTS = {
    "slug": SLUG, "title.en": TITLE, "title.zh": "风扇没有开", "summary.en": "Without its fan the card grows hot and slow.",
    "summary.zh": "风扇不转，显卡发热降频。", "mechanism.en": "Heat lowers the clock.", "mechanism.zh": "温度升高使频率下降。",
    "phrases.en": "the fan stands still\nslow after minutes\nno air at the card",
    "phrases.zh": "风扇不转\n几分钟后变慢\n显卡没有风",
    "fixes.0.id": "switch-on", "fixes.0.title.en": "Switch the fan on", "fixes.0.title.zh": "打开风扇",
    "fixes.0.steps.en": "Press the switch.", "fixes.0.steps.zh": "按下开关。",
    "fixes.0.effect.text.en": "Full clock again.", "fixes.0.effect.text.zh": "频率恢复。", "fixes.0.minutes": "5",
    "fixes.0.verify.en": "Read the clock.", "fixes.0.verify.zh": "读取频率。",
    "fixes.0.undo.en": "Press it again.", "fixes.0.undo.zh": "再按一次。",
    "sources.0.id": "seen", "sources.0.ref": "manual of the fan", "sources.0.says.en": "It cools.", "sources.0.says.zh": "它散热。",
    "examples.0.symptom": "The fan stands still and it is slow.", "examples.1.symptom": "风扇不转，越来越慢。",
    "reason": "met twice this week",
}  # fmt: skip
CHOICES = {
    "kind": "slow", "frequency": "rare", "fixes.0.downtime": "none", "fixes.0.risk": "0", "fixes.0.grounds": "forum",
    "sources.0.kind": "vendor", "examples.0.lang": "en", "examples.1.lang": "zh",
}  # fmt: skip


@pytest.fixture(scope="module")
def team(tmp_path_factory) -> Iterator[tuple[Clinic, providers.Provider]]:
    """A site that nobody reads without an account, with single sign-on and three accounts with passwords."""
    with providers.running() as acme:
        settings = {
            "LOCAL_OPERATOR": "0", "PUBLIC_READING": "0", "OIDC_ISSUER": acme.url, "OIDC_CLIENT_ID": providers.CLIENT,
            "OIDC_CLIENT_SECRET": providers.SECRET, "OIDC_NAME": "Acme",
        }  # fmt: skip
        with clinic(tmp_path_factory.mktemp("team"), **settings) as started:
            for name, role in (("ada", "administrator"), ("bob", "reporter"), ("rita", "reader")):
                made = f"from django.contrib.auth.models import User; User.objects.create_user({name!r}, password={PASSWORD!r})"
                started.manage("shell", "-c", made)
                started.manage("grant_role", name, role)
            yield started, acme


@pytest.fixture
def window(browser: Browser) -> Iterator:
    """Opens a browser of its own for each person."""
    contexts = []

    def opened() -> Page:
        contexts.append(browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900}))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()


def sign_in(page: Page, name: str) -> None:
    page.fill("[name=login]", name)
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator(".who")).to_contain_text(name)


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details.form-row').forEach(row => row.open = true)")


def write(page: Page, url: str) -> None:
    """A whole new entry, typed into the form."""
    page.goto(f"{url}/drafts/new/edit/")
    unfold(page)
    page.locator('button[name=remove][value="rules.0"]').click()
    page.locator('button[name=remove][value="rules.0"]').wait_for(state="detached")
    unfold(page)
    for name, text in TEXTS.items():
        page.locator(f'[name="{name}"]').fill(text)
    for name, value in CHOICES.items():
        page.locator(f'select[name="{name}"]').select_option(value)
    page.locator('[name="symptoms_of"][value="slow"]').check()
    page.get_by_role("button", name="Save the draft").click()


def comes_in_by_single_sign_on(carol: Page, ada: Page, url: str) -> None:
    """From the provider of the team, as a reader; the administrator makes her a curator."""
    carol.goto(f"{url}/claims/")
    carol.get_by_role("button", name="Sign in with Acme").click()
    carol.wait_for_url("**/claims/")
    expect(carol.locator(".who")).to_contain_text("carol reader")
    ada.goto(f"{url}/people/")
    sign_in(ada, "ada")
    row = ada.locator("tr", has_text="carol")
    row.locator("select").select_option("curator")
    row.get_by_role("button", name="Change").click()
    expect(ada.locator("main")).to_contain_text("carol is curator now")


def publish(carol: Page, bob: Page, shows: str) -> None:
    """Bob sends the draft that he sees to review; Carol finds it in the queue."""
    expect(bob.get_by_role("button", name="Publish")).to_have_count(0)
    bob.get_by_role("button", name="Send to review").click()
    carol.goto(bob.url)
    expect(carol.locator("section[aria-labelledby=difference]")).to_contain_text(shows)
    carol.get_by_role("button", name="Publish").click()
    carol.wait_for_url(f"**{ENTRY}")


def restore_the_first(carol: Page, url: str) -> None:
    carol.goto(f"{url}{ENTRY}history/")
    carol.locator("#version").select_option(index=1)
    carol.locator("#why-restore").fill("the switch, after all")
    carol.get_by_role("button", name="Restore as the newest version").click()


def sign_out(page: Page) -> None:
    page.get_by_role("link", name="Sign out").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator(".who")).to_have_text("Sign in")


def test_an_entry_goes_from_draft_to_published_to_edited_to_restored(team, window):
    clinic, acme = team
    url = clinic.url
    acme.claims |= {"sub": "7", "preferred_username": "carol", "email": "carol@example.org"}
    carol, bob, rita = window(), window(), window()
    comes_in_by_single_sign_on(carol, window(), url)
    bob.goto(f"{url}/review/")
    sign_in(bob, "bob")
    expect(bob.locator("h1")).to_have_text("Drafts and reviews")
    rita.goto(url)
    sign_in(rita, "rita")

    write(bob, url)
    expect(bob.locator("h1")).to_have_text(TITLE)
    assert rita.goto(bob.url).status == 403
    assert rita.goto(url + ENTRY).status == 404
    publish(carol, bob, TITLE)
    assert rita.goto(url + ENTRY).status == 200
    expect(rita.locator("h1")).to_contain_text(TITLE)
    assert rita.goto(f"{url}{ENTRY}edit/").status == 403

    bob.goto(f"{url}{ENTRY}edit/")
    bob.locator('[name="title.en"]').fill("The fan is broken")
    bob.locator("[name=reason]").fill("it was on")
    bob.get_by_role("button", name="Save the draft").click()
    publish(carol, bob, "The fan is broken")
    rita.goto(url + ENTRY)
    expect(rita.locator("h1")).to_contain_text("The fan is broken")

    restore_the_first(carol, url)
    rita.goto(f"{url}{ENTRY}history/")
    expect(rita.locator("h1")).to_contain_text(TITLE)
    restored, edited, first = rita.locator("section, form").locator("tbody tr").all_inner_texts()[:3]
    assert "carol" in restored and "the switch, after all" in restored
    assert "bob" in edited and "it was on" in edited
    assert "bob" in first and "met twice" in first
    expect(rita.get_by_role("button", name="Restore")).to_have_count(0)

    sign_out(rita)
    rita.goto(url + ENTRY)
    assert "/accounts/login/" in rita.url
