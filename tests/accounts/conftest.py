import pytest
from django.core.cache import cache

from tests import cast

PASSWORD = "four-winds-7"


@pytest.fixture(autouse=True)
def nobody_has_tried_yet():
    """The attempts are counted in the cache, which outlives a test."""
    cache.clear()


@pytest.fixture
def alice(db):
    """A curator with a password."""
    user = cast.person("alice", "curator")
    user.email = "alice@example.org"
    user.set_password(PASSWORD)
    user.save()
    return user
