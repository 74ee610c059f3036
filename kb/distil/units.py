"""Clauses joined to statements that can stand alone: a condition with what follows from it, a setting with its figure. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import re2

from kb.distil.statements import Clause, numbers, tells_outcome

# A statement is at most so many clauses and characters: more would state several things.
MOST_CLAUSES = 4
MOST_CHARS = 160

# A condition, a concession or a reason: what it is one of comes next.
_OPENS = re2.compile(
    r"(?i)如果|假如|要是|倘若|(?:的话|时|的时候)$|^(?:但|而|不过|另外|还有)?(?:若|当|虽然|尽管|因为|由于|为了|只要|除非|即使|就算|一旦)"
    r"|^(?:but |and |so |also )?(?:if|when|while|although|unless|because|since|once|as long as)\b"
)
# A consequence, an example or a clause without a subject of its own.
_FOLLOWS = re2.compile(
    r"(?i)^(?:那|就|会|要|可能|确保|以免|但(?:是)?(?:也|对|能|会)|对|别|也|才|它|这|其|导致|造成|从而|否则|所以|因此|反而|说明|以便|来|避免|能|更|都|并|而(?:不是|CPU|GPU)|比如|例如|默认|尤其|特别是|结果|容易|慢|快|间接|有时候|甚至|给|不然|再|"
    r"(?:so|then|otherwise|which|that|and it|it|this|and that|not|e\.g\.|for example|especially|instead)\b)"
)
# Words that only lead over.
_FILLER = re2.compile(
    r"(?i)^(?:第[一二三四五六七八九十\d]+(?:步|点|个)?|首先|其次|然后|最后|另外|此外|还有|还有个小细节|总之|顺便|first|second|third|also|finally|then|next|lastly|hi|hello|thanks)$"
)


def units(found: Iterable[Clause]) -> Iterator[list[Clause]]:
    """The clauses of a post, joined."""
    for _, group in groupby((c for c in found if not _FILLER.match(c.text)), key=lambda clause: clause.sentence):
        yield from (unit for unit in _joined(list(group)) if any(clause.tells for clause in unit))


def _joined(sentence: list[Clause]) -> Iterator[list[Clause]]:
    unit: list[Clause] = []
    for clause in sentence:
        if unit and not (_belongs(unit, clause) and _fits(unit, clause)):
            yield unit
            unit = []
        unit.append(clause)
    if unit:
        yield unit


def _belongs(unit: list[Clause], clause: Clause) -> bool:
    last = unit[-1]
    if _OPENS.search(last.text) or _FOLLOWS.search(clause.text):
        return True
    return tells_outcome(clause.text) or (not clause.tells and bool(numbers(clause.text)))


def _fits(unit: list[Clause], clause: Clause) -> bool:
    return len(unit) < MOST_CLAUSES and clause.end - unit[0].start <= MOST_CHARS
