"""Requests to an OpenAI-compatible endpoint: key, pace, retries."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast
from urllib.parse import urljoin, urlsplit
from urllib.request import proxy_bypass

from row3.domain.endpoints import Endpoint, Header
from row3.domain.requests import NoAnswer
from row3.domain.secrets import NO_SECRETS, Guard
from row3.errors import ProviderStopped, UsageError, as_sentence
from row3.providers.base import KEYLESS
from row3.providers.faults import LONGEST_RETRY_AFTER_S, LONGEST_TOTAL_S, Exchange, Fault, backoff_s, status_fault
from row3.providers.pace import LIMITS, Pace
from row3.providers.redaction import redact

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import AsyncOpenAI

LONGEST_BODY_BYTES = 20_000_000
"""Read limit; a chat completion is some kilobytes, 32 embeddings one or two megabytes."""
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
"""Environment variables of proxies, in lower case."""
T = TypeVar("T")
Read = Callable[[bytes, Exchange, float], T | Fault]
"""Parses a body; the last argument is the latency in seconds."""


class Reply(NamedTuple, Generic[T]):
    """How one attempt to send a request ended."""

    outcome: T | Fault
    limits: Mapping[str, str] | None = None
    """Rate-limit headers, in lower case; None without a response."""


class OpenAIClient:
    """Sends requests to an endpoint and retries temporary failures.

    The first request reads the key from `environ`; it is sent only in the Authorization header. Tests replace `sleep`
    (seconds), `chance` (in [0, 1)) and `longest_body_bytes`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        environ: Mapping[str, str],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        longest_body_bytes: int = LONGEST_BODY_BYTES,
        keyless: str = KEYLESS,
    ) -> None:
        self.endpoint, self._environ, self._keyless = endpoint, environ, keyless
        self._sleep, self._chance = sleep, chance
        self._longest_body_bytes = longest_body_bytes
        self._guard = NO_SECRETS
        self._headers: dict[str, str] = {}
        self._clients: list[AsyncOpenAI] = []
        self._idle: list[AsyncOpenAI] = []
        """Those without a request: a client has one connection, as it searches all that it has for every request."""
        self._stopped: Fault | None = None
        self.pace = Pace(endpoint.requests_per_minute, endpoint.tokens_per_minute)

    async def send(
        self,
        path: str,
        body: Callable[[], dict[str, Any]],
        read: Read[T],
        refuse: Callable[[Sequence[str]], bool] = lambda _: False,
        *,
        tokens: float = 0.0,
    ) -> T | NoAnswer:
        """Send a request and return its body as parsed by `read`; see `Provider.ask` for failures.

        Retries 408, 409, 429 (except an exhausted quota), 5xx, connection errors and time-outs, at most `max_retries`
        times and with at most 300 seconds of waiting in total.

        Args:
            refuse: takes the fields that the endpoint may reject; returns whether to send again without one.
            tokens: estimate for request and answer.
        """
        return await self._send(lambda client: self._try(client, path, body(), read), refuse, tokens)

    async def attempt(self, path: str, body: dict[str, Any], read: Read[T]) -> Reply[T]:
        """Send a request once. Raises `UsageError` as the first request of `send`."""
        with self._client() as client:
            return await self._try(client, path, body, read)

    async def call(self, method: Callable[[AsyncOpenAI], Awaitable[T]], *, timeout_s: float) -> T | NoAnswer:
        """Return what a method of the client returns; fails and retries like `send`."""
        return await self._send(lambda client: self._attempt(partial(method, client), None, (), timeout_s))

    async def _send(
        self,
        once: Callable[[AsyncOpenAI], Awaitable[Reply[T]]],
        refuse: Callable[[Sequence[str]], bool] = lambda _: False,
        tokens: float = 0.0,
    ) -> T | NoAnswer:
        tries, waited_s = 0, 0.0
        while True:
            async with self.pace.turn(tokens):
                if self._stopped is not None:
                    raise ProviderStopped(self._stopped.message, fix=self._stopped.fix)
                began = time.monotonic()
                with self._client() as client:
                    outcome, limits = await once(client)
                if limits is not None:
                    self.pace.read_limits(limits)
                    if isinstance(outcome, Fault) and outcome.limited:
                        self.pace.rate_limited(began)
                    else:
                        self.pace.answered()
            if not isinstance(outcome, Fault):
                return outcome
            if outcome.kind == "stop":
                self._stopped = outcome
                raise ProviderStopped(outcome.message, fix=outcome.fix)
            if outcome.refused and refuse(outcome.refused):
                continue  # ends, as every round sends fewer fields; not counted as a retry
            if outcome.kind in ("give_up", "filtered"):
                return NoAnswer(outcome.message, as_sentence(outcome.fix), outcome.kind == "filtered")
            tries += 1
            if tries > self.endpoint.max_retries:
                return NoAnswer(outcome.message + (f" ({tries} tries)" if tries > 1 else ""), as_sentence(outcome.fix))
            delay_s = backoff_s(tries, self._chance()) if outcome.delay_s is None else outcome.delay_s
            if delay_s > LONGEST_RETRY_AFTER_S or waited_s + delay_s > LONGEST_TOTAL_S:
                return NoAnswer(f"{outcome.message} (it asks to wait {delay_s:.0f} s)", "Try again later")
            waited_s += delay_s
            with self.pace.hold() if outcome.limited and outcome.delay_s is not None else contextlib.nullcontext():
                await self._sleep(delay_s)

    async def close(self) -> None:
        """Close the connections."""
        clients, self._clients, self._idle = self._clients, [], []
        for client in clients:
            await client.close()

    @contextlib.contextmanager
    def _client(self) -> Iterator[AsyncOpenAI]:
        client = self._idle.pop() if self._idle else self._connect()
        try:
            yield client
        finally:
            self._idle.append(client)

    def _connect(self) -> AsyncOpenAI:
        import httpx2

        from row3.providers.http_client import connect

        key = self._key()
        self._resolve_headers({self.endpoint.key_variable or "": key or ""})
        try:
            client = connect(self.endpoint, key, self._headers, self._environ, self._longest_body_bytes)
        except (ValueError, ImportError, httpx2.InvalidURL):
            if not (names := [name for name in sorted(os.environ) if name.lower() in PROXIES]):
                raise
            what, fix = "not the address of an http proxy", "Write it like http://proxy.example.com:8080, or unset it"
            raise UsageError(what, where=" or ".join(names), fix=fix) from None
        self._clients.append(client)
        return client

    def _resolve_headers(self, secrets: Mapping[str, str] = {}) -> None:
        """Take the values of the endpoint's headers, and hide the secret ones, as `secrets`, in messages."""
        self._headers = {header.name: self._header(header) for header in self.endpoint.headers}
        own = {each.variable: self._headers[each.name] for each in self.endpoint.headers if each.variable}
        self._guard = Guard({**secrets, **own})

    def _key(self) -> str | None:
        variable = self.endpoint.key_variable
        if variable is None or any(header.name.lower() == "authorization" for header in self.endpoint.headers):
            return None
        key = self._environ.get(variable, "").strip()
        if not key:
            what = f"the {self.endpoint.preset} provider needs a key"
            raise UsageError(what, fix=f"set {variable}, or {self._keyless}")
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise UsageError(f"{variable} contains characters that a key cannot have", fix="copy the key again")
        return key

    def _header(self, header: Header) -> str:
        value = self._environ.get(header.variable, "").strip() if header.variable else header.value
        if not value:
            fix = f"set {header.variable}, or remove the header in row3.toml"
            raise UsageError(f"the header {header.name} needs a value", fix=fix)
        if not (value.isascii() and value.isprintable()):
            raise UsageError(f"{header.variable} contains characters that a header cannot have", fix="copy it again")
        return value

    async def _try(self, client: AsyncOpenAI, path: str, body: dict[str, Any], read: Read[T]) -> Reply[T]:
        """Send a request once."""
        import httpx2

        # The typed methods would send a header that says how the response is read.
        post = partial(client.post, path, body=body, cast_to=httpx2.Response)
        return await self._attempt(post, read, body.keys(), self.endpoint.timeout_s)

    async def _attempt(
        self, send: Callable[[], Awaitable[Any]], read: Read[T] | None, sent: Collection[str], timeout_s: float
    ) -> Reply[T]:
        """Send a request once; the time-out covers all of it. `sent` are the fields of its body.

        Without `read`, the client has parsed a good response itself.
        """
        import openai

        from row3.providers.http_client import CONNECT_S, TooLongError

        host = self.endpoint.host
        try:
            async with asyncio.timeout(timeout_s):
                response = await send()
        except openai.APIStatusError as error:
            response = error.response
        except ValueError as error:  # a lone surrogate or a NaN, which JSON in UTF-8 cannot carry
            return Reply(Fault("give_up", f"cannot send the request: {redact(str(error), self._guard).rstrip('.')}"))
        except TooLongError:
            megabytes = self._longest_body_bytes / 1_000_000
            return Reply(Fault("give_up", f"{host} sent more than {megabytes:g} MB, too much for an answer"))
        except openai.APITimeoutError:  # only connecting has a time-out of its own
            fix = f"check {_proxy_of(self.endpoint.base_url) or 'the network'} and the base_url"
            return Reply(Fault("retry", f"no connection to {host} within {CONNECT_S:g} s", fix))
        except TimeoutError:
            return Reply(Fault("retry", f"{host} did not finish its answer within {timeout_s:g} s"))
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            detail = redact(str(cause) or type(cause).__name__, self._guard).rstrip(".")
            fix = "check the network and the base_url" if self.endpoint.key_variable else "is the server running?"
            if proxy := _proxy_of(self.endpoint.base_url):
                fix = f"check {proxy} and the base_url"
            return Reply(Fault("retry", f"no answer from {host}: {detail}", fix))
        else:
            if read is None:
                return Reply(cast(T, response), {})
        exchange = Exchange(self.endpoint, response.headers, self._guard, sent)
        limits = {name: value for name, value in response.headers.items() if name.startswith(LIMITS)}
        if response.has_redirect_location:
            return Reply(_redirected(response, self._guard), limits)
        if response.is_success and read is not None:
            return Reply(read(response.content, exchange, response.elapsed.total_seconds()), limits)
        text = response.content.decode("utf-8", "replace")
        return Reply(status_fault(response.status_code, text, exchange), limits)


def _proxy_of(url: str) -> str:
    """Return the proxy that requests to an address go through, as its environment variable; empty for none."""
    parts = urlsplit(url)
    if proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ""
    wanted = (f"{parts.scheme}_proxy", "all_proxy")
    found = (name for each in wanted for name in (each, each.upper()) if os.environ.get(name))
    return next((f"the proxy in {name}" for name in found), "")


def _redirected(response: Response, guard: Guard) -> Fault:
    """Return a fault that stops the run, so that the user decides about the new address."""
    source = response.request.url
    try:
        other = urlsplit(urljoin(str(source), response.headers["location"]))
        target = redact(f"{other.scheme}://{other.netloc.rpartition('@')[2]}{other.path}", guard)
    except ValueError:
        target = "an invalid address"
    what = f"{source} answered {response.status_code}, a redirect to {target}; row3 does not follow redirects"
    return Fault("stop", what, "if that address is right, set it as `base_url` in row3.toml")
