"""One door: sign in, sign out, change and reset a password, in both languages, with the attempts counted."""

import re

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from kb import local_operator
from kb.models import Case
from tests.accounts.conftest import PASSWORD

SIGN_IN = "/accounts/login/"


def signed_in(name=None, password=PASSWORD, browser=None):
    browser = browser or Client(headers={"accept-language": "en"})
    answer = browser.post(SIGN_IN, {"login": name, "password": password})
    return browser, answer


def who(browser):
    page = BeautifulSoup(browser.get("/help/").content, "html.parser")
    return page.select_one(".who").get_text(" ", strip=True)


@pytest.mark.parametrize("name", ["alice", "alice@example.org"])
def test_a_person_signs_in_with_name_or_address_and_out_again(alice, name):
    browser, answer = signed_in(name)
    assert answer.status_code == 302
    assert who(browser) == "alice curator Sign out"
    assert browser.get("/accounts/logout/").status_code == 200
    browser.post("/accounts/logout/")
    assert who(browser) == "Sign in"


def test_after_signing_in_one_is_where_one_wanted_to_go_and_nowhere_else(alice):
    browser = Client()
    own = browser.post(f"{SIGN_IN}?next=/review/", {"login": "alice", "password": PASSWORD, "next": "/review/"})
    assert own["Location"] == "/review/"
    foreign = Client().post(SIGN_IN, {"login": "alice", "password": PASSWORD, "next": "https://elsewhere.example/"})
    assert foreign["Location"] == "/"


def test_a_wrong_password_says_the_same_as_an_unknown_name(alice):
    answers = [signed_in(name, "wrong")[1].content for name in ("alice", "nobody-here")]
    faults = [BeautifulSoup(answer, "html.parser").find(class_="notice-error").text.strip() for answer in answers]
    assert faults[0] == faults[1] != ""


def test_an_account_that_is_switched_off_lets_nobody_in(alice):
    inside, _ = signed_in("alice")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    browser, _ = signed_in("alice")
    assert who(browser) == who(inside) == "Sign in"


def test_guessing_is_stopped(alice):
    browser = Client(headers={"accept-language": "en"})
    for _ in range(5):
        signed_in("alice", "wrong", browser)
    _, answer = signed_in("alice", PASSWORD, browser)
    assert answer.status_code == 200 and "Too many failed login attempts" in answer.content.decode()
    assert who(browser) == "Sign in"


def test_a_storm_of_requests_gets_the_page_that_says_so(alice):
    browser = Client(headers={"accept-language": "zh"})
    answers = [browser.post(SIGN_IN, {"login": f"n{i}", "password": "x"}) for i in range(31)]
    assert answers[-1].status_code == 429 and "尝试次数过多" in answers[-1].content.decode()


def test_the_administration_has_no_door_of_its_own(alice, admin_user):
    answer = Client().get("/admin/")
    assert "/admin/login/" in answer["Location"]
    assert Client().get(answer["Location"])["Location"].startswith(SIGN_IN)
    posted = Client().post("/admin/login/", {"username": "admin", "password": "password"})
    assert posted["Location"].startswith(SIGN_IN)
    browser, _ = signed_in("alice")
    assert browser.get("/admin/login/").status_code == 403


def test_a_password_is_changed_by_whoever_knows_the_old_one(alice):
    browser, _ = signed_in("alice")
    new = {"password1": "five-winds-8", "password2": "five-winds-8"}
    browser.post("/accounts/password/change/", new | {"oldpassword": "wrong"})
    assert User.objects.get(username="alice").check_password(PASSWORD)
    browser.post("/accounts/password/change/", new | {"oldpassword": PASSWORD})
    assert User.objects.get(username="alice").check_password("five-winds-8")
    assert who(browser) == "alice curator Sign out"


def test_a_weak_password_is_refused(alice):
    browser, _ = signed_in("alice")
    browser.post(
        "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": "12345678", "password2": "12345678"}
    )
    assert User.objects.get(username="alice").check_password(PASSWORD)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_forgotten_password_is_set_anew_by_a_link_that_works_once(alice, language):
    browser = Client(headers={"accept-language": language})
    sent = browser.post("/accounts/password/reset/", {"email": "alice@example.org"}, follow=True)
    assert sent.status_code == 200
    (letter,) = mail.outbox
    assert ("new password" in letter.body) == (language == "en") and letter.to == ["alice@example.org"]
    link = re.search(r"http://testserver(/\S+)", letter.body).group(1)
    form = browser.get(link, follow=True)
    where = form.redirect_chain[-1][0]
    done = browser.post(where, {"password1": "six-winds-9", "password2": "six-winds-9"}, follow=True)
    assert done.status_code == 200
    assert User.objects.get(username="alice").check_password("six-winds-9")
    again = Client(headers={"accept-language": "en"}).get(link, follow=True)
    assert "does not work any more" in again.content.decode()


def test_an_unknown_address_gets_no_letter_and_the_same_answer(alice):
    known, unknown = (
        Client().post("/accounts/password/reset/", {"email": address})
        for address in ("alice@example.org", "x@example.org")
    )
    assert known["Location"] == unknown["Location"]
    assert [letter.to for letter in mail.outbox] == [["alice@example.org"]]


def test_without_mail_the_page_says_whom_to_ask(db, settings, client):
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    page = client.get("/accounts/password/reset/", headers={"accept-language": "en"}).content.decode()
    assert "Ask its administrator" in page and 'name="email"' not in page


def test_nobody_makes_an_account_unless_the_site_allows_it(db, settings):
    new = {"username": "frank", "password1": PASSWORD, "password2": PASSWORD}
    closed = Client(headers={"accept-language": "en"}).post("/accounts/signup/", new)
    assert "No sign-up here" in closed.content.decode() and not User.objects.filter(username="frank").exists()
    assert "/accounts/signup/" not in Client().get(SIGN_IN).content.decode()
    settings.SIGN_UP = True
    browser = Client(headers={"accept-language": "en"})
    assert "/accounts/signup/" in browser.get(SIGN_IN).content.decode()
    assert browser.post("/accounts/signup/", new).status_code == 302
    assert who(browser) == "frank reader Sign out"


def test_nobody_takes_the_name_of_the_local_operator(db, settings, client):
    settings.SIGN_UP = True
    client.post("/accounts/signup/", {"username": local_operator.NAME, "password1": PASSWORD, "password2": PASSWORD})
    assert not User.objects.filter(username=local_operator.NAME).exists()


def test_what_was_submitted_before_signing_in_goes_along(alice):
    browser = Client()
    case = Case.objects.get(token=browser.post("/", {"text": "7B on one 4090: 2 tok/s"})["Location"].split("/")[2])
    stranger = Client()
    stranger.post("/", {"text": "another case"})
    signed_in("alice", browser=browser)
    case.refresh_from_db()
    assert case.owner == alice
    assert list(Case.objects.filter(owner=alice)) == [case]


def test_the_local_operator_may_sign_in_as_somebody_else(alice, settings):
    settings.LOCAL_OPERATOR = True
    operator = User.objects.create_user(local_operator.NAME)
    browser = Client(headers={"accept-language": "en"})
    assert who(browser) == "local-operator reader Sign in"
    case = Case.objects.get(token=browser.post("/", {"text": "7B on one 4090: 2 tok/s"})["Location"].split("/")[2])
    signed_in("alice", browser=browser)
    assert who(browser) == "alice curator Sign out"
    case.refresh_from_db()
    assert case.owner == operator
    browser.post("/accounts/logout/")
    assert who(browser) == "local-operator reader Sign in"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nobody_makes_the_account_of_the_local_operator_theirs(db, settings, language):
    settings.LOCAL_OPERATOR = True
    User.objects.create_user(local_operator.NAME)
    browser = Client(headers={"accept-language": language})
    for path in ("password/set/", "password/change/", "sso/", "oidc/sso/login/?process=connect"):
        assert browser.get(f"/accounts/{path}").status_code == browser.post(f"/accounts/{path}").status_code == 403
    page = sound(browser.get("/accounts/"), language)
    assert not page.select('main a[href*="password"]')


def test_the_local_operator_is_nobody_from_elsewhere_or_with_the_switch_off(db, settings):
    settings.LOCAL_OPERATOR = True
    operator = User.objects.create_user(local_operator.NAME, password=PASSWORD)
    browser, _ = signed_in(local_operator.NAME)
    assert who(browser).startswith(local_operator.NAME)
    browser.defaults["REMOTE_ADDR"] = "203.0.113.9"
    assert who(browser) == "Sign in"
    settings.LOCAL_OPERATOR = False
    later = Client(headers={"accept-language": "en"})
    later.force_login(operator)
    assert who(later) == "Sign in"


def test_behind_a_proxy_each_address_has_its_own_attempts(alice, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1

    def knock(last: int) -> int:
        return Client(headers={"x-forwarded-for": f"203.0.113.{last}"}).post(SIGN_IN, {"login": "x"}).status_code

    assert {knock(7) for _ in range(30)} == {200}
    assert (knock(7), knock(8)) == (429, 200)


PAGES = ["login/", "signup/", "inactive/", "password/reset/", "password/reset/sent/", "password/reset/done/",
         "password/reset/a-b/", "sso/cancelled/", "sso/error/"]  # fmt: skip
OWN = ["", "logout/", "password/change/", "sso/"]
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def sound(response, language):
    page = BeautifulSoup(response.content, "html.parser")
    assert page.html["lang"] == {"en": "en", "zh": "zh-CN"}[language]
    assert len(page.find_all("h1")) == 1
    assert not page.find_all(style=True)
    labelled = {label.get("for") for label in page.find_all("label")}
    for field in page.select("main input, main select"):
        inside = field.find_parent("label") is not None
        assert field.get("type") == "hidden" or inside or field.get("id") in labelled, str(field)
    for text in page.select("main h1, main label, main button, main .lede, main .fault, main li"):
        assert bool(CHINESE.search(text.get_text())) == (language == "zh"), text
    return page


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("sign_up", [False, True])
def test_every_page_is_whole_in_both_languages(alice, settings, language, sign_up):
    settings.SIGN_UP = sign_up
    stranger = Client(headers={"accept-language": language})
    for path in PAGES:
        sound(stranger.get(f"/accounts/{path}"), language)
    browser, _ = signed_in("alice", browser=Client(headers={"accept-language": language}))
    for path in OWN:
        sound(browser.get(f"/accounts/{path}"), language)
        assert stranger.get(f"/accounts/{path}").status_code == 302
    wrong = {"oldpassword": "x", "password1": "1", "password2": "2"}
    page = sound(browser.post("/accounts/password/change/", wrong), language)
    assert page.select(".fault")
