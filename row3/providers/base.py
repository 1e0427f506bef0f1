"""What every provider offers, and where one is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from row3.domain.requests import Answer, NoAnswer, Request

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
