"""The look-up over 100,000 documents, made up from phrases of our own entries: `make bench`.

The documents are as long as a report is (about 300 characters); the collection is built once, and built again after one
document changed, as it is when somebody submits a case. With DATABASE_URL the pages are measured on PostgreSQL.
"""

from __future__ import annotations

import random

import pytest

from kb import lookup
from kb.documents import Document, of_case
from kb.knowledge import shipped
from kb.models import Case
from kb.search import Collection, Filters
from kb.token_file import load
from tests.search.shelf import documents

COUNT = 100_000
QUERIES = {
    "chinese": "显存不足，启动就报错", "english": "NCCL timeout with two GPUs", "mixed": "vllm 首字延迟 prefix cache 命中率低",
    "typo": "preemtion of requests", "half": "thrott",
    "error": "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
}  # fmt: skip


def made_up(count: int) -> list[Document]:
    """Cases of five phrases each, half of them in Chinese."""
    chance = random.Random(7)
    phrases = {code: [t for e in shipped().entries for t in getattr(e.phrases, code)] for code in ("zh", "en")}
    return [
        of_case(f"case{number}", ["。".join(chance.choices(phrases["zh" if number % 2 else "en"], k=5))])
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def many():
    shared = documents()
    return [*shared, *made_up(COUNT - len(shared))]


@pytest.fixture(scope="module")
def built(many):
    return Collection(many, scanner=shipped().signatures)


def test_first_build(benchmark, many):
    benchmark.pedantic(Collection, args=(many,), rounds=1)


def test_build_from_the_kept_tokens(benchmark, many, built, tmp_path):
    path = tmp_path / "tokens.npz"
    built.save(path)
    collection = benchmark.pedantic(lambda: Collection(many, kept=load(path)), rounds=1)
    assert collection.segmented == 0


def test_build_after_one_change(benchmark, many, built):
    changed = [*many[:-1], of_case("new", ["the fan stands still"])]
    benchmark.pedantic(Collection, args=(changed, built, shipped().signatures), rounds=3)


@pytest.mark.parametrize("kind", QUERIES)
def test_query(benchmark, built, kind):
    results = benchmark.pedantic(built.search, args=(QUERIES[kind], "zh"), warmup_rounds=1, rounds=20)
    assert results.found


def test_query_with_filters_of_somebody_with_few_cases(benchmark, built):
    filters = Filters(kind="slow", engine="vllm")
    own = [f"case{number}" for number in range(30)]
    benchmark.pedantic(built.search, args=(QUERIES["mixed"], "zh", filters, own), warmup_rounds=1, rounds=20)


@pytest.fixture
def stored(db, many):
    """The cases as rows."""
    cases = [document for document in many if document.name.startswith("case")]
    Case.objects.bulk_create((Case(token=c.name, text=c.passages[0].text) for c in cases), batch_size=2_000)
    return len(cases)


def test_reading_the_cases_from_the_database(benchmark, stored):
    read = benchmark.pedantic(lambda: list(lookup._cases()), rounds=1)
    assert len(read) == stored


def test_results_at_the_site(benchmark, client, built, stored, monkeypatch):
    shelf = lookup.Shelf()
    shelf._held = lookup.Held(lookup._state(), built)
    monkeypatch.setattr(lookup, "_shelf", shelf)
    answer = benchmark.pedantic(
        client.get, args=("/search/results/", {"q": QUERIES["mixed"]}), warmup_rounds=1, rounds=20
    )
    assert b"data-hit" in answer.content
