"""What every provider offers, where one is found, and the named services."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, Protocol
from urllib.parse import urlsplit

from row3.domain.requests import Answer, NoAnswer, Request
from row3.errors import UsageError

LimitField = Literal["max_tokens", "max_completion_tokens"]


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
    """Further tries after the first one."""
    json_schema: bool = True
    """Does it take `response_format: json_schema`?"""
    seed: bool = True
    """Does it take `seed`?"""
    limit_field: LimitField = "max_tokens"
    """What it calls the limit of tokens to write."""


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
    """`module:function`."""
    timeout_s: float = 60.0
    """For one call."""
    start_s: float = 30.0
    """For starting or reaching a server."""
    retries: int = 0
    """Further tries."""


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

MAX_RETRIES = 20


def endpoint_for(
    preset: str,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
    timeout_s: float | None = None,
    max_retries: int | None = None,
) -> Endpoint:
    """The preset's endpoint with what is not None put in its place; `timeout_s` in seconds.

    Raises `UsageError` for an unknown preset (naming the near-miss), an address that is not http or
    https, a key variable that is no variable's name, and numbers out of range.
    """
    try:
        endpoint = PRESETS[preset]
    except KeyError:
        near = difflib.get_close_matches(preset.lower(), PRESETS, n=1)
        hint = f"Did you mean `{near[0]}`? " if near else ""
        raise UsageError(
            f"no provider preset `{preset}`", where="preset", fix=f"{hint}Known: {', '.join(PRESETS)}"
        ) from None
    if base_url is not None:
        endpoint = _moved(endpoint, base_url)
    if key_variable is not None:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", key_variable):
            # Not echoed: the likeliest mistake is the key itself.
            raise UsageError(
                "the key variable is not the name of an environment variable",
                where="key_variable",
                fix="give the variable's name, such as OPENAI_API_KEY, never the key itself",
            )
        endpoint = replace(endpoint, key_variable=key_variable)
    if timeout_s is not None:
        if not (math.isfinite(timeout_s) and timeout_s > 0):
            raise UsageError(
                f"a time-out of {timeout_s} s cannot be kept",
                where="timeout_s",
                fix="give a number of seconds above 0",
            )
        endpoint = replace(endpoint, timeout_s=float(timeout_s))
    if max_retries is not None:
        if not 0 <= max_retries <= MAX_RETRIES:
            raise UsageError(
                f"{max_retries} retries are out of range",
                where="max_retries",
                fix=f"give a number from 0 to {MAX_RETRIES}",
            )
        endpoint = replace(endpoint, max_retries=max_retries)
    return endpoint


def _moved(endpoint: Endpoint, base_url: str) -> Endpoint:
    """The same preset at another address."""
    if endpoint.preset == "local":
        raise UsageError(
            "the local preset runs in this process and has no base_url", where="base_url", fix="use llama.cpp or ollama"
        )
    url = checked_url(base_url)
    if endpoint.preset == "openai" and urlsplit(url).hostname != urlsplit(endpoint.base_url).hostname:
        # Lookalikes know `max_tokens` and often ignore the newer name without a word, limit and all.
        return replace(endpoint, base_url=url, limit_field="max_tokens")
    return replace(endpoint, base_url=url)


def checked_url(base_url: str) -> str:
    """The address without trailing slashes. Raises `UsageError` where it cannot be a base URL."""
    fix = "give one such as https://api.openai.com/v1"
    try:
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise UsageError("the base_url is not a valid address", where="base_url", fix=fix) from None
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the base_url carries a user name or password", where="base_url", fix="keep the key in the environment"
        )
    if parts.scheme not in ("http", "https") or not host or port == 0 or re.search(r"\s", base_url.strip()):
        raise UsageError(f"the base_url `{base_url}` is not an http or https address", where="base_url", fix=fix)
    if parts.query or parts.fragment:
        raise UsageError("the base_url has a query or fragment", where="base_url", fix=fix)
    path = parts.path.rstrip("/")
    if path.endswith("/chat/completions"):
        raise UsageError(
            f"the base_url `{base_url}` ends with /chat/completions, which row3 adds itself",
            where="base_url",
            fix="leave that off",
        )
    return f"{parts.scheme}://{parts.netloc}{path}"
