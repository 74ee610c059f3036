"""Measurements are carried as one file and judged again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import kb
from probes import bundle
from probes.spec import Result
from tests.probes.asking import measured, values

EXAMPLES = sorted((Path(kb.__file__).parent / "examples").glob("*.json"))
REVEALS = {
    "healthy": ("decode.tokens_per_s", 205, 220), "eager": ("decode.tokens_per_s", 60, 81),
    "offload": ("decode.tokens_per_s", 4, 5), "small-kv": ("metrics.preemptions", 12, 60),
    "max-num-seqs-1": ("metrics.queue_mean_s", 4, 10), "lora": ("decode.tokens_per_s", 160, 170),
}  # fmt: skip


def test_what_is_saved_is_what_is_loaded(tmp_path):
    results = [measured("host.inventory", seconds=0.5), measured("no.such")]
    bundle.save(tmp_path / "b.json", results, host="gpu-box-1")
    loaded = bundle.load(tmp_path / "b.json")
    assert loaded.results == results
    assert (loaded.host, loaded.origin) == ("gpu-box-1", "")
    assert loaded.made_at
    assert bundle.judged_again(loaded.results) == results


def test_facts_are_made_anew_of_the_raw_reading():
    result = measured("host.inventory", seconds=0.5)
    stale = replace(result, facts=[])
    assert bundle.judged_again([stale])[0].facts == result.facts


def test_what_cannot_be_judged_again_keeps_its_facts():
    result = replace(measured("host.inventory", seconds=0.5), raw={"of": "another version"})
    unknown = Result("gone.probe", "ok", facts=result.facts, raw={"x": 1})
    assert bundle.judged_again([result, unknown]) == [result, unknown]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "no bundle"),
        ('{"results": []}', "no bundle"),
        (json.dumps({"format": bundle.FORMAT, "version": 99, "results": []}), "newer"),
        (json.dumps({"format": bundle.FORMAT, "version": 1, "results": [{"probe": 1}]}), "wrong"),
        (json.dumps({"format": bundle.FORMAT, "version": 1}), "wrong"),
    ],
)
def test_other_files_are_refused_in_both_languages(tmp_path, text, said):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(bundle.UnreadableBundleError, match=said) as caught:
        bundle.load(tmp_path / "b.json")
    assert caught.value.zh


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_shipped_examples_name_their_origin_and_still_say_the_same(path):
    example = bundle.load(path)
    assert "NVIDIA H200" in example.origin
    again = bundle.judged_again(example.results)
    assert again == example.results
    assert [result.probe for result in again] == [
        "host.inventory", "gpu.state", "engine.discover", "engine.metrics", "decode.single_stream",
    ]  # fmt: skip


@pytest.mark.parametrize("name", REVEALS)
def test_each_example_shows_its_fault(name):
    loaded = bundle.load(next(path for path in EXAMPLES if path.stem == f"h200-7b-{name}"))
    facts = values([fact for result in loaded.results for fact in result.facts])
    fact, low, high = REVEALS[name]
    assert low <= facts[fact] <= high
