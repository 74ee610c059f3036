"""A small OpenID provider: one person, one client, the code flow with PKCE, on a loopback port."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "infermary", "a secret between the two"


@dataclass
class Provider:
    """`claims` is who signs in; `refuses` makes it send the person back without a code."""

    url: str = ""
    claims: dict = field(
        default_factory=lambda: {"sub": "42", "preferred_username": "erin", "email": "erin@example.org"}
    )
    refuses: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))

    def configuration(self) -> dict:
        return {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo", "jwks_uri": f"{self.url}/jwks",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }  # fmt: skip

    def jwks(self) -> dict:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [public | {"kid": "1", "use": "sig", "alg": "RS256"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes next; the person has agreed already."""
        if self.refuses:
            back = {"error": "access_denied", "state": asked["state"]}
        else:
            assert asked["client_id"] == CLIENT and asked["code_challenge_method"] == "S256"
            code = secrets.token_urlsafe()
            self.codes[code] = asked
            back = {"code": code, "state": asked["state"]}
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def token(self, sent: dict[str, str]) -> dict | None:
        """The tokens for a code, once, for the client that asked for it; None for anybody else."""
        asked = self.codes.pop(sent.get("code", ""), None)
        proof = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        if (
            asked is None
            or (sent.get("client_id"), sent.get("client_secret")) != (CLIENT, SECRET)
            or sent.get("redirect_uri") != asked["redirect_uri"]
            or base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return None
        now = int(time.time())
        body = self.claims | {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300}
        token = secrets.token_urlsafe()
        self.tokens.add(token)
        signed = jwt.encode(body, self.key, "RS256", headers={"kid": "1"})
        return {"access_token": token, "token_type": "Bearer", "expires_in": 300, "id_token": signed}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def log_message(self, *args) -> None:
        pass

    def _json(self, body: dict | None) -> None:
        self.send_response(200 if body is not None else 400)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body or {"error": "invalid_grant"}).encode())

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        match parts.path:
            case "/.well-known/openid-configuration":
                self._json(self.provider.configuration())
            case "/jwks":
                self._json(self.provider.jwks())
            case "/authorize":
                self.send_response(302)
                self.send_header("Location", self.provider.authorize(_single(parts.query)))
                self.end_headers()
            case "/userinfo":
                known = self.headers.get("Authorization", "").removeprefix("Bearer ") in self.provider.tokens
                self._json(self.provider.claims if known else None)

    def do_POST(self) -> None:
        self._json(self.provider.token(_single(self.rfile.read(int(self.headers["Content-Length"])).decode())))


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


@contextmanager
def running() -> Iterator[Provider]:
    provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": provider}))
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
