"""What the real metrics probe reads of a server in each state, judged: "healthy" appears only where all is well."""

from __future__ import annotations

import pytest

from kb.assessment import assess
from kb.judgement import Assessment, Submission
from kb.knowledge import shipped
from tests.probes.asking import measured
from tests.probes.mock_engine import mock_engine

VERDICTS = {
    "healthy": "healthy",
    "v0names": "healthy",  # the same healthy server under the metric names of an older release
    "kvfull": "problem",
    "queue": "problem",
    "preempt": "problem",
    "errors": "problem",
    "decode_slow": "problem",
    "imbalance": "problem",
    "sglang": "problem",  # its cache is 97% full and 30 requests wait
    "prefix_low": "suspected",
    "idle": "no_data",
    "empty": "no_data",
    "http500": "no_data",
    "resets": "no_data",
}
LEADING = {
    "kvfull": "kv-preemption",
    "preempt": "kv-preemption",
    "queue": "max-num-seqs-low",
}
WORDS = {
    "errors": "30%",
    "decode_slow": "180 ms",
    "empty": "empty",
    "http500": "error",
    "imbalance": "replica",
    "idle": "idle",
}


def judged(scenario: str) -> Assessment:
    with mock_engine(scenario=scenario) as engine:
        result = measured("engine.metrics", engine.address, seconds=1)
    return assess(Submission(), shipped(), facts=result.facts)


@pytest.mark.parametrize(("scenario", "verdict"), VERDICTS.items())
def test_the_verdict_of_each_state(scenario, verdict):
    assert judged(scenario).verdict == verdict


@pytest.mark.parametrize(("scenario", "slug"), LEADING.items())
def test_the_cause_that_leads(scenario, slug):
    assert judged(scenario).causes[0].slug == slug


@pytest.mark.parametrize(("scenario", "words"), WORDS.items())
def test_what_was_seen_is_called_what_it_is(scenario, words):
    said = " ".join(finding.en for finding in judged(scenario).findings)
    assert words.lower() in said.lower()


def test_metrics_of_another_program_are_not_taken_for_an_engine():
    assert judged("foreign").verdict == "no_data"
