"""Chat completions whose requests other processes send: pace, retries and refused fields stay in this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from row3.domain.endpoints import Endpoint
from row3.providers.http_client import ACCOUNT, API_VERSION
from row3.providers.openai_api import OpenAIChat
from row3.providers.openai_client import OpenAIClient, Read, Reply

T = TypeVar("T")


class Attempt(NamedTuple):
    """One attempt to send a request; can be pickled."""

    endpoint: Endpoint
    environ: Mapping[str, str]
    """Key and account of the endpoint, by environment variable."""
    path: str
    body: Mapping[str, Any]
    read: Read[Any]
    """A function of a module, or a `partial` of one."""


class Relay(Protocol):
    """Has attempts made by other processes."""

    async def send(self, attempt: Attempt) -> Reply[Any]:
        """Return how an attempt ended; if its process ended, it is a `Fault`.

        Raises `RunIncomplete` and `EnvironmentFault` if no process can be had.
        """


class RelayedChat(OpenAIChat):
    """A provider at an OpenAI-compatible endpoint that a relay sends to."""

    def __init__(self, relay: Relay, endpoint: Endpoint, **client: Any) -> None:
        """Send nothing yet; `client` are further arguments of `OpenAIChat`."""
        super().__init__(endpoint, **client)
        self._relay = relay

    def _connect(self) -> Any:
        """Return no client, but refuse a key or header that is missing, before anything is sent."""
        self._resolve_headers({self.endpoint.key_variable or "": self._key() or ""})

    async def _try(self, client: object, path: str, body: dict[str, Any], read: Read[T]) -> Reply[T]:
        """Have a request sent once."""
        own = [self.endpoint.key_variable, *(header.variable for header in self.endpoint.headers)]
        names = [*own, API_VERSION, *ACCOUNT.values()]
        environ = {name: self._environ[name] for name in names if name and name in self._environ}
        return await self._relay.send(Attempt(self.endpoint, environ, path, body, read))


class Sender:
    """Makes attempts in this process, with a client for each endpoint."""

    def __init__(self) -> None:
        self._clients: dict[tuple[Any, ...], OpenAIClient] = {}

    async def send(self, attempt: Attempt) -> Reply[Any]:
        """Make an attempt, as `Relay.send`. Raises `UsageError` for an address of a proxy that is none."""
        key = attempt.endpoint, *sorted(attempt.environ.items())
        client = self._clients.get(key)
        if client is None:
            client = self._clients[key] = OpenAIClient(attempt.endpoint, environ=attempt.environ)
        return await client.attempt(attempt.path, {**attempt.body}, attempt.read)

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.close()
