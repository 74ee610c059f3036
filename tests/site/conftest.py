import pytest

from kb import dispatch
from tests import cast


@pytest.fixture
def sent(monkeypatch):
    """What would go to the broker, in order: (task, queue, token)."""
    messages = []

    def keep(task, args, queue, expires):
        messages.append((task, queue, args[0]))

    monkeypatch.setattr(dispatch.app, "send_task", keep)
    return messages


@pytest.fixture
def alice(db):
    return cast.person("alice", "operator")


@pytest.fixture
def bob(db):
    return cast.person("bob", "reporter")


@pytest.fixture
def charlie(db):
    return cast.person("charlie", "reader")
