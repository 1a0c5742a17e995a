"""What comes in and is no message of the protocol: it is answered with an error, so that its sender does not wait.

The SDK only notes such a line. Where the number of a request can still be made out, the error carries it; a client
that sent half a character or a list in place of an object then hears so instead of running into its time-out.
"""

import re
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

_ID = re.compile(r'"id"\s*:\s*(?:(-?\d{1,18})\b|"([^"\\]{0,200})")')
_LOOKED_AT = 2_000
"""Characters of a line in which its number is looked for."""


class Sieve:
    """A stream of messages, without what is none."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Any:
        """The context of the last message's sender, as the SDK asks for it."""
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage:
        """The next message. Raises EndOfStream."""
        while True:
            message = await self._incoming.receive()
            error = refusal(message)
            if error is not None:
                await self._outgoing.send(SessionMessage(error))
            elif not isinstance(message, Exception):
                return message  # type: ignore[no-any-return]

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Read no further."""
        await self._incoming.aclose()

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._incoming.__aexit__(kind, fault, trace)  # type: ignore[no-any-return]


def refusal(fault: Exception | SessionMessage) -> types.JSONRPCError | None:
    """The answer to a line that is no message; None for an empty line, for what is no request's, and for a message.

    A request whose id is neither a text nor a whole number is read as a notification, of a name that none has.
    """
    if isinstance(fault, SessionMessage):
        notice = fault.message
        if not isinstance(notice, types.JSONRPCNotification) or notice.method.startswith("notifications/"):
            return None
        said = types.ErrorData(code=types.INVALID_REQUEST, message="A request needs an id: a text or a whole number.")
        return types.JSONRPCError(jsonrpc="2.0", id=None, error=said)
    if not isinstance(fault, ValidationError):
        return None
    inputs = [(each["type"], each["input"]) for each in fault.errors(include_url=False, include_context=False)]
    line = next((given for kind, given in inputs if kind == "json_invalid" and isinstance(given, str)), None)
    if line is not None:
        is_answered, id = _of_line(line)
        said = types.ErrorData(code=types.PARSE_ERROR, message="This line is no JSON that can be read.")
    else:
        is_answered, id = _of_values([given for _, given in inputs])
        said = types.ErrorData(code=types.INVALID_REQUEST, message="This is no request of JSON-RPC 2.0.")
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=said) if is_answered else None


def _of_line(line: str) -> tuple[bool, int | str | None]:
    head = line[:_LOOKED_AT]
    found = _ID.search(head) if '"method"' in head else None
    id = None if found is None else found[2] if found[1] is None else int(found[1])
    return bool(line.strip()) and (id is not None or '"result"' not in head), id


def _of_values(values: list[Any]) -> tuple[bool, int | str | None]:
    objects = [value for value in values if isinstance(value, dict)]
    request = next((value for value in objects if "method" in value), None)
    id = request.get("id") if request else None
    is_number = isinstance(id, int | str) and not isinstance(id, bool)
    return request is not None or not objects, id if is_number else None
