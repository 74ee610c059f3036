"""One file an aggregate."""

from kb.models.audit import AuditEvent
from kb.models.case import Case, Ranking
from kb.models.entry import Entry, EntryVersion
from kb.models.host import Engine, Host
from kb.models.missed_search import MissedSearch
from kb.models.revision import Comment, Revision
from kb.models.run import Run
from kb.models.thread import Claim, Thread

__all__ = [
    "AuditEvent", "Case", "Claim", "Comment", "Engine", "Entry", "EntryVersion", "Host", "MissedSearch", "Ranking",
    "Revision", "Run", "Thread",
]  # fmt: skip
