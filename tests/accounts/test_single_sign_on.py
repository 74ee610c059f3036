"""Signing in at the OpenID provider of the team, against a real one on a loopback port."""

import httpx
import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from infermary.single_sign_on import single_sign_on
from tests.accounts import provider as providers
from tests.accounts.conftest import PASSWORD
from tests.accounts.test_signing_in import SIGN_IN, signed_in, sound, who


@pytest.fixture
def provider(db, settings):
    with providers.running() as started:
        named = {
            "ISSUER": started.url,
            "CLIENT_ID": providers.CLIENT,
            "CLIENT_SECRET": providers.SECRET,
            "NAME": "Acme",
        }
        settings.OIDC = named
        settings.SOCIALACCOUNT_PROVIDERS = single_sign_on(named)
        yield started


def way_in(browser, path=SIGN_IN):
    page = BeautifulSoup(browser.get(path).content, "html.parser")
    return next(form["action"] for form in page.select("main form") if "Acme" in form.text)


def to_the_provider(browser, path=SIGN_IN):
    """The address to which the page in between sends a browser, after a click on the button."""
    page = BeautifulSoup(browser.post(way_in(browser, path)).content, "html.parser")
    return page.find("meta", {"http-equiv": "refresh"})["content"].removeprefix("0;url=")


def through(browser, path=SIGN_IN):
    """To the provider and back."""
    back = httpx.get(to_the_provider(browser, path)).headers["Location"]
    assert back.startswith("http://testserver/accounts/oidc/sso/callback/")
    return browser.get(back.removeprefix("http://testserver"), follow=True)


def english():
    return Client(headers={"accept-language": "en"})


def test_whoever_the_provider_knows_has_an_account(provider):
    browser = english()
    assert through(browser).status_code == 200
    assert who(browser) == "erin reader Sign out"
    again = english()
    through(again)
    assert who(again) == "erin reader Sign out"
    assert User.objects.get(username="erin").email == "erin@example.org"


def test_one_comes_back_to_where_one_wanted_to_go(provider):
    browser = english()
    assert through(browser, f"{SIGN_IN}?next=/claims/").redirect_chain[-1][0] == "/claims/"


def test_the_provider_gives_nobody_the_account_of_another(provider, alice):
    """Neither by the name nor by an address that it calls verified."""
    provider.claims |= {"preferred_username": "alice", "email": "alice@example.org", "email_verified": True}
    browser = english()
    page = through(browser)
    assert who(browser) == "Sign in" or not who(browser).startswith("alice ")
    assert sound(page, "en")
    assert not alice.socialaccount_set.exists()


def test_who_is_signed_in_connects_both_ways(provider, alice):
    browser, _ = signed_in("alice")
    assert through(browser, "/accounts/sso/").redirect_chain[-1][0] == "/accounts/sso/"
    other = english()
    through(other)
    assert who(other) == "alice curator Sign out"
    page = BeautifulSoup(browser.get("/accounts/sso/").content, "html.parser")
    browser.post("/accounts/sso/", {"account": page.select_one("main input[type=radio]")["value"]})
    assert not alice.socialaccount_set.exists()


def test_the_local_operator_is_not_connected_to_whoever_signs_in(provider, settings):
    settings.LOCAL_OPERATOR = True
    operator = User.objects.create_user("local-operator")
    browser = english()
    through(browser)
    assert who(browser) == "erin reader Sign out"
    assert not operator.socialaccount_set.exists()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_foreign_page_cannot_start_it(provider, alice, language):
    """A link only leads to a page with a button, and a form of another site has no token."""
    browser, _ = signed_in("alice", browser=Client(headers={"accept-language": language}, enforce_csrf_checks=False))
    for address in ("/accounts/oidc/sso/login/", "/accounts/oidc/sso/login/?process=connect"):
        page = sound(browser.get(address), language)
        assert page.select_one("main form input[name=csrfmiddlewaretoken]")
        browser.handler.enforce_csrf_checks = True
        assert browser.post(address).status_code == 403
        browser.handler.enforce_csrf_checks = False


def test_an_answer_that_nobody_asked_for_signs_nobody_in(provider):
    browser = english()
    back = httpx.get(to_the_provider(browser)).headers["Location"].removeprefix("http://testserver")
    assert sound(english().get(back), "en").find(string="The sign-in service did not work")
    changed = browser.get(back.replace("state=", "state=x"))
    assert "did not work" in changed.content.decode() and who(browser) == "Sign in"


def test_a_wrong_secret_signs_nobody_in(provider, settings):
    settings.SOCIALACCOUNT_PROVIDERS = single_sign_on(settings.OIDC | {"CLIENT_SECRET": "guessed"})
    browser = english()
    assert "did not work" in through(browser).content.decode()
    assert who(browser) == "Sign in"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_whoever_calls_it_off_is_told_so(provider, language):
    provider.refuses = True
    browser = Client(headers={"accept-language": language})
    page = through(browser)
    assert ("called off" in page.content.decode()) == (language == "en")
    sound(page, language)


def test_a_provider_that_does_not_answer_is_a_page_not_a_crash(db, settings, alice):
    settings.SOCIALACCOUNT_PROVIDERS = single_sign_on(
        {"ISSUER": "http://127.0.0.1:9", "CLIENT_ID": "x", "CLIENT_SECRET": "y", "NAME": "Acme"}
    )
    browser = english()
    answer = browser.post(way_in(browser))
    assert answer.status_code == 502 and "could not be reached" in answer.content.decode()
    signed_in("alice", PASSWORD, browser)
    assert who(browser) == "alice curator Sign out"


def test_without_a_provider_there_is_no_button(db):
    assert "/accounts/oidc/" not in english().get(SIGN_IN).content.decode()
    assert english().get("/accounts/oidc/sso/login/").status_code == 404


def test_half_a_provider_is_told_at_the_start(settings):
    settings.OIDC = {"ISSUER": "http://127.0.0.1:9", "CLIENT_ID": "", "CLIENT_SECRET": "", "NAME": ""}
    with pytest.raises(Exception, match="OIDC_CLIENT_ID and OIDC_CLIENT_SECRET"):
        call_command("check")
