"""The load generator against streams whose times are known.

The bounds are wide enough for a busy machine; how exact it is on a quiet one is for a benchmark to say.
"""

import itertools
import json

import pytest

from infermary import cli
from probes.load.arrivals import Arrivals
from probes.load.drive import Target, drive
from probes.load.prompts import Lengths, asks
from probes.load.summary import Goal, summary
from tests.load.schedule import Server, early_role, several, stalled, steady

NEAR = 0.2
ANSWER = 20


def loaded(shape, arrivals=None, seconds=1.5, goal=None):
    with Server(shape) as server:
        load = drive(
            Target(server.url, "scheduled"),
            arrivals or Arrivals("closed", clients=2),
            asks(Lengths(8), Lengths(ANSWER)),
            seconds,
        )
    return summary(load, goal)


@pytest.mark.parametrize("shape", [steady(0.2, 0.02), early_role(0.2, 0.02)], ids=["steady", "early role"])
def test_the_first_token_is_the_first_text(shape):
    found = loaded(shape)
    assert found["failed"] == []
    assert found["ttft_s"]["p50"] == pytest.approx(0.2, rel=NEAR)
    assert found["tpot_ms"]["p50"] == pytest.approx(20, rel=NEAR)
    assert found["output_tokens_mean"] == ANSWER


def test_several_tokens_in_a_chunk_are_counted_by_the_server():
    found = loaded(several(0.2, 0.1, each=5))
    assert found["tokens_by"] == "usage"
    assert found["tokens_per_chunk"] == pytest.approx(5, rel=0.05)
    assert found["tpot_ms"]["p50"] == pytest.approx(20, rel=NEAR)


def test_a_stall_is_seen():
    found = loaded(stalled(0.1, 0.01, at=10, stall=0.5))
    assert found["longest_stall_ms"] == pytest.approx(510, rel=NEAR)


def test_an_open_loop_sends_on_time_however_slow_the_answers_are():
    found = loaded(steady(1.0, 0.01), Arrivals("constant", rate=20), seconds=1.0)
    assert found["requests"] == 20
    assert found["concurrency_mean"] > 10
    assert found["client"]["sent_late_p99_ms"] < 100


def test_goodput_counts_the_requests_that_kept_their_goal():
    kept = loaded(steady(0.1, 0.01), goal=Goal(ttft_s=1.0, tpot_ms=100))
    broken = loaded(steady(0.1, 0.01), goal=Goal(ttft_s=0.01))
    assert kept["good_share"] == 1
    assert broken["good_share"] == 0


def test_a_server_that_is_gone_is_a_failure_of_each_request():
    with Server(steady(0.1, 0.01)) as server:
        url = server.url
    found = summary(drive(Target(url, "m"), Arrivals("constant", rate=5), asks(Lengths(8), Lengths(4)), 1.0, warm_up=0))
    assert sum(failure["count"] for failure in found["failed"]) == found["requests"] == 5


def test_clients_do_not_spin_against_a_server_that_is_gone():
    with Server(steady(0.1, 0.01)) as server:
        url = server.url
    found = summary(
        drive(Target(url, "m"), Arrivals("closed", clients=2), asks(Lengths(8), Lengths(4)), 1.2, warm_up=0)
    )
    assert 2 <= found["requests"] <= 8


def test_an_event_of_another_kind_is_a_failure_of_its_request():
    found = loaded(lambda n: [(0.0, [1])], Arrivals("constant", rate=4), seconds=1.0)
    assert {failure["error"] for failure in found["failed"]} == {"an event is no JSON object"}


def test_no_two_prompts_are_the_same_beyond_the_shared_beginning():
    made = list(itertools.islice(asks(Lengths(100), Lengths(5), shared=0.5, seed=3), 200))
    assert len({ask.prompt for ask in made}) == 200
    assert len({" ".join(ask.prompt.split()[:50]) for ask in made}) == 1
    assert all(len(ask.prompt.split()) == 100 for ask in made)


@pytest.mark.parametrize("kind", ["uniform", "lognormal"])
def test_drawn_lengths_have_the_mean_that_was_asked_for(kind):
    made = itertools.islice(asks(Lengths(100, kind), Lengths(50, kind), seed=1), 3000)
    assert sum(ask.tokens for ask in made) / 3000 == pytest.approx(50, rel=0.05)


def test_the_command_prints_what_it_measured(capsys):
    with Server(steady(0.05, 0.005)) as server:
        code = cli.main(
            ["load", server.url, "--concurrency", "3", "--seconds", "1", "--answer", "10", "--goal", "ttft:1", "--json"]
        )
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert found["model"] == "scheduled"
    assert found["good_share"] == 1


def test_the_command_says_it_in_both_languages(capsys):
    with Server(steady(0.05, 0.005)) as server:
        for lang, word in (("zh", "请求"), ("en", "requests")):
            assert cli.main(["load", server.url, "--rate", "5", "--seconds", "1", "--answer", "4", "--lang", lang]) == 0
            assert word in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["nonsense", "--rate", "1"], "no engine address"),
        (["http://192.0.2.1:8000", "--rate", "1"], "add --yes"),
        (["http://127.0.0.1:9", "--rate", "1"], "is the engine running"),
        (["http://127.0.0.1:9", "--rate", "-1"], "must be above 0"),
        (["http://127.0.0.1:9", "--concurrency", "1", "--goal", "speed:1"], "cannot read"),
        (["http://127.0.0.1:9", "--concurrency", "1", "--prefix", "1"], "--prefix"),
    ],
)
def test_what_cannot_be_done_is_said(args, says, capsys):
    assert cli.main(["load", *args, "--lang", "en"]) == 2
    assert says in capsys.readouterr().err
