"""Administrators say who may do what; a command does it where no administrator is there yet."""

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from kb import roles
from kb.models import AuditEvent
from tests import cast


@pytest.fixture
def ada(admin_user):
    """A browser in which the administrator is signed in."""
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(admin_user)
    return browser


def fresh(person):
    return User.objects.get(pk=person.pk)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_list_shows_everybody_with_their_role(ada, language):
    cast.person("rita", "reader")
    cast.person("carol", "curator")
    User.objects.create_user("local-operator")
    page = BeautifulSoup(ada.get("/people/", headers={"accept-language": language}).content, "html.parser")
    rows = {row.th.get_text(strip=True): row.select_one("option[selected]") for row in page.select("tbody tr")}
    assert list(rows) == ["admin", "carol", "rita"]
    assert rows["carol"]["value"] == "curator" and rows["rita"]["value"] == "reader"
    assert rows["admin"] is None


def test_a_role_is_changed_and_the_change_is_on_record(ada, admin_user):
    rita = cast.person("rita", "reader")
    page = ada.post(f"/people/{rita.pk}/role/", {"role": "curator"}, follow=True)
    assert "rita is curator now" in page.content.decode()
    assert fresh(rita).has_perm("kb.change_entry") and fresh(rita).has_perm("kb.add_revision")
    event = AuditEvent.objects.first()
    assert (event.action, event.subject, event.actor) == ("role.granted", "rita", admin_user)
    assert event.detail == {"before": "reader", "after": "curator"}
    ada.post(f"/people/{rita.pk}/role/", {"role": "reader"})
    assert not fresh(rita).has_perm("kb.change_entry")


def test_nobody_changes_their_own_role(ada, admin_user):
    page = ada.post(f"/people/{admin_user.pk}/role/", {"role": "reader"}, follow=True)
    assert "Another administrator" in page.content.decode()
    assert fresh(admin_user).is_superuser


def test_nobody_else_sees_or_changes_the_roles(db):
    rita = cast.person("rita", "reader")
    for role in ("reader", "reporter", "operator", "curator"):
        browser = Client()
        browser.force_login(cast.person(f"a-{role}", role))
        assert browser.get("/people/").status_code == 403
        assert browser.post(f"/people/{rita.pk}/role/", {"role": "administrator"}).status_code == 403
    assert Client().get("/people/").status_code == 403
    assert roles.role_of(fresh(rita)) == "reader"


def test_an_unknown_role_or_person_is_no_page(ada):
    rita = cast.person("rita", "reader")
    assert ada.post(f"/people/{rita.pk}/role/", {"role": "king"}).status_code == 404
    assert ada.post("/people/987654/role/", {"role": "reader"}).status_code == 404


@pytest.mark.parametrize("role", list(roles.WORDS))
def test_the_command_grants_a_role(db, capsys, role):
    rita = cast.person("rita", "operator")
    call_command("grant_role", "rita", role)
    assert f"rita is {role} now" in capsys.readouterr().out
    assert roles.role_of(fresh(rita)) == role
    assert fresh(rita).is_superuser == (role == "administrator")


def test_the_command_says_who_is_missing_and_which_roles_there_are(db):
    with pytest.raises(CommandError, match="nobody here is called rita"):
        call_command("grant_role", "rita", "reader")
    cast.person("rita", "reader")
    with pytest.raises(CommandError, match="invalid choice: 'king'"):
        call_command("grant_role", "rita", "king")
