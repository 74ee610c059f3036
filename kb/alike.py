"""Entries that say nearly the same as what somebody is writing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb.entry_file import EntryFile
from kb.knowledge import Knowledge
from kb.ranking import TEXT_LEAST
from kb.text import Query

MOST = 3
# Texts of an entry that say what it is about.
SAYING = ("title", "summary", "phrases")


def nearest(knowledge: Knowledge, body: Mapping[str, Any], *, but: str = "") -> list[EntryFile]:
    """The entries whose words fit best, best first; none that has hardly a word in common.

    Args:
        body: an entry as a form holds it, finished or not. but: slug of the entry that is edited.
    """
    query = Query.of("\n".join(_texts([body.get(name) for name in SAYING])))
    fits = knowledge.text.fits(query)
    best = sorted((slug for slug in fits if slug not in (but, body.get("slug"))), key=lambda slug: -fits[slug].score)
    return [knowledge.by_slug[slug] for slug in best[:MOST] if fits[slug].score >= TEXT_LEAST]


def _texts(value: Any) -> list[str]:
    """Every text within lists and mappings."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _texts(part)]
