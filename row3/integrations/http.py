"""One HTTP service that is sent to: its address from the environment, its faults as `Undelivered`."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from row3.domain.secrets import Guard
from row3.errors import Undelivered, UsageError
from row3.providers.base import is_exposed
from row3.providers.faults import read_error, retry_after_s
from row3.providers.redaction import redact
from row3.store.documents import quick_json

TIMEOUT_S = 30.0
"""For the connection, for the beginning of the answer and for the whole of it."""
LONGEST_WAIT_S = 10.0
"""A service that asks to wait no longer than this is asked again, twice."""
ONE_ALONE = (400, 409, 413, 422)
"""Statuses that refuse what was sent, and say nothing of the next."""


def address(variable: str, *, allow_http: bool, table: str = "export", query: bool = False) -> str:
    """Return the address that an environment variable holds, without trailing slashes; raises `UsageError`.

    `table` of row3.toml is where plain http can be allowed; with `query` the address may have one.
    """
    text = os.environ.get(variable, "").strip()
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(mark in text for mark in ("@# " if query else "@?# ")):
        without = "user name" if query else "user name and query"
        what = f"this is not an http or https address without {without}" if text else "no address to send to"
        raise UsageError(what, where=variable, fix=f"Set {variable} to one such as https://service.example.com")
    if is_exposed(text) and not allow_http:
        what = f"{parts.scheme}://{parts.netloc} is plain http to another machine: what is sent can be read on its way"
        raise UsageError(
            what, where=variable, fix=f"Use https, or set `allow_http = true` under [{table}] in row3.toml"
        )
    return text.rstrip("/")


class Service:
    """Sends requests to one service, one at a time."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, key_variable: str, timeout_s: float = TIMEOUT_S
    ) -> None:
        """Take the address and the headers, whose values are kept out of every message."""
        self._url, self._headers, self._key_variable, self._timeout_s = url, headers, key_variable, timeout_s
        self.host = urlsplit(url).netloc
        self._guard = Guard({name: value.rpartition(" ")[2] for name, value in headers.items()})

    def send(self, method: str, path: str, body: Any, *, kind: str = "application/json") -> bytes:
        """Return the body of the answer to a request; a `body` that is no bytes is sent as JSON.

        Raises `Undelivered` for a connection that fails, a time-out and every status but 2xx.
        """
        import httpx2
        from msgspec.json import encode

        content = body if isinstance(body, bytes) else encode(body)
        for last in (False, False, True):
            try:
                status, headers, answer = self._try(method, path, content, kind)
            except httpx2.TimeoutException:
                raise Undelivered(f"{self.host} gave no full answer within {self._timeout_s:g} s") from None
            except UnicodeEncodeError:
                what, fix = f"a header for {self.host} is not ASCII", f"Check the key in {self._key_variable}"
                raise Undelivered(what, fix=fix) from None
            except httpx2.HTTPError as error:
                said = redact(str(error) or type(error).__name__, self._guard).rstrip(".")
                raise Undelivered(f"no answer from {self.host}: {said}", fix="Check that it runs") from None
            delay_s = retry_after_s(headers) if status in (429, 503) else None
            if last or delay_s is None or delay_s > LONGEST_WAIT_S:
                break
            time.sleep(delay_s)
        if 200 <= status < 300:
            return answer
        try:
            told = redact(read_error(quick_json(answer)).message, self._guard).rstrip(".")
        except ValueError:
            told = ""
        asked = f"{method} {path}".rstrip()  # without the address's own path, which of a webhook is the key
        what = f"{self.host} answered {status} to {asked}{told and f': {told}'}"
        key = f"Check the key in {self._key_variable}"
        fix = key if status in (401, 403) else "Check the address" if status < 500 and status != 429 else ""
        raise Undelivered(what, fix="" if status in ONE_ALONE else fix, service_wide=status not in ONE_ALONE)

    def _try(self, method: str, path: str, content: bytes, kind: str) -> tuple[int, Mapping[str, str], bytes]:
        """One request; an answer that drips in is given up after the time-out."""
        import httpx2

        until, received = time.monotonic() + self._timeout_s, bytearray()
        headers = {**self._headers, "Content-Type": kind, "Accept-Encoding": "identity"}
        url, limit = self._url + path, self._timeout_s
        with httpx2.stream(method, url, content=content, headers=headers, timeout=limit) as response:
            for piece in response.iter_bytes():
                received += piece
                if time.monotonic() > until:
                    raise httpx2.ReadTimeout("too slow")
            return response.status_code, response.headers, bytes(received)
