"""A thread that somebody pasted, its posts told apart, and what was found in it, line by line until each is decided."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models

from kb.models.entry import Entry
from kb.models.revision import Revision
from kb.models.thread import Claim, Thread

# A longer thread is shown in parts of so many posts.
PART = 50
KNOWN_WRONG = (Claim.Verdict.WRONG, Claim.Verdict.NOT_AN_OPTION)
# The polarity of a line whose posts say that it is not so.
DENIED = "denied"


class DigestQuerySet(models.QuerySet["Digest"]):
    def counted(self) -> DigestQuerySet:
        """Each with its number of lines and of those that are still to be decided."""
        new = models.Q(lines__state=DigestLine.State.NEW)
        return self.annotate(line_count=models.Count("lines"), open_count=models.Count("lines", filter=new))


class Digest(models.Model):
    title = models.CharField(max_length=200)
    source = models.CharField(max_length=200, help_text="Where the thread stands; its title where nobody said.")
    posts = models.JSONField(default=list, help_text="number, author, text of each; secrets taken out.")
    redactions = models.PositiveIntegerField(default=0)
    thread = models.ForeignKey(Thread, null=True, blank=True, related_name="digests", on_delete=models.SET_NULL)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="digests")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DigestQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/distil/{self.pk}/"

    @property
    def in_parts(self) -> bool:
        return len(self.posts) > PART

    def place_of(self, number: int) -> int:
        """Where the post of this number stands among the posts, from 0."""
        return self._places.get(number, 0)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {post["number"]: place for place, post in reversed(list(enumerate(self.posts)))}


class DigestLineQuerySet(models.QuerySet["DigestLine"]):
    def known(self) -> DigestLineQuerySet:
        """To be decided, and matched to a claim that they affirm."""
        return self.filter(state=DigestLine.State.NEW, claim__isnull=False).exclude(polarity=DENIED)


class DigestLine(models.Model):
    """One thing that the thread says, in however many posts."""

    class State(models.TextChoices):
        NEW = "new", "To be decided"
        ACCEPTED = "accepted", "Accepted"
        EDITED = "edited", "Accepted in other words"
        REJECTED = "rejected", "Rejected"

    digest = models.ForeignKey(Digest, related_name="lines", on_delete=models.CASCADE)
    place = models.PositiveIntegerField()
    kind = models.CharField(max_length=20, choices=Claim.Kind)
    language = models.CharField(max_length=2)
    statement = models.TextField()
    polarity = models.CharField(max_length=20, help_text="How the posts speak of it, as kb.distil tells it.")
    said = models.JSONField(
        default=list, help_text="The places that say it: post, start and end in the text of the post."
    )
    flags = models.JSONField(default=list)
    numbers = models.JSONField(default=list, help_text="Figures with their units, as written.")
    claim = models.ForeignKey(Claim, null=True, blank=True, related_name="+", on_delete=models.SET_NULL)
    entry = models.ForeignKey(Entry, null=True, blank=True, related_name="+", on_delete=models.SET_NULL)
    state = models.CharField(max_length=10, choices=State, default=State.NEW)
    became = models.ForeignKey(Claim, null=True, blank=True, related_name="said_in", on_delete=models.SET_NULL)
    draft = models.ForeignKey(Revision, null=True, blank=True, related_name="+", on_delete=models.SET_NULL)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(null=True, blank=True)
    edition = models.PositiveIntegerField(
        default=0, help_text="Counts the decisions, so that none is overwritten unseen."
    )

    objects = DigestLineQuerySet.as_manager()

    class Meta:
        ordering = ["digest", "place"]
        constraints = [models.UniqueConstraint(fields=["digest", "place"], name="one_digest_line_a_place")]

    def __str__(self) -> str:
        return f"{self.digest_id}.{self.place}"

    def get_absolute_url(self) -> str:
        return f"/distil/{self.digest_id}/?line={self.pk}#line-{self.pk}"

    @property
    def post_numbers(self) -> list[Any]:
        """The posts that say it, each once, in their order."""
        return list(dict.fromkeys(place["post"] for place in self.said))

    @property
    def also_names(self) -> list[str]:
        """Flags and figures that its statement has in another spelling, or that another of its posts names."""
        return [name for name in (*self.flags, *self.numbers) if name not in self.statement]

    @property
    def is_open(self) -> bool:
        return self.state == self.State.NEW

    @property
    def is_known_wrong(self) -> bool:
        return self.claim is not None and self.claim.verdict in KNOWN_WRONG
