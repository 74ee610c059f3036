"""Removes secrets and personal data from pasted text before it is stored or read. Pure, linear time.

    redact(text) -> (text, how many were removed)

Each is replaced by a visible mark such as `‹redacted:hf-token›`. Redacting twice changes nothing.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

import re2

Match = re2._Match if hasattr(re2, "_Match") else object


def _whole(kind: str) -> Callable[[Match], str]:
    return lambda _match: f"‹redacted:{kind}›"


def _keep_ends(kind: str) -> Callable[[Match], str]:
    """Keeps the first group, and the third where there is one: `password=` stays readable."""
    return lambda match: match.group(1) + f"‹redacted:{kind}›" + (match.group(3) if match.re.groups > 2 else "")


_NO_SECRETS = {"none", "null", "true", "false", "empty", "token", "str", "string", "os", "xxx", "***"}


def _assigned(match: Match) -> str:
    value = match.group(2)
    if value.lower() in _NO_SECRETS or value[0] in "$<{‹%" or value.startswith("os."):
        return match.group(0)
    return f"{match.group(1)}‹redacted:secret›"


# Four-part version numbers look like addresses: cuDNN 8.9.2.26, driver branches, package pins.
_VERSION_BEFORE = re2.compile(r"(?i)(?:cudnn|version|版本|cuda|nccl|driver|build|[vV=_-])[ :=v]{0,4}$")


def _address(match: Match) -> str:
    text = match.group(0)
    if text.startswith(("127.", "10.", "192.168.", "0.")):
        return text
    try:
        is_public = ipaddress.ip_address(text).is_global
    except ValueError:
        return text
    before = match.string[max(0, match.start() - 16) : match.start()]
    return text if not is_public or _VERSION_BEFORE.search(before) else "‹redacted:ip›"


_NAMES = (
    r"[A-Za-z0-9_-]{0,40}(?:api[-_]?key|access[-_]?key(?:[-_]?id)?|secret[-_]?key|secret|auth[-_]?token|access[-_]?token|"
    r"hf[-_]?token|hub[-_]?token|password|passwd|密码)"
)
_RULES: tuple[tuple[object, Callable[[Match], str]], ...] = (
    (re2.compile(r"\bhf_[A-Za-z0-9]{16,}"), _whole("hf-token")),
    (re2.compile(r"\bsk-[A-Za-z0-9_-]{16,}"), _whole("api-key")),
    (re2.compile(r"\b(?:gh[opsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})"), _whole("git-token")),
    (re2.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"), _whole("aws-key")),
    (re2.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"), _whole("jwt")),
    (re2.compile(r"(?i)(\bbearer\s{1,4})([A-Za-z0-9._~+/=-]{12,})"), _keep_ends("bearer-token")),
    (re2.compile(r"(://[^\s:/@‹]{0,80}:)([^\s/@‹]{1,200})(@)"), _keep_ends("password")),
    (re2.compile(r"(?i)(" + _NAMES + r"[\"']?\s{0,3}[=:：]\s{0,3}[\"']?)([^\s\"',;)‹]{4,200})"), _assigned),
    (re2.compile(r"(?i)(--" + _NAMES + r"\s{1,3}[\"']?)([^\s\"',;)‹]{3,200})"), _assigned),
    (re2.compile(r"(?i)((?:密码|口令|password|passwd)\s{0,2}(?:是|为|is)\s{0,3}[\"'“]?)([A-Za-z!@#$%^&*._+-]{3,100}[0-9][A-Za-z0-9!@#$%^&*._+-]{0,100}|[A-Za-z!@#$%^&*._+-]{0,3}[0-9][A-Za-z0-9!@#$%^&*._+-]{3,100})"), _assigned),
    (re2.compile(r"(?i)((?:电话|手机号?|微信|联系(?:方式)?|\b(?:phone|tel|mobile|whatsapp)\b)[^\d\n]{0,8})(\+?\d[\d -]{6,16}\d)"), _keep_ends("phone")),
    (re2.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,12}\b"), _whole("email")),
    (re2.compile(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"), _address),
    (re2.compile(r"(?i)(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}"), _address),
    (re2.compile(r"((?:/home/|/Users/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}))([^\s/\\‹:\"'<>|]{1,64})"), _keep_ends("user")),
)  # fmt: skip


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def redact(text: str) -> tuple[str, int]:
    """`text` without secrets, and how many were replaced. A lone surrogate becomes U+FFFD: no database takes it."""
    text = _LONE_SURROGATE.sub("\ufffd", text)
    count = 0
    for pattern, replace in _RULES:
        pieces, done = [], 0
        for match in pattern.finditer(text):
            replacement = replace(match)
            if replacement == match.group(0):
                continue
            pieces += [text[done : match.start()], replacement]
            done = match.end()
            count += 1
        if pieces:
            text = "".join([*pieces, text[done:]])
    return text, count
