"""The provider protocol, and the endpoint that settings name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from row3.domain.endpoints import PRESETS, Endpoint, Header, is_here
from row3.domain.requests import Answer, NoAnswer, Request
from row3.errors import UsageError

INSTALL_LOCAL = "pip install 'row3[local]'"
KEYLESS = (
    "name a provider in row3.toml that needs none (`ollama`; or `local`, a small model in this process: "
    f"{INSTALL_LOCAL})"
)
"""Advice for users without a key."""
IMPORTABLE = f"{KEYLESS}, or bring answers made elsewhere with `row3 recordings import FILE`"
"""The same if a suite's prompts are to be answered; grades and vectors cannot be imported."""


class Access(NamedTuple):
    """How to reach a system under test (a command, MCP server or function), and its time limits."""

    command: tuple[str, ...] = ()
    """Program and arguments of a command or stdio MCP server."""
    variables: tuple[str, ...] = ()
    """Environment variables passed on in addition to `SYSTEM_VARIABLES`."""
    url: str | None = None
    """Address of an MCP server over streamable HTTP."""
    key_variable: str | None = None
    """Environment variable with the bearer token for `url`."""
    function: str = ""
    timeout_s: float = 60.0
    start_s: float = 30.0
    retries: int = 0


class Provider(Protocol):
    """Answers requests, concurrently if needed, within one event loop."""

    @property
    def name(self) -> str:
        """Name for messages and recordings."""

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request, retrying temporary failures.

        Returns `NoAnswer` if only this request failed. Raises errors that would hit every request: `ProviderStopped`
        (401, 403, exhausted quota) or, before anything is sent, `UsageError` (no key, unknown local model) and
        `MissingExtra`.
        """

    async def close(self) -> None:
        """Release connections, threads and memory. May be called twice."""


class Embedder(Protocol):
    """Turns texts into vectors, within one event loop."""

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """Return one vector per text, all of equal length; fails like `Provider.ask`."""

    async def close(self) -> None:
        """Release connections and memory. May be called twice."""


def endpoint_for(
    preset: str,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
    timeout_s: float | None = None,
    max_retries: int | None = None,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    allow_http: bool | None = None,
    headers: tuple[Header, ...] = (),
) -> Endpoint:
    """Return the preset's endpoint with every argument that is not None applied; `timeout_s` in seconds.

    Raises `UsageError` for an invalid variable name, and as `checked_url` does.
    """
    # The value is not echoed: it may be a key pasted into the wrong field.
    if key_variable is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", key_variable):
        raise UsageError(
            "this is not the name of an environment variable",
            where="key_variable",
            fix="give the variable's name, such as OPENAI_API_KEY, never the key itself",
        )
    endpoint = PRESETS[preset]
    url, limit_field = endpoint.base_url, endpoint.limit_field
    if preset == "azure" and base_url is None:
        what, fix = "the azure preset needs a base_url", "set your resource's, such as https://NAME.openai.azure.com"
        raise UsageError(what, where="base_url", fix=fix)
    if base_url is not None:
        if preset == "local":
            what = "the local preset runs in this process and has no base_url"
            raise UsageError(what, where="base_url", fix="use llama.cpp or ollama")
        url = checked_url(base_url, allow_http=allow_http)
        if preset == "azure":  # the client adds path and deployment to the resource's address
            url = url.removesuffix("/v1").removesuffix("/openai")
        if preset == "openai" and urlsplit(url).hostname != urlsplit(endpoint.base_url).hostname:
            limit_field = "max_tokens"  # compatible servers often ignore the newer name silently
    return replace(
        endpoint,
        base_url=url,
        limit_field=limit_field,
        key_variable=key_variable or endpoint.key_variable,
        timeout_s=endpoint.timeout_s if timeout_s is None else float(timeout_s),
        max_retries=endpoint.max_retries if max_retries is None else max_retries,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        headers=headers,
    )


def is_exposed(url: str) -> bool:
    """Return whether an address sends unencrypted data over the network: plain http to another machine."""
    return urlsplit(url).scheme == "http" and not is_here(url)


def checked_url(base_url: str, *, allow_http: bool | None = None) -> str:
    """Return the address without trailing slashes.

    Raises `UsageError` if it is not a base URL, or is plain http to another machine without `allow_http`.
    """
    text = base_url.strip()
    try:
        parts = urlsplit(text)
        secret = parts.username is not None or parts.password is not None
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, secret, usable = urlsplit(""), True, False
    path = parts.path.rstrip("/")
    extra = parts.query or parts.fragment or path.endswith("/chat/completions") or not text.isprintable() or " " in text
    if not usable or secret or extra:
        shown = "" if secret or "?" in text or "#" in text else f" `{base_url}`"  # it may contain a key
        raise UsageError(
            f"the base_url{shown} must be an http or https address without user name, query or /chat/completions",
            where="base_url",
            fix="give one such as https://api.openai.com/v1, and keep the key in the environment",
        )
    url = f"{parts.scheme}://{parts.netloc}{path}"
    if is_exposed(url) and not allow_http:
        raise UsageError(
            f"the base_url {parts.scheme}://{parts.netloc} is plain http to another machine: others can read prompts "
            "and key",
            where="base_url",
            fix="use https, or set `allow_http = true` in that provider's table in row3.toml",
        )
    return url
