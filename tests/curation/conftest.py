import pytest
from django.test import Client

from kb.models import Entry
from tests import cast


@pytest.fixture
def entry(db):
    return Entry.objects.get(slug="eager-mode")


def signed_in(name: str, role: str) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.person = cast.person(name, role)
    client.force_login(client.person)
    return client


@pytest.fixture
def carol(db):
    """A browser in which Carol, a curator, is signed in."""
    return signed_in("carol", "curator")


@pytest.fixture
def dave(db):
    """Another curator."""
    return signed_in("dave", "curator")


@pytest.fixture
def bob(db):
    """A reporter: may suggest, may not publish."""
    return signed_in("bob", "reporter")


@pytest.fixture
def charlie(db):
    """A reader."""
    return signed_in("charlie", "reader")
