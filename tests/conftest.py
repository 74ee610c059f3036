"""Settings of the suite: a folder of its own for everything that the site writes."""

import os
import tempfile

from kb.learning import cache_folder

os.environ.setdefault("INFERMARY_VAR", tempfile.mkdtemp(prefix="infermary-tests-"))
# Learned once for all tests and servers of the suite, and for the terminal.
os.environ.setdefault("INFERMARY_LIKENESS", str(cache_folder()))
os.environ["DJANGO_SETTINGS_MODULE"] = "infermary.settings"


import pytest


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """The shipped knowledge lies in the test database once, for every test that uses a database."""
    from kb import shipping

    with django_db_blocker.unblock():
        shipping.load_entries()
        shipping.load_threads()
