import datetime as dt

import pytest
from django.utils import timezone

from kb import diagnose, tasks
from kb.judgement import Submission
from kb.models import AuditEvent, Run
from probes import envelope
from probes.facts import Fact, Provenance
from probes.spec import Result
from tests import cast

pytestmark = pytest.mark.django_db
HOT = Result(
    "gpu.state", "ok", facts=[Fact("gpu.temperature_c", 91.0, Provenance("probe", "gpu.state"), "gpu:0")], seconds=1.5
)


@pytest.fixture
def case():
    return diagnose.submit(Submission(text="vLLM on a 4090 gets slower and slower"), "en")


def start(case, host, user, callbacks):
    with callbacks(execute=True):
        return diagnose.start_probe(host, "gpu.state", {}, user, case=case)


def test_a_request_goes_signed_to_the_queue_of_its_host(case, alice, sent, django_capture_on_commit_callbacks):
    host, _ = cast.host()
    run = start(case, host, alice, django_capture_on_commit_callbacks)
    [(task, queue, token)] = sent
    assert (task, queue) == ("probes.run", f"probe.{host.pk}")
    request = envelope.verify_request(token, envelope.public_key(diagnose.dispatch.site_key()), host.pk)
    assert (request.run, request.probe) == (str(run.pk), "gpu.state")


def test_a_reader_may_not_run_a_probe(case, charlie, sent):
    host, _ = cast.host()
    with pytest.raises(diagnose.NotAllowed):
        diagnose.start_probe(host, "gpu.state", {}, charlie, case=case)
    assert sent == [] and not Run.objects.exists()


def test_a_probe_that_the_worker_does_not_offer_is_refused(case, alice):
    host, _ = cast.host()
    with pytest.raises(diagnose.NotAllowed, match="offers no probe"):
        diagnose.start_probe(host, "rm.everything", {}, alice, case=case)


def test_a_silent_host_gets_no_request(case, alice):
    host, _ = cast.host(online=False)
    with pytest.raises(diagnose.NotAllowed, match="does not answer"):
        diagnose.start_probe(host, "gpu.state", {}, alice, case=case)


def test_a_result_is_stored_once_and_changes_the_ranking(case, alice, sent, django_capture_on_commit_callbacks):
    host, key = cast.host()
    run = start(case, host, alice, django_capture_on_commit_callbacks)
    token = envelope.sign_report(key, host.pk, "result", str(run.pk), HOT.to_json())
    tasks.receive(token)
    tasks.receive(token)
    run.refresh_from_db()
    assert (run.state, run.outcome, run.seconds) == ("done", "ok", 1.5)
    assert case.rankings.count() == 2
    assert diagnose.assessment(type(case).objects.get(pk=case.pk)).facts.value("gpu.temperature_c") == 91.0
    assert [task for task, _, _ in sent].count("probes.acknowledge") == 2


def test_a_result_signed_by_another_host_changes_nothing(case, alice, sent, django_capture_on_commit_callbacks):
    host, _ = cast.host()
    other, other_key = cast.host("other")
    run = start(case, host, alice, django_capture_on_commit_callbacks)
    tasks.receive(envelope.sign_report(other_key, other.pk, "result", str(run.pk), HOT.to_json()))
    tasks.receive(envelope.sign_report(other_key, host.pk, "result", str(run.pk), HOT.to_json()))
    run.refresh_from_db()
    assert run.is_open


def test_a_revoked_host_is_not_listened_to(case, alice, sent, django_capture_on_commit_callbacks):
    host, key = cast.host()
    run = start(case, host, alice, django_capture_on_commit_callbacks)
    type(host).objects.filter(pk=host.pk).update(revoked_at=timezone.now())
    tasks.receive(envelope.sign_report(key, host.pk, "result", str(run.pk), HOT.to_json()))
    run.refresh_from_db()
    assert run.is_open


def test_noise_on_the_results_queue_is_refused_quietly():
    tasks.receive("not a token")


def test_a_run_that_nobody_answers_ends_with_the_reason(case, alice, sent, django_capture_on_commit_callbacks):
    host, _ = cast.host()
    run = start(case, host, alice, django_capture_on_commit_callbacks)
    Run.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
    tasks.end_lost_runs()
    run.refresh_from_db()
    assert run.state == "lost" and "No answer" in run.reason_en and "worker" in run.reason_zh


def test_a_late_result_does_not_revive_a_cancelled_run(case, alice, sent, django_capture_on_commit_callbacks):
    host, key = cast.host()
    run = start(case, host, alice, django_capture_on_commit_callbacks)
    assert diagnose.cancel(run, alice)
    tasks.receive(envelope.sign_report(key, host.pk, "result", str(run.pk), HOT.to_json()))
    run.refresh_from_db()
    assert run.state == "cancelled" and run.facts == []
    assert [task for task, _, _ in sent] == ["probes.run", "probes.cancel", "probes.acknowledge"]


def test_what_was_asked_of_a_host_is_on_record(case, alice, sent, django_capture_on_commit_callbacks):
    host, _ = cast.host()
    start(case, host, alice, django_capture_on_commit_callbacks)
    event = AuditEvent.objects.get(action="run.requested")
    assert event.actor == alice and event.detail["probe"] == "gpu.state"
