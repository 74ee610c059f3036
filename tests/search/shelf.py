"""The shipped knowledge as the look-up searches it."""

from functools import cache
from pathlib import Path

from kb.documents import Document, of_claim, of_entry, of_report
from kb.knowledge import ENTRIES, shipped
from kb.ranking import FREQUENCY
from kb.search import Collection
from kb.thread_file import load_folder

THREADS: Path = ENTRIES.parent / "threads"


def documents() -> list[Document]:
    known = shipped().by_slug
    found = [document for report in shipped().reports if (document := of_report(report, known))]
    found += [document for entry in known.values() for document in of_entry(entry, FREQUENCY[entry.frequency])]
    for thread in load_folder(THREADS):
        for claim in thread.claims:
            kinds = {known[slug].kind for slug in claim.entries if slug in known}
            found.append(
                of_claim(claim.key, claim.statement, claim.reason, claim.verdict, check=claim.check, kinds=kinds)
            )
    return found


@cache
def everything() -> Collection:
    return Collection(documents(), scanner=shipped().signatures)
