"""Keys, tokens and passwords in a text, named by line and kind and never by value (O-PV-01).

The detectors are those of `redact-secret`: offline, deterministic, two megabytes, a sixth of a millisecond for ten
kilobytes. A short table of our own stands beside it for shapes that must not pass even where they look made up (an
example key in a note may be a real one), and for a few that it does not know. In code a name that a variable is set
from is not taken for its value.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class _Shape(NamedTuple):
    """What a kind of secret looks like, and a piece of text without which there is none (much faster to look for)."""

    kind: str
    trigger: str
    pattern: re.Pattern[str]


_ASSIGNED = "password or key"
_ASSIGNED_KEY = (
    r"(?i)\b[\w-]{0,40}(?:api|access|auth|secret|private|encryption)[_-]?(?:key|token)\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?=[a-z+/_=-]{0,200}\d)(?=[\d+/_=-]{0,200}[a-z])[a-z\d+/_=-]{32,}"
)
_ASSIGNED_PASSWORD = (
    r"(?i)\b[\w-]{0,40}(?:pass(?:word|wd|phrase|wort)|pwd)\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?=[^\s\d]{0,200}\d)(?=[^\sa-z]{0,200}[a-z])[^\s\"'`$<{%(\[\\]{6,200}(?![\w(\[.])"
)
_PRIVATE_KEY = (
    r"(?m)-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----\s*\n(?:[\w-]+: .*\n)*\s*[A-Za-z0-9+/=]{3,}\s*$"
)
_CONNECTION = r"\b[a-z][a-z0-9+.-]{1,30}://[^\s:/@\"'`<>]{0,80}:(?![$<{%*]|x{3}|\.{3})[^\s:/@\"'`<>]{3,200}@[\w.-]+"
_WEBHOOK = r"https://(?:hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/\d+/)[\w/-]{20,}"
_SHAPES = tuple(
    _Shape(kind, trigger, re.compile(pattern))
    for kind, trigger, pattern in (
        ("aws access key id", "IA", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        ("github token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
        ("github token", "github_pat_", r"\bgithub_pat_\w{40,}"),
        ("private key", "PRIVATE KEY", _PRIVATE_KEY),
        ("age secret key", "AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
        ("bearer token", "earer", r"(?i:\bbearer\s{1,3})[A-Za-z0-9._~+/-]{40,}"),
        ("jwt", "eyJ", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}"),
        ("webhook", "https://", _WEBHOOK),
        ("mailgun key", "key-", r"\bkey-[0-9a-f]{32}\b"),
        ("twilio key", "SK", r"\bSK[0-9a-f]{32}\b"),
        ("connection string password", "://", _CONNECTION),
        (_ASSIGNED, "=", _ASSIGNED_KEY),
        (_ASSIGNED, ":", _ASSIGNED_KEY),
        (_ASSIGNED, "=", _ASSIGNED_PASSWORD),
        (_ASSIGNED, ":", _ASSIGNED_PASSWORD),
    )
)

_EXPRESSION = re.compile(r"[A-Za-z_][A-Za-z_.]*(?:[(\[].*|[)\],;]*)$|[A-Za-z_][\w.]*[(\[].*$")
_DOCUMENTED = re.compile(r"//user(?:name)?:(?:password|passwd|pass|pwd|secret)@", re.IGNORECASE)
_QUOTES = frozenset("\"'`")


class Finding(NamedTuple):
    """Where something looks like a secret. It does not hold the value."""

    line: int
    """From 1."""
    kind: str


def find(text: str) -> tuple[Finding, ...]:
    """What looks like a key, token or password, in order, each kind once a line."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # half of a character, which the library refuses
    places = sorted({*_of_library(text), *_of_shapes(text)})
    return tuple(dict.fromkeys([Finding(text.count("\n", 0, start) + 1, kind) for start, kind in places]))


def _of_library(text: str) -> Iterator[tuple[int, str]]:
    import redact_secret

    for found in redact_secret.scan(text):
        is_assigned = found.type == "contextual_secret"
        if is_assigned and _is_expression(text, found.start, found.end):
            continue
        if not _DOCUMENTED.search(text, max(0, found.start - 12), found.end + 1):
            yield found.start, _ASSIGNED if is_assigned else found.type.replace("_", " ")


def _is_expression(text: str, start: int, end: int) -> bool:
    """Whether a bare value is a name, a call or plain words rather than a value (`password = ask()`)."""
    is_quoted = start > 0 and text[start - 1] in _QUOTES
    return not is_quoted and _EXPRESSION.match(text[start:end]) is not None


def _of_shapes(text: str) -> Iterator[tuple[int, str]]:
    for shape in _SHAPES:
        if shape.trigger in text:
            for found in shape.pattern.finditer(text):
                if not _DOCUMENTED.search(found[0]):
                    yield found.start(), shape.kind
