"""An HTTP service to send to: its address from the environment, its faults as `Undelivered`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from row3.domain.secrets import Guard
from row3.errors import Undelivered, UsageError
from row3.project.documents import quick_json
from row3.providers.base import is_exposed
from row3.providers.faults import read_error, retry_after_s
from row3.providers.redaction import redact

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 30.0
"""For the connection, for the start of the answer, and for the whole answer."""
LONGEST_ANSWER_BYTES = 20_000_000
LONGEST_WAIT_S = 10.0
"""If a service asks for no longer a wait than this, the request is repeated, at most twice."""
REFUSED = (400, 409, 413, 422)
"""Statuses that refuse one request; others may succeed."""


def address(variable: str, *, allow_http: bool, table: str = "export", query: bool = False) -> str:
    """Return the address in an environment variable, without trailing slashes; raises `UsageError`.

    `table` is the table of row3.toml that can allow plain http; with `query` the address may have a query.
    """
    text = os.environ.get(variable, "").strip()
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(mark in text for mark in ("@# " if query else "@?# ")):
        without = "user name" if query else "user name or query"
        what = f"not an http or https address without {without}" if text else "no address to send to"
        raise UsageError(what, where=variable, fix=f"Set {variable}, for example to https://service.example.com")
    if is_exposed(text) and not allow_http:
        what = f"{parts.scheme}://{parts.netloc} is plain http to another machine, so others can read what is sent"
        raise UsageError(
            what, where=variable, fix=f"Use https, or set `allow_http = true` under [{table}] in row3.toml"
        )
    return text.rstrip("/")


class Service:
    """Sends requests to one service, one at a time."""

    def __init__(self, url: str, headers: Mapping[str, str], *, key_variable: str) -> None:
        """Take the address and the headers, whose values are redacted from messages."""
        self._url, self._headers, self._key_variable = url, headers, key_variable
        self.host = urlsplit(url).netloc
        self._guard = Guard({name: value.rpartition(" ")[2] for name, value in headers.items()})

    def send(self, method: str, path: str, body: Any, *, kind: str = "application/json") -> bytes:
        """Return the body of the answer; a `body` other than bytes is sent as JSON.

        Raises `Undelivered` for a failed connection, a time-out and any status but 2xx.
        """
        import httpx2
        from pydantic_core import to_json

        from row3.providers.http_client import TooLongError

        content = body if isinstance(body, bytes) else to_json(body)
        for last in (False, False, True):
            try:
                response = asyncio.run(self._try(method, path, content, kind))
            except TimeoutError:
                raise Undelivered(f"{self.host} did not finish its answer within {TIMEOUT_S:g} s") from None
            except UnicodeEncodeError:
                what, fix = f"a header for {self.host} is not ASCII", f"Check the key in {self._key_variable}"
                raise Undelivered(what, fix=fix) from None
            except httpx2.HTTPError as error:
                said = redact(str(error) or type(error).__name__, self._guard).rstrip(".")
                raise Undelivered(f"no answer from {self.host}: {said}", fix="Check that it is running") from None
            except TooLongError:
                what = f"the answer of {self.host} has more than {LONGEST_ANSWER_BYTES:,} bytes"
                raise Undelivered(what, fix="Check the address") from None
            status, answer = response.status_code, response.content
            delay_s = retry_after_s(response.headers) if status in (429, 503) else None
            if last or delay_s is None or delay_s > LONGEST_WAIT_S:
                break
            time.sleep(delay_s)
        if 200 <= status < 300:
            return answer
        try:
            message = redact(read_error(quick_json(answer)).message, self._guard).rstrip(".")
        except ValueError:
            message = ""
        request = f"{method} {path}".rstrip()  # without the path of the address: a webhook's is secret
        what = f"{self.host} answered {status} to {request}{message and f': {message}'}"
        key = f"Check the key in {self._key_variable}"
        fix = key if status in (401, 403) else "Check the address" if status < 500 and status != 429 else ""
        refused = status in REFUSED
        raise Undelivered(what, fix="" if refused else fix, service_wide=not refused, status=status)

    async def _try(self, method: str, path: str, content: bytes, kind: str) -> httpx2.Response:
        """Send one request; the time-out holds for the whole answer."""
        from row3.providers.http_client import HEADERS, LimitedClient

        headers = {**self._headers, "Content-Type": kind, "Accept-Encoding": "identity"}
        async with (
            asyncio.timeout(TIMEOUT_S),
            LimitedClient({*HEADERS, *map(str.lower, headers)}, LONGEST_ANSWER_BYTES, timeout=None) as client,
        ):
            return await client.request(method, self._url + path, content=content, headers=headers)
