"""A host that was measured elsewhere is judged like one that is measured here."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from kb import diagnose, recording
from kb.models import Case

pytestmark = pytest.mark.django_db
LEADING = {
    "h200-7b-eager": "eager-mode",
    "h200-7b-offload": "cpu-offload",
    "h200-7b-small-kv": "kv-preemption",
    "h200-7b-max-num-seqs-1": "max-num-seqs-low",
    "h200-7b-lora": "lora-overhead",
}


@pytest.mark.parametrize(("name", "slug"), LEADING.items())
def test_each_shipped_recording_shows_its_cause_with_no_word_of_text(name, slug):
    case = diagnose.open_recording(recording.shipped()[name], "en")
    answer = diagnose.assessment(case)
    assert answer.verdict == "problem"
    assert answer.causes[0].slug == slug


def test_the_healthy_recording_is_called_healthy():
    case = diagnose.open_recording(recording.shipped()["h200-7b-healthy"], "en")
    assert diagnose.assessment(case).verdict == "healthy"


def test_an_example_on_the_home_page_opens_as_a_case(client):
    response = client.post("/examples/h200-7b-eager/?lang=zh", follow=True)
    page = response.content.decode()
    assert "decode.single_stream" in page and "CUDA graph" in page


def test_an_unknown_example_is_not_found(client):
    assert client.post("/examples/h200-70b-broken/").status_code == 404


def test_an_attached_recording_becomes_a_case(client):
    text = json.dumps(recording.shipped()["h200-7b-offload"].document)
    client.post("/", {"text": "", "file": SimpleUploadedFile("host.json", text.encode())}, follow=True)
    assert diagnose.assessment(Case.objects.get()).causes[0].slug == "cpu-offload"


def test_a_cut_recording_is_refused_with_what_to_do(client):
    text = json.dumps(recording.shipped()["h200-7b-offload"].document)[:5000]
    response = client.post("/?lang=en", {"text": text})
    assert response.status_code == 400 and "infermary check" in response.content.decode()
    assert not Case.objects.exists()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", sorted(recording.shipped()))
def test_every_shipped_recording_opens_as_a_page(client, name, language):
    assert client.post(f"/examples/{name}/?lang={language}", follow=True).status_code == 200
