"""One file an aggregate."""

from kb.models.audit import AuditEvent
from kb.models.case import Case, Ranking, Suspect
from kb.models.digest import Digest, DigestLine
from kb.models.entry import Entry, EntryVersion
from kb.models.host import Engine, Host
from kb.models.missed_search import MissedSearch
from kb.models.outcome import ConfirmedReport, Outcome
from kb.models.revision import Comment, Revision
from kb.models.run import Run
from kb.models.thread import Claim, ClaimVersion, Evidence, Thread

__all__ = [
    "AuditEvent", "Case", "Claim", "ClaimVersion", "Comment", "ConfirmedReport", "Digest", "DigestLine", "Engine", "Entry",
    "EntryVersion", "Evidence", "Host", "MissedSearch", "Outcome", "Ranking", "Revision", "Run", "Suspect", "Thread",
]  # fmt: skip
