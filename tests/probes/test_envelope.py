"""Messages are acted upon only if the right side signed them, for this host, just now, and once."""

from __future__ import annotations

import json
import time

import jwt
import pytest

from probes import envelope
from probes.spool import SeenFolder

HOST, OTHER = "host-a", "host-b"


@pytest.fixture(scope="module")
def site():
    return envelope.new_key()


@pytest.fixture
def seen(tmp_path):
    return SeenFolder(tmp_path / "seen")


def verified(token, site, seen, host=HOST):
    return envelope.verify_request(token, envelope.public_key(site), host, seen)


def request(site, expires_s=60, host=HOST, params=None):
    return envelope.sign_request(site, host, "run1", "gpu.state", params or {"seconds": 2}, expires_s)


def altered(token):
    """The same token with another probe in its content."""
    header, content, signature = token.split(".")
    claims = json.loads(jwt.utils.base64url_decode(content)) | {"probe": "host.inventory"}
    return ".".join((header, jwt.utils.base64url_encode(json.dumps(claims).encode()).decode(), signature))


def unsigned(token):
    claims = jwt.decode(token, options={"verify_signature": False})
    return jwt.encode(claims, "", algorithm="none")


def test_a_request_arrives_as_it_was_signed(site, seen):
    found = verified(request(site), site, seen)
    assert (found.run, found.probe, found.params) == ("run1", "gpu.state", {"seconds": 2})


@pytest.mark.parametrize("change", [altered, unsigned, lambda token: token[:-4], lambda token: "", lambda token: None])
def test_what_is_altered_unsigned_or_broken_is_refused(site, seen, change):
    with pytest.raises(envelope.Rejected):
        verified(change(request(site)), site, seen)


def test_a_request_of_another_signer_is_refused(site, seen):
    with pytest.raises(envelope.Rejected):
        verified(request(envelope.new_key()), site, seen)


def test_a_request_to_another_host_is_refused(site, seen):
    with pytest.raises(envelope.Rejected):
        verified(request(site, host=OTHER), site, seen)


def test_an_expired_request_is_refused(site, seen):
    with pytest.raises(envelope.Rejected):
        verified(request(site, expires_s=-envelope.LEEWAY_S - 1), site, seen)


def test_a_request_is_obeyed_once_even_after_a_restart(site, seen, tmp_path):
    token = request(site)
    verified(token, site, seen)
    with pytest.raises(envelope.Rejected, match="replay"):
        verified(token, site, SeenFolder(tmp_path / "seen"))


def test_a_huge_request_is_refused_before_it_is_read(site, seen):
    with pytest.raises(envelope.Rejected, match="too large"):
        verified(request(site, params={"x": "y" * envelope.REQUEST_LIMIT}), site, seen)


def test_a_notice_is_no_request_and_a_report_neither(site, seen):
    for token in (
        envelope.sign_notice(site, HOST, "cancel", "run1"),
        envelope.sign_report(site, HOST, "result", "run1", {}),
    ):
        with pytest.raises(envelope.Rejected):
            verified(token, site, seen)


def test_a_report_is_bound_to_its_host_and_its_key(site):
    key = envelope.new_key()
    token = envelope.sign_report(key, HOST, "result", "run1", {"outcome": "ok"})
    assert envelope.claimed_host(token) == HOST
    assert envelope.verify_report(token, envelope.public_key(key), HOST).body == {"outcome": "ok"}
    for public, host in ((envelope.public_key(site), HOST), (envelope.public_key(key), OTHER)):
        with pytest.raises(envelope.Rejected):
            envelope.verify_report(token, public, host)


def test_a_report_that_is_too_large_is_refused():
    key = envelope.new_key()
    token = envelope.sign_report(key, HOST, "result", "run1", {"raw": "x" * envelope.REPORT_LIMIT})
    with pytest.raises(envelope.Rejected, match="too large"):
        envelope.verify_report(token, envelope.public_key(key), HOST)


def test_a_key_is_made_once_for_its_owner_only_and_refused_when_others_can_read_it(tmp_path):
    path = tmp_path / "keys" / "k.pem"
    key = envelope.load_or_make_key(path)
    assert envelope.load_or_make_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(envelope.Rejected, match="chmod 600"):
        envelope.load_or_make_key(path)


def test_expired_ids_are_forgotten(tmp_path):
    seen = SeenFolder(tmp_path)
    assert seen.first_time("old", time.time() - 100)
    assert seen.first_time("new", time.time() + 100)
    assert len(list(tmp_path.iterdir())) == 1
    assert not seen.first_time("new", time.time() + 100)
