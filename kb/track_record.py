"""How often an entry was right: suggested, confirmed by measurement and by outcomes, and what its fixes measured."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import median

from django.db.models import Count, Q

from kb.models import Entry, Outcome, Suspect


@dataclass(frozen=True, slots=True)
class FixRecord:
    """A fix as it was tried here: how often, how often it helped, and by what factors where both speeds were told."""

    fix: str
    tried: int
    helped: int
    factors: tuple[float, ...]

    @property
    def middle(self) -> float | None:
        return median(self.factors) if self.factors else None


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """Counts of cases, of accounts for `confirmed`.

    Attributes:
        first, among_three: cases in which the ranking put it there, as they stand now.
        measured: cases in which something measured speaks for it decisively.
        was_it, was_another: closed cases with it as the cause; with it first and another cause.
    """

    first: int = 0
    among_three: int = 0
    measured: int = 0
    was_it: int = 0
    was_another: int = 0
    confirmed: int = 0
    fixes: tuple[FixRecord, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        return not (self.among_three or self.was_it)

    @property
    def right_share(self) -> float | None:
        """Of the closed cases in which it came first, how many it was: (right + 1) / (closed + 2), so that one case proves
        little (Laplace's rule, a uniform Beta prior). None without any."""
        closed = self.was_it + self.was_another
        return (self.was_it + 1) / (closed + 2) if closed else None


def of(entry: Entry) -> TrackRecord:
    """Everything about one entry, in four queries."""
    seen = Suspect.objects.filter(slug=entry.slug).aggregate(
        first=Count("pk", filter=Q(place=1)), among_three=Count("pk"), measured=Count("pk", filter=Q(measured=True))
    )
    counted = Outcome.objects.counted()
    another = counted.exclude(entry=entry).filter(case__suspects__slug=entry.slug, case__suspects__place=1).count()
    return TrackRecord(
        **seen, was_it=counted.filter(entry=entry).count(), was_another=another,
        confirmed=Outcome.objects.confirmations()[entry.slug], fixes=_fixes(counted.filter(entry=entry).exclude(fix="")),
    )  # fmt: skip


def _fixes(outcomes: object) -> tuple[FixRecord, ...]:
    by_fix: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:  # type: ignore[attr-defined]
        by_fix[outcome.fix].append(outcome)
    return tuple(
        FixRecord(
            fix, len(tried), sum(outcome.helped is True for outcome in tried),
            tuple(outcome.factor for outcome in tried if outcome.factor is not None),
        )
        for fix, tried in sorted(by_fix.items())
    )  # fmt: skip


def firsts() -> dict[str, int]:
    """Slug -> cases in which it came first, for the list of causes."""
    rows = Suspect.objects.filter(place=1).values_list("slug").annotate(Count("pk")).order_by()
    return dict(rows)
