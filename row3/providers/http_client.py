"""HTTP within row3's bounds, alone and below the openai package's client. Imported for the first request."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import httpx2

from row3.domain.endpoints import Endpoint

if TYPE_CHECKING:
    import openai

CONNECT_S = 15.0
AZURE_API_VERSION = "2024-10-21"
"""Unless `API_VERSION` names another."""
HEADERS = {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"}
"""All that is sent beside key and account: the package adds some about the machine, and OPENAI_CUSTOM_HEADERS."""
ACCOUNT = {"organization": "OPENAI_ORG_ID", "project": "OPENAI_PROJECT_ID"}
"""Environment variables; sent to OpenAI only, as `openai-…`."""
API_VERSION = "OPENAI_API_VERSION"
"""Environment variable; sent to Azure only."""
PACKING = {b"content-encoding", b"content-length", b"transfer-encoding"}
"""Headers of a body as it was sent, not as it was read."""
_tls = cache(httpx2.create_ssl_context)


class TooLongError(Exception):
    """A body beyond the limit."""


class LimitedClient(httpx2.AsyncClient):
    """Follows no redirect, sends only some headers, and reads bodies, errors' too, up to a limit."""

    def __init__(self, headers: Collection[str], longest_body_bytes: int, **options: Any) -> None:
        """The limit holds for the unpacked body; `options` are those of `httpx2.AsyncClient`."""
        super().__init__(verify=_tls(), **options)
        self._headers_sent, self._longest_body_bytes = headers, longest_body_bytes

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Return the response with its body; `elapsed` ends with the last byte. Raises `TooLongError`."""
        own = [(name, value) for name, value in request.headers.raw if name.lower().decode() in self._headers_sent]
        request.headers = httpx2.Headers(own)
        received = bytearray()
        response = await super().send(request, **options | {"stream": True, "follow_redirects": False})
        try:
            async for piece in response.aiter_bytes():
                received += piece
                if len(received) > self._longest_body_bytes:
                    raise TooLongError
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in PACKING]
        whole = httpx2.Response(response.status_code, headers=headers, content=bytes(received), request=request)
        whole.elapsed = response.elapsed
        return whole


def connect(
    endpoint: Endpoint, key: str | None, own: Mapping[str, str], environ: Mapping[str, str], longest_body_bytes: int
) -> openai.AsyncOpenAI:
    """Return a new client that tries once and sends headers of one's `own`.

    Raises as `httpx2.AsyncClient` for proxies in the environment.
    """
    import openai  # half a second, which other HTTP need not take

    azure = endpoint.preset == "azure"
    headers = {*HEADERS, *(["api-key" if azure else "authorization"] if key else ())}
    if endpoint.preset == "openai":
        headers |= {f"openai-{name}" for name in ACCOUNT}
    headers |= {name.lower() for name in own}
    own = {"Authorization" if name.lower() == "authorization" else name: value for name, value in own.items()}
    settings: dict[str, Any] = {
        "api_key": key or "none",
        "max_retries": 0,
        # The whole request has a time-out elsewhere, so a slow drip cannot extend it.
        "timeout": httpx2.Timeout(None, connect=CONNECT_S),
        "http_client": LimitedClient(headers, longest_body_bytes),
        # The key comes before one in OPENAI_CUSTOM_HEADERS.
        "default_headers": {
            "Accept-Encoding": "identity",
            **({} if azure else {"Authorization": f"Bearer {key}"}),
            **own,
        },
    }
    if azure:
        version = environ.get(API_VERSION) or AZURE_API_VERSION
        return openai.AsyncAzureOpenAI(azure_endpoint=endpoint.base_url, api_version=version, **settings)
    settings |= {name: environ.get(variable) or None for name, variable in ACCOUNT.items()}
    return openai.AsyncOpenAI(base_url=endpoint.base_url, **settings)
