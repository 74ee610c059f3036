import pytest
from django.utils import timezone

from kb import diagnose
from kb.judgement import Submission
from kb.models import Case, Run
from probes.facts import Fact, Provenance
from tests import cast

pytestmark = pytest.mark.django_db


def discovered(*addresses: str) -> list[dict]:
    said = Provenance("probe", "engine.discover")
    return [Fact("engine.max_num_seqs", 1, said, f"engine:{address}").to_json() for address in addresses]


@pytest.fixture
def case(alice):
    host, _ = cast.host()
    found = diagnose.submit(Submission(text="vLLM is slow"), "en", alice)
    Run.objects.create(
        case=found, host=host, probe="engine.discover", state="done", facts=discovered("127.0.0.1:1", "127.0.0.1:2"),
        expires_at=timezone.now(),
    )  # fmt: skip
    return found


def limits(case: Case) -> list[str]:
    return [fact.subject for fact in diagnose.known_facts(case) if fact.name == "engine.max_num_seqs"]


def test_of_several_engines_none_counts_until_one_is_chosen(case):
    assert diagnose.engines_found(case) == ["127.0.0.1:1", "127.0.0.1:2"]
    assert limits(case) == []


def test_the_chosen_engine_alone_counts(case):
    case.engine = "127.0.0.1:2"
    assert limits(case) == ["engine:127.0.0.1:2"]


def test_a_single_engine_needs_no_choice(case):
    case.runs.update(facts=discovered("127.0.0.1:1"))
    assert limits(case) == ["engine:127.0.0.1:1"]
