"""Who may call the HTTP server, and how much: the first thing that every request meets.

`Host` and `Origin` keep web pages of elsewhere out (DNS rebinding), a token keeps strangers out, limits keep the
process alive. Each request leaves one line of JSON in the log: when, what kind, which vault, how long; never a
query, an id, or a word of a memory.
"""

import hmac
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import anyio

from memtend.errors import Refused

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = tuple[int, str, str]
"""Why a request is not let through: status, code, message."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST_BODY_BYTES = 4 * 1024 * 1024
BODY_SECONDS = 60.0
"""Within which a body must be here: a client that stays away holds one of the places that others wait for."""
MOST_REQUESTS = 256
"""At the same time; each open stream of a client is one."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What is let through. `hosts` are names without ports, `tokens` are by vault; an empty one asks for none."""

    app: App
    hosts: tuple[str, ...]
    tokens: Mapping[str, str]
    vault_of: Callable[[str], str]
    """The vault that a path is about; empty for a path of none."""
    log: Callable[[str], object] = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: T201
    seconds: float = BODY_SECONDS
    _open: list[None] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def told(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        self._open.append(None)
        try:
            await self._guarded(scope, receive, told)
        finally:
            self._open.pop()
            self._note(scope, status, time.perf_counter() - started)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        body = b"" if refusal else await _read(receive, self.seconds)
        if refusal or not isinstance(body, bytes):
            await answer(send, *(refusal or body))
            return
        await self.app(scope, _replayed(body, receive), send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """Why a request is not let through."""
        headers = {name.lower(): value for name, value in scope["headers"]}
        if len(self._open) > MOST_REQUESTS:
            return 503, "busy", "Too many requests at the same time."
        if _host_of(headers.get(b"host", b"").decode("latin-1")) not in self.hosts:
            return 421, "host", "This host is not served here."
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and _host_of(origin.partition("://")[2]) not in self.hosts:
            return 403, "origin", "Pages of that origin may not call this server."
        if _length(headers.get(b"content-length", b"0")) > LARGEST_BODY_BYTES:
            return _TOO_LARGE
        token = self.tokens.get(self.vault_of(scope["path"]), "")
        if token and not _is_token(headers.get(b"authorization", b""), token):
            return 401, "token", "A token is needed: Authorization: Bearer TOKEN."
        return None

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route")
        noted = {
            "at": moment(),
            "method": scope["method"],
            "route": getattr(route, "path", "") or ("/mcp" if scope["path"].endswith("/mcp") else ""),
            "vault": self.vault_of(scope["path"]),
            "status": status,
            "ms": round(seconds * 1000, 1),
        }
        self.log(json.dumps(noted))


def moment() -> str:
    """Now, as the log writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def require_token(host: str, tokens: Mapping[str, str]) -> None:
    """Raise Refused where an address that others reach would be served to anybody."""
    open_vaults = [name for name, token in tokens.items() if not token]
    if host not in LOOPBACK and open_vaults:
        raise Refused(
            f"{host} can be reached by others, and {', '.join(open_vaults)} has no token",
            hint="Give --token (or MEMTEND_TOKEN), or serve on 127.0.0.1.",
        )


def _host_of(given: str) -> str:
    """A host without its port, lower case; brackets of IPv6 addresses off."""
    given = given.strip().lower()
    if given.startswith("["):
        return given[1:].partition("]")[0]
    return given.partition("/")[0].partition(":")[0]


def _length(given: bytes) -> int:
    return int(given) if given.isdigit() else 0


def _is_token(given: bytes, token: str) -> bool:
    kind, _, value = given.partition(b" ")
    return kind.lower() == b"bearer" and hmac.compare_digest(value.strip(), token.encode())


_TOO_LARGE = (413, "too-large", "The body is too large.")
_TOO_SLOW = (408, "too-slow", "The body did not come in time.")
_CUT = (400, "cut", "The body ended before its end.")


async def _read(receive: Receive, seconds: float) -> bytes | Refusal:
    """The whole body, or why there is none."""
    body = bytearray()
    with anyio.move_on_after(seconds):
        while len(body) <= LARGEST_BODY_BYTES:
            message = await receive()
            if message["type"] != "http.request":
                return _CUT
            body += message.get("body", b"")
            if not message.get("more_body", False):
                return bytes(body) if len(body) <= LARGEST_BODY_BYTES else _TOO_LARGE
        return _TOO_LARGE
    return _TOO_SLOW


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once more, for whom it is meant."""
    left: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> MutableMapping[str, Any]:
        return left.pop() if left else await receive()

    return again


async def answer(send: Send, status: int, code: str, message: str) -> None:
    """A refusal as JSON."""
    body = json.dumps({"status": "error", "error": {"code": code, "message": message, "hint": ""}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"www-authenticate", b"Bearer")] if status == 401 else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
