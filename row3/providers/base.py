"""What every provider offers, where one is found, and the named services."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from types import MappingProxyType
from typing import Literal, Protocol
from urllib.parse import urlsplit

from row3.domain.counts import nearest
from row3.domain.requests import Answer, NoAnswer, Request
from row3.errors import UsageError

LimitField = Literal["max_tokens", "max_completion_tokens"]


INSTALL_LOCAL = "pip install 'row3[local]'"
KEYLESS = (
    "name a provider in row3.toml that needs none (`ollama`; or `local`, a small model in this process: "
    f"{INSTALL_LOCAL}), or bring answers made elsewhere with `row3 recordings import FILE`"
)
"""What to do without a key."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and what is accepted there."""

    preset: str
    base_url: str
    """The part before `/chat/completions`; empty for the `local` preset, which has no address."""
    key_variable: str | None
    """Name of the environment variable that holds the key; None: no key is needed or sent."""
    timeout_s: float = 120.0
    """Seconds for one try, from the first byte sent to the last byte read."""
    max_retries: int = 4
    json_schema: bool = True
    seed: bool = True
    limit_field: LimitField = "max_tokens"
    """What it calls the limit of tokens to write."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    """Tokens of requests and answers; None: no limit."""

    @property
    def host(self) -> str:
        """Host and port, as messages name the endpoint."""
        return urlsplit(self.base_url).netloc or self.preset


@dataclass(frozen=True, slots=True)
class Access:
    """How a system that is no model is reached, and how long it may take."""

    command: tuple[str, ...] = ()
    """Program and arguments of a command, or of an MCP server over its standard streams."""
    variables: tuple[str, ...] = ()
    """Names of environment variables that it is given beside PATH, HOME and the like."""
    url: str | None = None
    """Address of an MCP server over streamable HTTP."""
    key_variable: str | None = None
    """Name of the environment variable with the bearer token for `url`."""
    function: str = ""
    timeout_s: float = 60.0
    start_s: float = 30.0
    retries: int = 0


class Provider(Protocol):
    """Something that answers requests, one or many at a time, within one event loop."""

    @property
    def name(self) -> str:
        """What messages and recordings call it."""
        ...

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request, after retries where those make sense.

        A fault of this one request is a `NoAnswer`, never an exception. What would fail every further
        request in the same way is raised: `ProviderStopped` (401, 403, exhausted quota), and, before
        anything is sent, `UsageError` (no key, unknown local model) or `MissingExtra`.
        """
        ...

    async def close(self) -> None:
        """Give back connections, threads and memory. May be called twice."""
        ...


class Embedder(Protocol):
    """Something that turns texts into vectors, within one event loop."""

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """A vector for each text, all of one length; raises and returns faults as `Provider.ask` does."""
        ...

    async def close(self) -> None:
        """Give back connections and memory. May be called twice."""
        ...


PRESETS: Mapping[str, Endpoint] = MappingProxyType(
    {
        endpoint.preset: endpoint
        for endpoint in (
            # `max_tokens` is deprecated there and refused by the reasoning models.
            Endpoint("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", limit_field="max_completion_tokens"),
            # Unknown names are a 400 there, and `seed` is one.
            Endpoint("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", seed=False),
            # Both are documented as ignored: sending them would only pretend.
            Endpoint("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", json_schema=False, seed=False),
            Endpoint("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
            Endpoint("ollama", "http://localhost:11434/v1", None),
            Endpoint("vllm", "http://localhost:8000/v1", None),
            Endpoint("llama.cpp", "http://localhost:8080/v1", None),
            # No network that could hang, but a slow machine reads a long prompt for minutes.
            Endpoint("local", "", None, timeout_s=600.0, max_retries=0),
        )
    }
)


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
) -> Endpoint:
    """Return the preset's endpoint with what is not None put in its place; `timeout_s` in seconds.

    Raises `UsageError` for an unknown preset, an address that is not http or https, one of plain http to another
    machine without `allow_http`, and a key variable that is no name.
    """
    if preset not in PRESETS:
        near = nearest(preset.lower(), PRESETS)
        hint = f"Did you mean `{near}`? " if near else ""
        # Not echoed: somebody may have put the key here.
        raise UsageError("there is no such preset", where="preset", fix=f"{hint}Known: {', '.join(PRESETS)}")
    if key_variable is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", key_variable):
        # Not echoed: the likeliest mistake is the key itself.
        raise UsageError(
            "the key variable is not the name of an environment variable",
            where="key_variable",
            fix="give the variable's name, such as OPENAI_API_KEY, never the key itself",
        )
    endpoint = PRESETS[preset]
    endpoint = replace(
        endpoint,
        key_variable=key_variable or endpoint.key_variable,
        timeout_s=endpoint.timeout_s if timeout_s is None else float(timeout_s),
        max_retries=endpoint.max_retries if max_retries is None else max_retries,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
    )
    if base_url is None:
        return endpoint
    if preset == "local":
        raise UsageError(
            "the local preset runs in this process and has no base_url", where="base_url", fix="use llama.cpp or ollama"
        )
    url = checked_url(base_url, allow_http=allow_http)
    if preset == "openai" and urlsplit(url).hostname != urlsplit(endpoint.base_url).hostname:
        # Lookalikes know `max_tokens` and often ignore the newer name without a word, limit and all.
        return replace(endpoint, base_url=url, limit_field="max_tokens")
    return replace(endpoint, base_url=url)


def is_exposed(url: str) -> bool:
    """Return whether what is sent to an address can be read on its way: plain http to another machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        loopback = ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost" or host.endswith(".localhost")
    return parts.scheme == "http" and not loopback


def checked_url(base_url: str, *, allow_http: bool | None = None) -> str:
    """Return the address without trailing slashes.

    Raises `UsageError` where it cannot be a base URL, and for plain http to another machine unless that is allowed.
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
        shown = "" if secret or "?" in text or "#" in text else f" `{base_url}`"  # somebody may have put the key there
        raise UsageError(
            f"the base_url{shown} is not an http or https address without user name, query and /chat/completions",
            where="base_url",
            fix="give one such as https://api.openai.com/v1, and keep the key in the environment",
        )
    url = f"{parts.scheme}://{parts.netloc}{path}"
    if is_exposed(url) and not allow_http:
        raise UsageError(
            f"the base_url {parts.scheme}://{parts.netloc} is plain http to another machine: prompts and key can be "
            "read on their way",
            where="base_url",
            fix="use https, or set `allow_http = true` in that provider's table in row3.toml",
        )
    return url
