"""Signed messages between the site and the workers: EdDSA JWTs, so that the broker alone gives nobody anything.

    request   site -> one host    run this probe with these parameters
    notice    site -> one host    cancel this run; your result of this run is stored
    report    host -> site        heartbeat, progress, result

Each is bound to one host and to a short time. A request is obeyed once: the worker remembers its id until it has
expired. Celery's own `auth` serialiser signs only the body of a message, not the task's name (docs/architecture.md).
"""

from __future__ import annotations

import os
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ALGORITHM = "EdDSA"
SITE = "infermary.site"
# Clocks of hosts differ; NTP keeps them well within this.
LEEWAY_S = 30
REPORT_LIMIT = 256 * 1024
"""Characters of a report; a probe's raw reading is at most a quarter of it."""
REQUEST_LIMIT = 16 * 1024
"""Characters of a request or notice; parameters of a probe are a few numbers and words."""
REPORT_EXPIRES_S = 7 * 24 * 3600
"""A result waits in the worker's spool while the site is down; storing it twice is harmless."""


class Rejected(Exception):
    """A message that is unsigned, altered, expired, replayed, too large or for somebody else."""


class Seen(Protocol):
    """Remembers ids of requests."""

    def first_time(self, jti: str, until: float) -> bool:
        """True once for an id; False for every further time before `until` (Unix seconds)."""


@dataclass(frozen=True, slots=True)
class Request:
    run: str
    probe: str
    params: dict[str, Any]
    expires: float


@dataclass(frozen=True, slots=True)
class Notice:
    kind: str
    run: str


@dataclass(frozen=True, slots=True)
class Report:
    kind: str
    host: str
    run: str
    body: dict[str, Any]


def new_key() -> str:
    """A fresh private key, PEM."""
    return (
        Ed25519PrivateKey.generate()
        .private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        .decode()
    )


def load_or_make_key(path: Path) -> str:
    """The private key in `path`, made at the first call, readable by its owner only.

    Raises:
        Rejected: others may read the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if path.stat().st_mode & 0o077:
            raise Rejected(f"others may read the key {path}; run: chmod 600 {path}") from None
        return path.read_text()
    with os.fdopen(descriptor, "w") as file:
        file.write(new_key())
    return path.read_text()


def public_key(private_pem: str) -> str:
    """The public half, PEM."""
    key = serialization.load_pem_private_key(private_pem.encode(), password=None)
    return (
        key.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )


def sign_request(private_pem: str, host: str, run: str, probe: str, params: dict[str, Any], expires_s: float) -> str:
    body = {"kind": "request", "run": run, "probe": probe, "params": params}
    return _sign(private_pem, SITE, f"host:{host}", body, expires_s)


def sign_notice(private_pem: str, host: str, kind: str, run: str, expires_s: float = 3600) -> str:
    return _sign(private_pem, SITE, f"host:{host}", {"kind": kind, "run": run}, expires_s)


def sign_report(private_pem: str, host: str, kind: str, run: str, body: dict[str, Any]) -> str:
    return _sign(private_pem, f"host:{host}", SITE, {"kind": kind, "run": run, "body": body}, REPORT_EXPIRES_S)


def verify_request(token: str, site_public_pem: str, host: str, seen: Seen | None = None) -> Request:
    """The request that a token carries, once.

    Raises:
        Rejected: with the reason.
    """
    claims = _verify(token, site_public_pem, SITE, f"host:{host}", REQUEST_LIMIT)
    if claims.get("kind") != "request" or not isinstance(claims.get("params"), dict):
        raise Rejected("not a request")
    if seen is not None and not seen.first_time(claims["jti"], claims["exp"] + LEEWAY_S):
        raise Rejected("replayed")
    return Request(str(claims["run"]), str(claims["probe"]), dict(claims["params"]), claims["exp"])


def verify_notice(token: str, site_public_pem: str, host: str, kind: str) -> Notice:
    """The notice that a token carries.

    Raises:
        Rejected: with the reason, also for a notice of another kind.
    """
    claims = _verify(token, site_public_pem, SITE, f"host:{host}", REQUEST_LIMIT)
    if claims.get("kind") != kind:
        raise Rejected(f"not a notice of kind {kind}")
    return Notice(kind, str(claims["run"]))


def claimed_host(token: str) -> str:
    """The host that a report says it is from, unverified: only to find the key to verify it with.

    Raises:
        Rejected: not a report of ours.
    """
    try:
        issuer = jwt.decode(token, options={"verify_signature": False}).get("iss", "")
    except (jwt.InvalidTokenError, AttributeError) as error:
        raise Rejected("not a signed message") from error
    if not str(issuer).startswith("host:"):
        raise Rejected("not a report of a host")
    return str(issuer).removeprefix("host:")


def verify_report(token: str, host_public_pem: str, host: str) -> Report:
    """The report that a token carries, from that host.

    Raises:
        Rejected: with the reason.
    """
    claims = _verify(token, host_public_pem, f"host:{host}", SITE, REPORT_LIMIT)
    if not isinstance(claims.get("body"), dict):
        raise Rejected("no body")
    return Report(str(claims.get("kind")), host, str(claims.get("run")), claims["body"])


def _sign(private_pem: str, issuer: str, audience: str, body: dict[str, Any], expires_s: float) -> str:
    now = time.time()
    claims = body | {"iss": issuer, "aud": audience, "iat": now, "exp": now + expires_s, "jti": uuid.uuid4().hex}
    return jwt.encode(claims, private_pem, algorithm=ALGORITHM)


def _verify(token: str, public_pem: str, issuer: str, audience: str, limit: int) -> dict[str, Any]:
    if not isinstance(token, str) or len(token) > limit:
        raise Rejected("too large, or no text")
    try:
        return jwt.decode(
            token, public_pem, algorithms=[ALGORITHM], issuer=issuer, audience=audience, leeway=LEEWAY_S,
            options={"require": ["exp", "iat", "iss", "aud", "jti"]},
        )  # fmt: skip
    except (jwt.InvalidTokenError, TypeError, AttributeError, KeyError) as error:
        raise Rejected(str(error) or type(error).__name__) from error
