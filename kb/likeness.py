"""Which cause a report of such words and such facts turns out to have: a classifier learned from the entries and from
confirmed reports. Pure.

It is a multinomial logistic regression over words, neighbouring words and the facts that are read from them. BM25
(`kb.retrieval`) weighs a word by how rare it is; this weighs it by what it told so far, and knows which facts go together.
Learned without the cases that it is judged on, it raised the first place from 67.5 to 74.7 % (154 reports that
nobody had read for the entries) and the first three from 81.2 to 85.7 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise

import numpy as np

from kb.text import GLOSSARY_WEIGHT, Query
from probes.facts import Fact
from probes.roofline.gpus import gpu

# Two neighbouring words say much of what each says alone.
PAIR_WEIGHT = 0.5
# Pairs of words that stand in a single text only tell of that text.
PAIR_TEXTS = 2
# Inverse of the strength of the L2 penalty, in scikit-learn's terms. On 263 cases 3, 5, 10, 30 and 100 gave a log loss
# of 1.48, 1.46, 1.45, 1.51 and 1.58; ten counts a report as much as a phrase, and more made no difference.
C = 10.0
# A share under this one is not told apart: ln(1e-4).
LEAST = math.log(1e-4)
# Facts whose value is a class of reports.
_CLASSES = (
    "symptom.", "observed.", "tried.", "model.quant", "model.is_", "model.lora", "engine.name", "host.os", "host.orchestrator",
)  # fmt: skip
# Switches of an engine: on or off is a class, a number is not.
_SWITCHES = "engine."
# Kinds of classes of which two together tell more than each: how it shows, engine, card, format, number of cards.
_CROSSED = ("symptom.kind", "engine.name", "card", "model.quant", "cards")


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the facts that are read from it, and the causes that it turned out to have.

    Attributes:
        causes: places in the list of slugs.
    """

    text: str
    facts: tuple[Fact, ...]
    causes: tuple[int, ...]


def terms(query: Query, facts: Iterable[Fact]) -> dict[str, float]:
    """What the classifier sees of a case: term -> weight. Measured facts are no words, and not learned from."""
    found = dict.fromkeys((f"{one} {other}" for one, other in pairwise(query.words)), PAIR_WEIGHT)
    found |= dict.fromkeys(query.added, GLOSSARY_WEIGHT)
    found |= dict.fromkeys(query.words, 1.0)
    return found | dict.fromkeys(
        _told(fact for fact in facts if fact.provenance.origin not in ("probe", "computed")), 1.0
    )


def _told(facts: Iterable[Fact]) -> Iterator[str]:
    classes: dict[str, str] = {}
    for name, value in chain.from_iterable(map(_class, facts)):
        yield f"{name}={value}"
        if name in _CROSSED:
            classes.setdefault(name, value)
    for one, other in combinations(sorted(classes), 2):
        yield f"{one}={classes[one]}&{other}={classes[other]}"


def _class(fact: Fact) -> Iterator[tuple[str, str]]:
    """The class that a fact puts a report in, as (name, value); none for a plain number."""
    name, value = fact.name, fact.value
    if name == "gpu.name":
        yield name, str(value)
        card = gpu(str(value))
        if card is not None and card.capability is not None:
            yield "card", f"{int(card.capability)}.x"
    elif name == "gpu.count":
        yield "cards", "one" if value == 1 else "several"
    elif name == "model.params_b":
        yield name, str(int(math.log2(max(float(value), 0.25))))
    elif name in ("engine.flag", "engine.env"):
        yield name, str(value).replace("=", " ").split()[0]
    elif name.startswith(_CLASSES) or (name.startswith(_SWITCHES) and isinstance(value, bool)):
        yield name, str(value)


def readable(term: str) -> str:
    """A term as a person can read it: a word as it is, a fact by its value."""
    return " + ".join(_named(part) for part in term.split("&")) if "=" in term else term


def _named(class_: str) -> str:
    name, _, value = class_.partition("=")
    return name.rpartition(".")[2].replace("_", " ") if value == "True" else value


@dataclass(frozen=True)
class Likeness:
    """What was learned.

    Attributes:
        slugs: the causes, in the order of the columns.
        vocabulary: term -> row.
        rarity: inverse document frequency of each row.
        weights: shape (terms, causes); bias: shape (causes,).
        digest: of what it was learned from (`digest_of`).
    """

    slugs: tuple[str, ...]
    vocabulary: Mapping[str, int]
    rarity: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    digest: str = ""
    _column: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_column", {slug: number for number, slug in enumerate(self.slugs)})

    def fits(self, seen: Mapping[str, float]) -> dict[str, float]:
        """Slug -> ln of how many times likelier than by chance the cause is, judged by these terms alone."""
        rows, values = _vector(seen, self.vocabulary, self.rarity)
        scores = self.bias + values @ self.weights[rows]
        shares = scores - scores.max()
        shares -= math.log(np.exp(shares).sum())
        chance = math.log(len(self.slugs))
        return {slug: max(float(share), LEAST) + chance for slug, share in zip(self.slugs, shares, strict=True)}

    def telling(self, seen: Mapping[str, float], slug: str, most: int = 4) -> list[str]:
        """The terms that speak most for a cause, against what they say of all causes on average; strongest first."""
        column = self._column.get(slug)
        if column is None:
            return []
        names = [term for term in seen if term in self.vocabulary]
        rows, values = _vector(seen, self.vocabulary, self.rarity)
        gain = values * (self.weights[rows, column] - self.weights[rows].mean(axis=1))
        return [names[place] for place in np.argsort(-gain, kind="stable")[:most] if gain[place] > 0]


def _vector(
    seen: Mapping[str, float], vocabulary: Mapping[str, int], rarity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and values of length one."""
    known = [(vocabulary[term], weight) for term, weight in seen.items() if term in vocabulary]
    rows = np.array([row for row, _ in known], dtype=np.int64)
    values = np.array([weight for _, weight in known], dtype=np.float32) * rarity[rows]
    length = float(np.linalg.norm(values))
    return rows, values / length if length else values


def learn(examples: Sequence[Example], slugs: Sequence[str], digest: str = "") -> Likeness:
    """Fit the classifier; some ten seconds for 150 causes and 4,500 texts.

    Raises:
        ValueError: the examples are of fewer than three causes.
    """
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression  # both take a second to import, and only learning needs them

    seen = [terms(Query.of(example.text), example.facts) for example in examples]
    vocabulary, rarity = _vocabulary(seen)
    vectors = [_vector(each, vocabulary, rarity) for each in seen]
    # A report of two causes counts half for each.
    rows = [
        (vector, cause, 1 / len(e.causes)) for vector, e in zip(vectors, examples, strict=True) for cause in e.causes
    ]
    starts = np.cumsum([0, *(len(vector[0]) for vector, _, _ in rows)])
    indices = np.concatenate([vector[0] for vector, _, _ in rows])
    values = np.concatenate([vector[1] for vector, _, _ in rows])
    table = csr_matrix((values, indices, starts), shape=(len(rows), len(vocabulary)))
    model = LogisticRegression(C=C, max_iter=100, tol=1e-3)
    model.fit(table, [cause for _, cause, _ in rows], sample_weight=[share for _, _, share in rows])
    learned = tuple(slugs[number] for number in model.classes_)
    weights = np.ascontiguousarray(model.coef_.T).astype(np.float16).astype(np.float32)  # as it is kept in a file
    return Likeness(learned, vocabulary, rarity, weights, model.intercept_.astype(np.float32), digest)


def _vocabulary(seen: Sequence[Mapping[str, float]]) -> tuple[dict[str, int], np.ndarray]:
    """Row of each term, and how rare it is: BM25's idf."""
    texts = Counter(chain.from_iterable(seen))
    kept = [term for term, count in texts.items() if count >= PAIR_TEXTS or " " not in term]
    counts = np.array([texts[term] for term in kept])
    rarity = np.log1p((len(seen) - counts + 0.5) / (counts + 0.5)).astype(np.float32)
    return {term: row for row, term in enumerate(kept)}, rarity
