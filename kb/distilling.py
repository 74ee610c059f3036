"""A pasted thread, line by line: the only place that makes a digest and decides its lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from kb import claim_curation, curation, library, shipping
from kb.diagnose import NotAllowed
from kb.distil import Digest as Distilled
from kb.distil import distil
from kb.facts.redact import redact
from kb.models import AuditEvent, Claim, Digest, DigestLine, Entry, Thread
from kb.models.digest import DENIED

RIGHT = claim_curation.ADD
State = DigestLine.State
TITLE_CHARS = 80
# A claim that nobody checked yet says so until somebody writes the reason.
UNCHECKED = ("Not checked yet.", "尚未核实。")


class Overtaken(Exception):
    """Somebody else decided the line in between."""


def begin(text: str, title: str, source: str, user: Any) -> Digest:
    """Distil a thread and keep what was found, its secrets taken out.

    Raises:
        NotAllowed: no right. kb.distil.TooLong: more than is read.
    """
    _need(user)
    text, redactions = _clean(text)
    found = distil(text, library.knowledge(), shipping.claim_files())
    opening = next((post.text for post in found.posts if post.text.strip()), text)
    title = " ".join(_clean(title)[0].split())[:200] or _first_words(opening)
    return _keep(found, title, _clean(source)[0].strip()[:200] or title, redactions, user)


def _clean(text: str) -> tuple[str, int]:
    """A text as it may be stored, and how many secrets were taken out of it."""
    return redact(text.replace("\x00", "\ufffd").replace("\r\n", "\n"))


def _first_words(text: str) -> str:
    """The first line of a text, cut where it is long."""
    words = " ".join(text.strip().partition("\n")[0].split())
    return words[:TITLE_CHARS] + ("…" if len(words) > TITLE_CHARS else "")


@transaction.atomic
def _keep(found: Distilled, title: str, source: str, redactions: int, user: Any) -> Digest:
    posts = [{"number": post.number, "author": post.author, "text": post.text} for post in found.posts]
    digest = Digest.objects.create(title=title, source=source, posts=posts, redactions=redactions, by=user)
    claims = {claim.key: claim for claim in Claim.objects.all()}
    entries = {entry.slug: entry for entry in Entry.objects.published()}
    DigestLine.objects.bulk_create(
        DigestLine(
            digest=digest, place=place, kind=line.kind, language=line.language, statement=line.statement,
            polarity=line.polarity, flags=list(line.flags), numbers=list(line.numbers),
            claim=claims.get(line.claim), entry=entries.get(line.entry),
            said=[{"post": said.post, "start": said.start, "end": said.end} for said in line.said],
        )
        for place, line in enumerate(found.lines, 1)
    )  # fmt: skip
    AuditEvent.record(user, "digest.begun", str(digest.pk), title=title, source=source, lines=len(found.lines))
    return digest


@transaction.atomic
def accept(line: DigestLine, user: Any, edition: int) -> DigestLine:
    """The thread says it: counted for the known claim, else kept as a new claim in its own words, not checked yet.

    Raises:
        NotAllowed: no right. Overtaken: somebody else decided it in between.
    """
    locked = _locked(line, user, edition)
    became = _count(locked, locked.claim, user) if locked.claim else _make(locked, {}, user)
    return _decided(locked, State.ACCEPTED, user, became=became)


@transaction.atomic
def edit(line: DigestLine, typed: Mapping[str, Any], user: Any, edition: int) -> DigestLine:
    """Accept a line otherwise than it was found: counted for the claim whose key is in `typed["known"]`, else kept as a new
    claim with the fields typed (those of a claim's content; an empty text is that of the other language).

    Raises:
        NotAllowed: no right, or no claim has that key. Overtaken. claim_curation.Faults: a field is wrong.
    """
    locked = _locked(line, user, edition)
    if key := str(typed.get("known", "")).strip():
        known = Claim.objects.filter(key=key).first()
        if known is None:
            raise NotAllowed(f"没有编号为 {key[:20]} 的说法。", f"No claim is numbered {key[:20]}.")
        became = _count(locked, known, user)
    else:
        became = _make(locked, typed, user)
    return _decided(locked, State.EDITED, user, became=became)


@transaction.atomic
def reject(line: DigestLine, user: Any, edition: int) -> DigestLine:
    """The line is no claim, or not worth keeping.

    Raises:
        NotAllowed: no right. Overtaken.
    """
    return _decided(_locked(line, user, edition), State.REJECTED, user)


@transaction.atomic
def reopen(line: DigestLine, user: Any, edition: int) -> DigestLine:
    """Take a rejection back. What was accepted is mended at the claim that it became.

    Raises:
        NotAllowed: no right, or not rejected. Overtaken.
    """
    locked = _locked(line, user, edition, state=State.REJECTED)
    return _decided(locked, State.NEW, user)


@transaction.atomic
def draft(line: DigestLine, user: Any, edition: int) -> DigestLine:
    """A draft of a new entry that begins with what the line says.

    Raises:
        NotAllowed: no right, here or to suggest entries. Overtaken.
    """
    locked = _locked(line, user, edition)
    revision = curation.begin(None, _entry_body(locked), f"from {locked.digest.source}", user, None)
    return _decided(locked, State.ACCEPTED, user, draft=revision)


def accept_known(digest: Digest, user: Any) -> int:
    """Accept all open lines that match a known claim and affirm it; their number. What somebody else decides at the same
    moment stays as they decided it.

    Raises:
        NotAllowed: no right.
    """
    _need(user)
    count = 0
    for line in digest.lines.known():
        try:
            accept(line, user, line.edition)
            count += 1
        except Overtaken:
            continue
    return count


def keep_in(digest: Digest, thread: Thread | None, user: Any) -> None:
    """Say of which thread the new claims become part; None for one of its own.

    Raises:
        NotAllowed: no right.
    """
    _need(user)
    digest.thread = thread
    digest.save(update_fields=["thread"])
    AuditEvent.record(user, "digest.thread", str(digest.pk), thread=thread.slug if thread else "")


def discard(digest: Digest, user: Any) -> None:
    """Throw a digest away; the claims that came of it stay.

    Raises:
        NotAllowed: no right.
    """
    _need(user)
    AuditEvent.record(user, "digest.discarded", str(digest.pk), title=digest.title, source=digest.source)
    digest.delete()


# how a claim is counted


def _replies_counted(line: DigestLine, claim: Claim) -> set[int]:
    """The posts of this thread that were counted for the claim before, also when it was pasted another time."""
    decided = DigestLine.objects.filter(digest__source=line.digest.source, became=claim).exclude(pk=line.pk)
    return {number for other in decided for number in other.post_numbers}


def _count(line: DigestLine, claim: Claim, user: Any) -> Claim:
    """Add the thread to the sources of a claim and its posts to the replies that say it, none of them twice.

    A claim that came from this very thread was counted when it was written: there the larger number holds. Posts that deny
    it are no replies that say it.
    """
    digest, posts = line.digest, set(line.post_numbers)

    def said_by(number: int) -> int:
        if line.polarity == DENIED:
            return number
        before = _replies_counted(line, claim)
        if claim.thread_id == digest.thread_id or (digest.source in claim.sources and not before):
            return max(number, len(before | posts))
        return number + len(posts - before)

    return claim_curation.said_again(claim, digest.source, said_by, user)


def content(line: DigestLine) -> dict[str, Any]:
    """What a new claim of this line would hold, as a form begins with it: its words in their language, the reason to be
    written."""
    empty = {f"{name}_{code}": "" for name in ("statement", "reason", "check") for code in ("en", "zh")}
    return empty | {
        "kind": line.kind, "verdict": "depends", f"statement_{line.language}": line.statement, "versions": "",
        "said_by": len(line.post_numbers), "sources": [line.digest.source],
        "entries": [line.entry.slug] if line.entry else [],
    }  # fmt: skip


def _make(line: DigestLine, typed: Mapping[str, Any], user: Any) -> Claim:
    """A new claim of the digest's thread. A text that is missing in one language is that of the other."""
    made = content(line)
    made |= {name: typed[name] for name in made if name in typed}
    for name, default in (("statement", ("", "")), ("reason", UNCHECKED)):
        en, zh = made[f"{name}_en"], made[f"{name}_zh"]
        made[f"{name}_en"], made[f"{name}_zh"] = (en or zh, zh or en) if en or zh else default
    source, thread = line.digest.source, _thread(line.digest)
    return claim_curation.create(thread, f"D{line.digest_id}-{line.place}", made, f"from {source}", user)


def _thread(digest: Digest) -> Thread:
    """The thread of the new claims, made from the digest where none was chosen."""
    locked = Digest.objects.select_for_update(of=("self",)).get(pk=digest.pk)
    if locked.thread is None:
        about = {f"about_{code}": locked.source for code in ("en", "zh")}
        titles = {f"title_{code}": locked.title for code in ("en", "zh")}
        locked.thread = Thread.objects.create(slug=_slug(locked), **titles, **about)
        locked.save(update_fields=["thread"])
    digest.thread = locked.thread
    return locked.thread


def _slug(digest: Digest) -> str:
    return f"{slugify(digest.title)[:40].strip('-') or 'thread'}-{digest.pk}"


def _entry_body(line: DigestLine) -> dict[str, Any]:
    """An entry as it begins: the line as title and phrase, the thread as its source, the rest to be written."""
    said = {"en": "", "zh": "", line.language: line.statement[:200]}
    phrases: dict[str, list[str]] = {"en": [], "zh": [], line.language: [line.statement[:120]]}
    return {
        "kind": "slow", "frequency": "rare", "title": said, "summary": said, "phrases": phrases,
        "mechanism": {"en": "", "zh": ""}, "rules": [{}], "fixes": [{}], "signatures": [],
        "sources": [{"id": "thread", "kind": "issue", "ref": line.digest.source}],
        "examples": [{"lang": line.language, "symptom": _quote(line)[:600]}],
    }  # fmt: skip


def _quote(line: DigestLine) -> str:
    """What the first post says that says it."""
    place = line.said[0]
    post = line.digest.posts[line.digest.place_of(place["post"])]
    return str(post["text"][place["start"] : place["end"]])


def _locked(line: DigestLine, user: Any, edition: int, state: str = State.NEW) -> DigestLine:
    """The line as it stands now, nobody else's to decide until the transaction ends."""
    _need(user)
    rows = DigestLine.objects.select_for_update(of=("self",)).select_related("digest", "claim", "entry")
    locked = rows.get(pk=line.pk)
    if locked.edition != edition or locked.state != state:
        raise Overtaken
    return locked


def _decided(line: DigestLine, state: str, user: Any, **became: Any) -> DigestLine:
    for name, value in became.items():
        setattr(line, name, value)
    line.state, line.by, line.at, line.edition = state, user, timezone.now(), line.edition + 1
    line.save()
    what = {name: str(value) for name, value in became.items()}
    AuditEvent.record(user, f"digest.{state}", str(line), statement=line.statement[:200], **what)
    return line


def _need(user: Any) -> None:
    if not user.has_perm(RIGHT):
        raise NotAllowed("你没有这个权限；请联系管理员。", "You may not do this; ask an administrator for the right.")
