"""The dashboard's routes and access rules."""

from __future__ import annotations

import hashlib
import hmac
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from row3.integrations.monitoring.serving.feed import Feed
from row3.integrations.monitoring.serving.metrics import CONTENT_TYPE
from row3.providers.base import is_exposed

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
