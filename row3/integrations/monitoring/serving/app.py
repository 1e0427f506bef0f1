"""The dashboard's routes and access rules; all open pages share one query of the store."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic_core import to_json
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from row3.errors import Row3Error
from row3.integrations.monitoring.serving.panels import CONTENT_TYPE, exposition, page, read_recent
from row3.integrations.monitoring.storage import Store
from row3.project.integration_config import AlertsConfig
from row3.providers.base import is_exposed

REFRESH_S = 2.0
STATIC = Path(__file__).parent / "static"
UPLOT = "uplot-1.6.32"
FILES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
    "/uplot.css": (f"{UPLOT}/uPlot.min.css", "text/css"),
    "/uplot.js": (f"{UPLOT}/uPlot.iife.min.js", "text/javascript"),
}
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-accel-buffering": "no",  # proxies pass events on at once
}
COOKIE = "row3_monitor"
LOGIN = "This dashboard needs its token: open /?token=TOKEN once, or send `Authorization: Bearer TOKEN`.\n"
HOST = "Without a token the dashboard answers this machine only: use http://127.0.0.1, or set ROW3_MONITOR_TOKEN.\n"


class Snapshot(NamedTuple):
    """One refresh, ready to send: the page as JSON, or as `{"fault": "…"}`, and `/metrics`."""

    page: bytes
    metrics: str
    fault: str = ""


def read(store: Store, settings: AlertsConfig) -> Snapshot:
    """Query the store; an error becomes part of the snapshot."""
    try:
        with store.open() as connection:
            seen = read_recent(connection, int(time.time() * 1000), settings)
    except Row3Error as error:
        return Snapshot(to_json({"fault": str(error)}), "", str(error))
    return Snapshot(to_json(page(seen)), exposition(seen))


class Feed:
    """Snapshots for all open pages; without one, the store is not queried."""

    def __init__(self, ask: Callable[[], Snapshot], refresh_s: float = REFRESH_S) -> None:
        self._ask, self._refresh_s, self._due = ask, refresh_s, 0.0
        self._asking: asyncio.Task[Snapshot] | None = None
        self._closing = asyncio.Event()

    async def snapshot(self) -> Snapshot:
        """Return the newest snapshot, or the next one if it is due."""
        if self._asking is None or (self._asking.done() and time.monotonic() >= self._due):
            self._asking = asyncio.create_task(self._next())
        return await asyncio.shield(self._asking)  # a page that closes does not cancel it for the others

    async def _next(self) -> Snapshot:
        begun = time.monotonic()
        try:
            return await asyncio.to_thread(self._ask)
        finally:
            self._due = (now := time.monotonic()) + max(self._refresh_s, 10 * (now - begun))

    async def events(self) -> AsyncIterator[bytes]:
        """Yield a server-sent event for each change, and a comment if there is none, until `close`."""
        sent = b""
        while not (sent and self._closing.is_set()):
            snapshot = await self.snapshot()
            yield b":\n\n" if snapshot.page == sent else b"data: %b\n\n" % snapshot.page
            sent = snapshot.page
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), max(0.1, self._due - time.monotonic()))

    def close(self) -> None:
        """End all streams."""
        self._closing.set()


def application(feed: Feed, token: str = "") -> ASGIApp:
    """Return the ASGI application; it answers only requests with the token, or without one only loopback hosts."""

    async def send_file(request: Request, content: bytes, media_type: str) -> Response:
        return Response(content, media_type=media_type)

    async def events(request: Request) -> Response:
        return StreamingResponse(feed.events(), media_type="text/event-stream")

    async def metrics(request: Request) -> Response:
        snapshot = await feed.snapshot()
        if snapshot.fault:
            return PlainTextResponse(f"{snapshot.fault}\n", 503)
        return Response(snapshot.metrics, media_type=CONTENT_TYPE)

    files = [
        Route(path, partial(send_file, content=(STATIC / name).read_bytes(), media_type=type_))
        for path, (name, type_) in FILES.items()
    ]
    return Doorkeeper(Starlette(routes=[*files, Route("/events", events), Route("/metrics", metrics)]), token)


class Doorkeeper:
    """Refuses requests without access, and adds the headers that every answer has."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()
        # The browser stores this instead of the token.
        self._cookie = hmac.digest(self._token, b"row3 monitor serve", hashlib.sha256).hex()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await (self._refusal(Request(scope)) or self._app)(scope, receive, with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """Return the answer to a request without access; None for one with access."""
        if not self._token:
            return PlainTextResponse(HOST, 403) if _names_other_host(request.headers.get("host", "")) else None
        if hmac.compare_digest(request.query_params.get("token", "").encode(), self._token):
            answer = RedirectResponse("./", 303)
            answer.set_cookie(COOKIE, self._cookie, httponly=True, samesite="lax")
            return answer
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        bearer = kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token)
        if bearer or hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), self._cookie.encode()):
            return None
        return PlainTextResponse(LOGIN, 401, {"www-authenticate": "Bearer"})


def _names_other_host(host: str) -> bool:
    """Return whether a request names another host, as in DNS rebinding."""
    try:
        return not urlsplit(f"//{host}").hostname or is_exposed(f"http://{host}")
    except ValueError:
        return True
