"""With PUBLIC_READING off, a stranger gets to the sign-in page and to nothing else, whatever address is tried."""

import os
import re
import subprocess
import sys
import uuid

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from kb.models import EntryVersion, Revision
from tests import cast
from tests.pages import samples

# The way in; whatever is not listed here must be closed.
OPEN = {
    "account_login", "account_logout", "account_signup", "account_inactive", "account_reset_password",
    "account_reset_password_done", "account_reset_password_from_key", "account_reset_password_from_key_done",
    "socialaccount_signup", "socialaccount_login_cancelled", "socialaccount_login_error", "openid_connect_login",
    "openid_connect_callback", "admin:login",
}  # fmt: skip


def addresses(resolver, prefix="", space=""):
    """Every (name, route) of the site, the administration's included."""
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from addresses(pattern, route, space + inner)
        elif isinstance(pattern, URLPattern):
            yield space + (pattern.name or ""), route


@pytest.fixture
def made(db, settings):
    """The rows that the addresses name, and the doors shut."""
    site = samples.site()
    Revision.objects.create(body={})
    settings.PUBLIC_READING = False
    return site


def filled(route, made):
    """A route with values that exist, so that an open door would be seen behind it."""
    case, run, host = made["case"], made["runs"][2], made["host"]
    values = {"token": case.token, "run_id": run.pk, "host_id": host.pk, "pk": Revision.objects.first().pk}
    values |= {"version": EntryVersion.objects.first().pk, "slug": "eager-mode", "key": "S1-02", "provider_id": "sso"}
    values |= {"uidb36": "a", "content_type_id": 1, "object_id": 1, "app_label": "kb", "url": "x"}

    def value(match):
        kind, _, name = match.group(1).rpartition(":")
        return str(values.get(name, uuid.uuid4() if kind == "uuid" else 1 if kind == "int" else "x"))

    path = re.sub(r"<([^>]+)>", value, re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<\1>", route))
    return "/" + path.replace("^", "").replace("$", "").replace("\\", "").replace("?", "")


ALL = sorted(set(addresses(get_resolver())))


def test_the_walk_finds_the_pages_that_matter():
    names = {name for name, _ in ALL}
    assert {"home", "case", "entry", "search", "run", "draft", "hosts", "admin:kb_case_changelist"} <= names
    assert names >= OPEN and len(ALL) > 100


@pytest.mark.parametrize("method", ["get", "post"])
def test_every_address_leads_a_stranger_to_the_sign_in_page(made, method):
    for name, route in ALL:
        if name in OPEN:
            continue
        answer = getattr(Client(), method)(filled(route, made))
        assert answer.status_code == 302, (name, route, answer.status_code)
        assert answer["Location"].startswith(("/accounts/login/", "/admin/login/")), (name, answer["Location"])


def test_the_way_in_is_open_and_shows_nothing_of_the_site(made):
    for path in ("/accounts/login/", "/accounts/password/reset/", "/accounts/sso/error/"):
        page = Client(headers={"accept-language": "en"}).get(path)
        assert page.status_code in (200, 401)
        assert 'href="/entries/"' not in page.content.decode()


def test_a_link_to_a_case_is_no_key_any_more(made):
    address = made["case"].get_absolute_url()
    for path in (address, f"{address}report.md"):
        assert Client().get(path)["Location"] == f"/accounts/login/?next={path}"


def test_any_account_may_read(made):
    browser = Client()
    browser.force_login(cast.person("rita", "reader"))
    for path in ("/", "/entries/", "/help/", made["case"].get_absolute_url()):
        assert browser.get(path).status_code == 200


def test_a_part_that_is_fetched_after_the_session_ended_reloads_the_page(made):
    answer = Client(headers={"HX-Request": "true"}).get(f"{made['case'].get_absolute_url()}runs/")
    assert answer["HX-Refresh"] == "true" and not answer.content


def test_open_reading_is_what_one_has_without_a_setting(db):
    assert Client().get("/entries/").status_code == 200


def test_the_setting_closes_the_site():
    """As the environment gives it, in a process of its own."""
    asked = "from django.conf import settings; print(settings.PUBLIC_READING)"
    for value, closed in (("0", "False"), ("1", "True")):
        environment = os.environ | {"PUBLIC_READING": value}
        done = subprocess.run(
            [sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == closed
