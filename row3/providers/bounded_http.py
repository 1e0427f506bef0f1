"""An HTTP client that reads so much and no more, and sends no header that was not asked for.

Imports httpx2, so it is imported only where a request is about to be sent.
"""

from __future__ import annotations

from typing import Any

import httpx2

SENT = frozenset({"host", "accept", "content-type", "content-length", "transfer-encoding", "connection", "user-agent"})
"""Headers that are passed on. The SDK adds others of its own accord: the machine's system and Python, and what
OPENAI_CUSTOM_HEADERS, OPENAI_ORG_ID and OPENAI_PROJECT_ID hold, to whatever address it is given."""

CONNECT_S = 15.0
"""Seconds to wait for a connection."""

_FRAMING = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class BodyTooLargeError(Exception):
    """The answer is longer than the limit; the rest of it was not read."""


class BoundedClient(httpx2.AsyncClient):
    """Reads the decoded body, of answers and errors alike, only up to `limit_bytes`.

    The limit is on what has been unpacked, so a small compressed body cannot grow past it; the connection
    is closed at that point.
    """

    def __init__(self, *, key: str | None, limit_bytes: int, also_sent: frozenset[str] = frozenset()) -> None:
        super().__init__(
            # The caller bounds the request as a whole, which a slow drip cannot stretch.
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            follow_redirects=True,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
        )
        self._key = key
        self._limit_bytes = limit_bytes
        self._sent = SENT | also_sent

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send and read to the end. Raises `BodyTooLargeError`, or what httpx2 raises."""
        headers = [(name, value) for name, value in request.headers.multi_items() if name.lower() in self._sent]
        headers.append(("Accept-Encoding", "identity"))
        if self._key is not None:
            headers.append(("Authorization", f"Bearer {self._key}"))
        outgoing = httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        response = await super().send(outgoing, stream=True, **options)
        body = bytearray()
        try:
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > self._limit_bytes:
                    raise BodyTooLargeError
        finally:
            await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers=[(name, value) for name, value in response.headers.multi_items() if name.lower() not in _FRAMING],
            content=bytes(body),
            # The SDK looks up its own headers there.
            request=request,
            extensions=response.extensions,
            history=response.history,
        )
