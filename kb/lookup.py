"""The look-up of the site: the collection that `kb.search` searches, read from the database when anything in it changed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Exists, Max, OuterRef
from django.db.models.functions import Left, Right

from kb import library, token_file
from kb.documents import Document, of_case, of_claim, of_entry, of_report
from kb.entry_file import Both
from kb.knowledge import Knowledge
from kb.models import Case, Claim, Run
from kb.ranking import prior_counts
from kb.search import Collection, Filters, Results

log = logging.getLogger(__name__)

# As many documents are made ready anew within a quarter of a second; beyond that, a searcher is answered from what is
# held, and the new state comes in from behind.
INLINE = 2_000
# The file of tokens is written again when more than one in so many documents were segmented anew.
WORTH_SAVING = 50
# Where cases come in all the time, reading them takes a tenth of the time and no more.
REST = 9.0
# The head of what was said and the end of a log, where the error stands, name a case's trouble.
HEAD_CHARS = TAIL_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Held:
    """A collection with the state of the tables that it was read from."""

    state: tuple[object, ...]
    collection: Collection


class Shelf:
    """Holds the newest collection of this process."""

    def __init__(self) -> None:
        self._held: Held | None = None
        self._building = threading.Lock()
        self._rests_until = 0.0

    def collection(self) -> Collection:
        state = _state()
        held = self._held
        if held and held.state == state:
            return held.collection
        if state[-1] <= INLINE:
            with self._building:
                return self._renew(state).collection
        if held is None:  # entries and claims at once, the many cases behind them
            with self._building:
                held = self._held = self._held or Held((), _read(with_cases=False, before=None))
        if time.monotonic() >= self._rests_until and self._building.acquire(blocking=False):
            threading.Thread(target=self._renew_behind, args=(state,), daemon=True).start()
        return held.collection

    def _renew(self, state: tuple[object, ...]) -> Held:
        if self._held is None or self._held.state != state:
            before = self._held.collection if self._held else None
            collection = _read(with_cases=True, before=before)
            self._held = Held(state, collection)
            if collection.segmented > max(INLINE, len(collection.documents) // WORTH_SAVING):
                collection.save(settings.SEARCH_TOKENS)
        return self._held

    def _renew_behind(self, state: tuple[object, ...]) -> None:
        begun = time.monotonic()
        try:
            self._renew(state)
        except Exception:
            log.exception("the collection of the look-up could not be renewed")
        finally:
            self._rests_until = time.monotonic() + REST * (time.monotonic() - begun)
            self._building.release()
            connection.close()


def _state() -> tuple[object, ...]:
    """Changes whenever a document does; the number of cases last."""
    state: list[object] = list(library.state())
    for rows in (Claim.objects.all(), Case.objects.all()):
        newest = rows.order_by().aggregate(newest=Max("updated_at"), count=Count("pk"))
        state += [newest["newest"], newest["count"]]
    return tuple(state)


def _read(*, with_cases: bool, before: Collection | None) -> Collection:
    """The documents of the database, their tokens from `before` or else, where there are many, from the file."""
    knowledge = library.knowledge()
    counts = prior_counts(knowledge)
    documents = [d for entry in knowledge.entries for d in of_entry(entry, counts[entry.slug])]
    documents += [d for report in knowledge.reports if (d := of_report(report, knowledge.by_slug))]
    documents += _claims(knowledge)
    if with_cases:
        documents += _cases()
    kept = (
        token_file.load(settings.SEARCH_TOKENS) if len(documents) > INLINE and not _covers(before, documents) else None
    )
    return Collection(documents, None if kept else before, knowledge.signatures, kept)


def _covers(before: Collection | None, documents: list[Document]) -> bool:
    return before is not None and 2 * len(before.documents) > len(documents)


def _claims(knowledge: Knowledge) -> Iterator[Document]:
    for claim in Claim.objects.prefetch_related("entries"):
        kinds = {entry.kind for entry in claim.entries.all() if entry.slug in knowledge.by_slug}
        check = Both(en=claim.check_en, zh=claim.check_zh) if claim.check_en and claim.check_zh else None
        statement = Both(en=claim.statement_en, zh=claim.statement_zh)
        reason = Both(en=claim.reason_en, zh=claim.reason_zh)
        yield of_claim(claim.key, statement, reason, claim.verdict, check=check, kinds=kinds)


def _cases() -> Iterator[Document]:
    done = Run.objects.filter(case=OuterRef("pk"), state=Run.State.DONE)
    rows = Case.objects.order_by("pk").values_list(
        "token", Left("text", HEAD_CHARS), Left("command", HEAD_CHARS), Right("log", TAIL_CHARS), Exists(done)
    )
    for token, *parts, measured in rows.iterator():
        yield of_case(token, parts, measured=measured)


_shelf = Shelf()


def gpus() -> tuple[str, ...]:
    """The cards that the look-up can be narrowed to."""
    return _shelf.collection().gpus


def search(text: str, language: str, filters: Filters, user: Any, session_key: str | None) -> Results:
    """What fits, among entries, claims, and the cases that this person may see in a list."""
    own = None if user.is_staff else Case.objects.of(user, session_key).values_list("token", flat=True)
    return _shelf.collection().search(text, language, filters, cases=own)
