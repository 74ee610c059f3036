"""The published entries as the ranking reads them, read again when any of them changed."""

from __future__ import annotations

from functools import lru_cache

from django.db.models import Count, Max

from kb.knowledge import Knowledge
from kb.models import Entry


def knowledge() -> Knowledge:
    state = Entry.objects.published().aggregate(newest=Max("updated_at"), count=Count("id"))
    return _read(state["newest"], state["count"])


@lru_cache(maxsize=2)
def _read(newest: object, count: int) -> Knowledge:
    """The arguments are the key: the same state of the table gives the same knowledge."""
    return Knowledge(tuple(entry.file for entry in Entry.objects.published()))
