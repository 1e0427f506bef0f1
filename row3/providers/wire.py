"""One OpenAI-compatible endpoint: its key, its connections, and what is tried again."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from row3.domain.requests import NoAnswer
from row3.errors import ProviderStopped, UsageError, as_sentence
from row3.providers.base import Endpoint
from row3.providers.faults import LONGEST_ASKED_S, LONGEST_TOTAL_S, Exchange, Fault, backoff_s, status_fault
from row3.providers.redaction import redact

if TYPE_CHECKING:
    from httpx2 import AsyncClient

CONNECT_S = 15.0
LONGEST_BODY_BYTES = 20_000_000
"""A chat completion is some kilobytes, 32 embeddings are a megabyte or two; reading stops here."""
ACCOUNT = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""By header, the environment variable that it holds; sent to OpenAI alone."""

T = TypeVar("T")
Read = Callable[[bytes, Exchange, float], T | Fault]
"""Reads a body; the last argument is how many seconds the answer took."""


class Wire:
    """Sends requests to an endpoint until they are answered or given up.

    The key is read from `environ` at the first request and goes nowhere but into the Authorization header.
    `sleep` (seconds) and `chance` (in [0, 1)) are there for tests.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        environ: Mapping[str, str],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        longest_body_bytes: int = LONGEST_BODY_BYTES,
    ) -> None:
        self.endpoint, self._environ = endpoint, environ
        self._sleep, self._chance = sleep, chance
        self._longest_body_bytes = longest_body_bytes
        self._secrets: tuple[str, ...] = ()
        self._client: AsyncClient | None = None
        self._stopped: Fault | None = None

    async def send(
        self,
        path: str,
        body: Callable[[], dict[str, Any]],
        read: Read[T],
        refuse: Callable[[frozenset[str]], bool] = lambda _: False,
    ) -> T | NoAnswer:
        """Return what `read` makes of the answer; see `Provider.ask` for what is raised and returned.

        Tried again: 408, 409, 429 (but no exhausted quota), 5xx, connection errors and time-outs, at most
        `max_retries` times and with at most 300 seconds of waiting in all. `refuse` is told of fields that the
        endpoint does not take, and says whether the request can go out again without.
        """
        if self._stopped is not None:
            raise ProviderStopped(self._stopped.message, fix=self._stopped.fix)
        client = self._connect()
        tries, waited_s = 0, 0.0
        while True:
            outcome = await self._try(client, path, body(), read)
            if not isinstance(outcome, Fault):
                return outcome
            if outcome.kind == "stop":
                self._stopped = outcome
                raise ProviderStopped(outcome.message, fix=outcome.fix)
            if outcome.refused and refuse(outcome.refused):
                continue  # every round sends fewer fields, so this ends; it does not count as a retry
            if outcome.kind == "give_up":
                return NoAnswer(outcome.message, as_sentence(outcome.fix))
            tries += 1
            if tries > self.endpoint.max_retries:
                return NoAnswer(outcome.message + (f" ({tries} tries)" if tries > 1 else ""), as_sentence(outcome.fix))
            delay_s = backoff_s(tries, self._chance()) if outcome.delay_s is None else outcome.delay_s
            if delay_s > LONGEST_ASKED_S or waited_s + delay_s > LONGEST_TOTAL_S:
                return NoAnswer(f"{outcome.message} (it asks to wait {delay_s:.0f} s)", "Try again later")
            waited_s += delay_s
            await self._sleep(delay_s)

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _connect(self) -> AsyncClient:
        """Return the client, made at the first request: importing its library takes a while."""
        if self._client is None:
            import httpx2

            headers = {"Accept-Encoding": "identity"}
            if key := self._key():
                headers["Authorization"] = f"Bearer {key}"
            if self.endpoint.preset == "openai":
                headers |= {name: self._environ[held] for name, held in ACCOUNT.items() if self._environ.get(held)}
            self._client = httpx2.AsyncClient(
                base_url=self.endpoint.base_url,
                headers=headers,
                # `_try` bounds the request as a whole, which a slow drip cannot stretch.
                timeout=httpx2.Timeout(None, connect=CONNECT_S),
                follow_redirects=True,
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
            )
        return self._client

    def _key(self) -> str | None:
        variable = self.endpoint.key_variable
        if variable is None:
            return None
        key = self._environ.get(variable, "").strip()
        if not key:
            raise UsageError(
                f"the {self.endpoint.preset} provider needs a key",
                fix=f"set {variable}, or name a provider in row3.toml that needs none (`local`, `ollama`)",
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise UsageError(f"{variable} holds characters that no key has", fix="copy the key again")
        self._secrets = (key,)
        return key

    async def _try(self, client: AsyncClient, path: str, body: dict[str, Any], read: Read[T]) -> T | Fault:
        """One request over the wire, bounded as a whole by the time-out, and by size as it is unpacked."""
        import httpx2

        host = self.endpoint.host
        started = time.perf_counter()
        received = bytearray()
        try:
            async with asyncio.timeout(self.endpoint.timeout_s), client.stream("POST", path, json=body) as response:
                async for piece in response.aiter_bytes():
                    received += piece
                    if len(received) > self._longest_body_bytes:
                        megabytes = self._longest_body_bytes / 1_000_000
                        return Fault("give_up", f"{host} sent more than {megabytes:g} MB, which no answer is")
        except httpx2.ConnectTimeout:
            return Fault(
                "retry", f"no connection to {host} within {CONNECT_S:g} s", "check the network and the base_url"
            )
        except TimeoutError:
            return Fault("retry", f"{host} gave no full answer within {self.endpoint.timeout_s:g} s")
        except httpx2.RequestError as error:
            said = redact(str(error) or type(error).__name__, self._secrets).rstrip(".")
            fix = "check the network and the base_url" if self.endpoint.key_variable else "is the server running?"
            return Fault("retry", f"no answer from {host}: {said}", fix)
        except ValueError as error:  # a lone surrogate or a NaN, which JSON in UTF-8 cannot carry
            return Fault("give_up", f"the request cannot be sent: {redact(str(error), self._secrets).rstrip('.')}")
        latency_s = time.perf_counter() - started
        exchange = Exchange(self.endpoint, response.headers, self._secrets)
        if not response.is_success:
            return status_fault(response.status_code, received.decode("utf-8", "replace"), exchange)
        return read(bytes(received), exchange, latency_s)
