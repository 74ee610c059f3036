import pytest

from tests import cast
from tests.pages import samples


@pytest.fixture
def site(db):
    return samples.site()


@pytest.fixture
def operator(client, db):
    """A browser in which Alice, the operator, is signed in."""
    client.force_login(cast.person("alice", "operator"))
    return client
