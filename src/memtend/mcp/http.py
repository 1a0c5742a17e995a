"""`memtend serve`: several vaults over HTTP, each by name with its own token; MCP and REST from one table of tools.

/mcp  /api                          the first vault
/vaults/NAME/mcp  /vaults/NAME/api  each vault
"""

import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from types import TracebackType

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from memtend.errors import Usage
from memtend.mcp import rest
from memtend.mcp.desk import Desk
from memtend.mcp.guard import LARGEST_BODY_BYTES, LOOPBACK, Guard, moment, require_token
from memtend.mcp.server import build
from memtend.mcp.tools import GROUPS, tools

MOST_SESSIONS = 1_000
IDLE_SECONDS = 1_800.0


@dataclass(frozen=True, slots=True)
class Served:
    """A vault that is served: its name in paths, what it is, and its token (empty: none is asked for)."""

    name: str
    desk: Desk
    token: str = ""


def application(
    vaults: Sequence[Served],
    *,
    host: str = LOOPBACK[0],
    also: Sequence[str] = (),
    groups: Sequence[str] = GROUPS,
    log: Callable[[str], object] | None = None,
) -> Guard:
    """The whole server as an ASGI application. `also` are further names that it is reached by.

    Raises Refused where others could reach a vault without a token, Usage where two vaults share a name, NotFound
    where a place that was named is not there.
    """
    names = [vault.name for vault in vaults]
    if len(set(names)) < len(names) or not names:
        raise Usage(f"each vault needs a name of its own: {', '.join(names)}", hint="Say --add NAME=DIR.")
    tokens = {vault.name: vault.token for vault in vaults}
    require_token(host, tokens)
    for vault in vaults:
        vault.desk.require_places()
    managers = [_manager(vault, groups) for vault in vaults]
    places = [(vault, manager, f"/vaults/{vault.name}") for vault, manager in zip(vaults, managers, strict=True)]
    places.append((vaults[0], managers[0], ""))
    routes = [route for vault, manager, prefix in places for route in _routes(vault, manager, prefix, groups)]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for manager in managers:
                await stack.enter_async_context(manager.run())
            yield

    app = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _not_there, Exception: _broken}
    )
    hosts = tuple({host.lower(), *map(str.lower, also), *(LOOPBACK if host in LOOPBACK else ())})
    guard = Guard(app, hosts, tokens, lambda path: _vault_of(path, names))
    return guard if log is None else Guard(app, hosts, tokens, guard.vault_of, log)


def _manager(vault: Served, groups: Sequence[str]) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        build(vault.desk, groups),
        session_idle_timeout=IDLE_SECONDS,
        max_request_body_size=LARGEST_BODY_BYTES,
        max_sessions=MOST_SESSIONS,
    )


def _routes(
    vault: Served, manager: StreamableHTTPSessionManager, prefix: str, groups: Sequence[str]
) -> list[BaseRoute]:
    mcp = Route(f"{prefix}/mcp", StreamableHTTPASGIApp(manager))
    return [mcp, *rest.routes(vault.desk, tools(groups), f"{prefix}/api")]


def _vault_of(path: str, names: Sequence[str]) -> str:
    """The vault of a path. What names no vault is guarded like the first one."""
    parts = path.split("/")
    return parts[2] if len(parts) > 2 and parts[1] == "vaults" and parts[2] in names else names[0]


async def _not_there(_: Request, fault: Exception) -> Response:
    status = fault.status_code if isinstance(fault, HTTPException) else 500
    headers = fault.headers if isinstance(fault, HTTPException) else None
    message = {404: "There is nothing at this path.", 405: "This path has another method."}.get(status, "Refused.")
    code = {404: "not-found", 405: "method"}.get(status, "refused")
    error = {"code": code, "message": message, "hint": "/api describes what there is."}
    return JSONResponse({"status": "error", "error": error}, status, headers=headers)


async def _broken(_: Request, __: Exception) -> Response:
    error = {
        "code": "internal",
        "message": "This is a fault of memtend.",
        "hint": "The server's log says where. Please report it.",
    }
    return JSONResponse({"status": "error", "error": error}, 500)


class _Noted(logging.Handler):
    """What libraries have to say, as lines of the log: their own words, without what they put into them."""

    def __init__(self, log: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """One line; of a fault, its kind and place alone."""
        noted = {"at": moment(), "level": record.levelname.lower(), "message": str(record.msg).strip()}
        kind, _, trace = record.exc_info or (None, None, None)
        if kind is not None:
            noted |= {"error": kind.__name__, "where": _place(trace)}
        self._log(json.dumps(noted))


def _place(trace: TracebackType | None) -> str:
    """The line of code that a fault comes from."""
    frames = list(walk_tb(trace))
    return f"{Path(frames[-1][0].f_code.co_filename).name}:{frames[-1][1]}" if frames else ""


def serve(app: Guard, host: str, port: int, ready: Callable[[int], object]) -> None:
    """Serve until Ctrl-C. `ready` is called with the port once it listens; port 0 takes a free one."""
    import asyncio
    import socket

    import uvicorn

    logging.basicConfig(handlers=[_Noted(app.log)], level=logging.WARNING, force=True)

    config = uvicorn.Config(
        app, host=host, port=port, access_log=False, log_config=None, lifespan="on", timeout_graceful_shutdown=3
    )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
        ready(listener.getsockname()[1])
        with suppress(KeyboardInterrupt):  # that is how it ends
            asyncio.run(uvicorn.Server(config).serve([listener]))
