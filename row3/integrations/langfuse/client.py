"""The connection to LangFuse: keys, address, and what its errors mean."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from row3.domain.requests import canonical
from row3.domain.secrets import Guard
from row3.errors import InvalidFile, MissingExtra, Row3Error, Undelivered, UsageError
from row3.providers.base import checked_url
from row3.providers.guarded import FIX
from row3.providers.redaction import redact
from row3.store.config import FILE
from row3.store.project import Project
from row3.workflows.pipeline.providers import LANGFUSE_KEYS, guard_of

if TYPE_CHECKING:
    import httpx
    from langfuse.api import DatasetItem, LangfuseAPI

PUBLIC_KEY, SECRET_KEY = LANGFUSE_KEYS
HOSTS: Final = ("LANGFUSE_HOST", "LANGFUSE_BASE_URL")
"""Environment variables with the address, which win over row3.toml."""
CLOUD = "https://cloud.langfuse.com"
TIMEOUT_S = 20.0
PAGE = 50
PASSING = (408, 409, 425, 429)
"""Statuses below 500 that say nothing about the request."""
NO_DATASET = "Make it with `row3 langfuse push SUITE`, or correct the name"


class NotThereError(UsageError):
    """LangFuse does not have what was asked for."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Connection:
    """LangFuse's typed client, with its errors as row3's; its sockets are closed when nobody holds it any more."""

    api: LangfuseAPI
    http: httpx.Client
    """What `api` asks with; knows address and keys."""
    host: str
    guard: Guard = field(repr=False)

    @contextmanager
    def asking(self, where: str, *, missing: str = "") -> Iterator[None]:
        """Give the errors of a call of the client as row3's.

        Raises `Undelivered` where LangFuse is down, or refuses the keys or the request, and `NotThereError` for a 404
        where `missing` says what to do about it.
        """
        import httpx
        import pydantic
        from langfuse.api.core import ApiError

        try:
            yield
        except httpx.TimeoutException:
            raise self._down("no answer in time") from None
        except httpx.HTTPError as error:
            raise self._down(f"no answer ({redact(str(error), self.guard) or type(error).__name__})") from None
        except ApiError as error:
            raise self._refused(error.status_code or 0, error.body, where, missing) from None
        except pydantic.ValidationError:
            raise self._down("an answer that the SDK cannot read") from None

    def pages(self, fetch: Callable[[int], Any], where: str, *, missing: str = "") -> Iterator[Any]:
        """Yield the entries of all pages, numbered from 1. Raises as `asking`."""
        page, pages = 1, 1
        while page <= pages:
            with self.asking(where, missing=missing):
                found = fetch(page)
            yield from found.data
            page, pages = page + 1, found.meta.total_pages if found.data else 0

    def items(self, dataset: str) -> Iterator[DatasetItem]:
        """Yield the active items of a dataset. Raises as `asking`."""

        def fetch(page: int) -> Any:
            return self.api.dataset_items.list(dataset_name=dataset, page=page, limit=PAGE)

        found: Iterator[DatasetItem] = self.pages(fetch, f"dataset {dataset}", missing=NO_DATASET)
        yield from (item for item in found if item.status == "ACTIVE")

    def send_spans(self, spans: bytes, where: str) -> None:
        """Send an OTLP export request. Raises as `asking`."""
        from langfuse.api.core import ApiError

        headers = {"Content-Type": "application/x-protobuf", "x-langfuse-ingestion-version": "4"}
        with self.asking(where):
            answer = self.http.post("/api/public/otel/v1/traces", content=spans, headers=headers)
            if not answer.is_success:
                raise ApiError(status_code=answer.status_code, body=answer.text)

    def check(self, value: Any, *, where: str) -> None:
        """Raise `UsageError` for what holds a key, on its way out or in."""
        if held := self.guard.found(canonical(value)):
            raise UsageError(f"this holds the value of {held}, so it is neither sent nor kept", where=where, fix=FIX)

    def _down(self, what: str) -> Undelivered:
        fix = f"Check the network and {HOSTS[0]}, then run the command again"
        return Undelivered(f"LangFuse: {what}", where=self.host, fix=fix)

    def _refused(self, status: int, body: Any, where: str, missing: str) -> Row3Error:
        if status in (401, 403):
            fix = f"Check {PUBLIC_KEY} and {SECRET_KEY}: they belong to one project on this host"
            return Undelivered(f"LangFuse refuses the keys ({status})", where=self.host, fix=fix)
        if status == 404 and missing:
            return NotThereError("LangFuse does not have it", where=where, fix=missing)
        if status >= 500 or status in PASSING or 200 <= status < 400:
            return self._down(f"status {status}{' without an answer of LangFuse' if status < 300 else ''}")
        said = body.get("message", body) if isinstance(body, dict) else body
        what = f"LangFuse refuses this ({status}): {redact(str(said), self.guard)}"
        return Undelivered(what, where=where, fix="Correct it there or here", service_wide=False)


def connect(project: Project) -> Connection:
    """Open the connection; sends nothing yet. Raises `MissingExtra`, `InvalidFile`, `UsageError` without keys."""
    try:
        import httpx
        from langfuse import __version__
        from langfuse.api import LangfuseAPI
    except ImportError:
        what = "LangFuse needs its SDK"
        raise MissingExtra(what, where="langfuse", fix='pip install "row3[langfuse]"') from None
    keys = [os.environ.get(name, "").strip() for name in LANGFUSE_KEYS]
    if absent := [name for name, key in zip(LANGFUSE_KEYS, keys, strict=True) if not key]:
        raise UsageError(f"{' and '.join(absent)} is not set", where="environment", fix="Set both keys of the project")
    settings = project.config.langfuse
    variable = next((name for name in HOSTS if os.environ.get(name, "").strip()), "")
    if not variable and settings.host and project.guard is not None:
        what = "in CI a change could name another address in row3.toml, to which the keys would go"
        raise UsageError(what, where=HOSTS[0], fix="Set it to the address of LangFuse")
    try:
        host = checked_url(os.environ[variable] if variable else settings.host or CLOUD, allow_http=settings.allow_http)
    except UsageError as error:
        place = variable or f"{FILE} field langfuse.host"
        fix = "Use https, or set `allow_http = true` under [langfuse]" if "plain http" in error.what else "Correct it"
        raise InvalidFile(error.what.replace("base_url", "host"), where=place, fix=fix) from None
    # Redirects are not followed: the keys go to this address and no other.
    http = httpx.Client(base_url=host, auth=(keys[0], keys[1]), timeout=TIMEOUT_S, follow_redirects=False)
    api = LangfuseAPI(
        base_url=host,
        username=keys[0],
        password=keys[1],
        x_langfuse_sdk_name="python",
        x_langfuse_sdk_version=__version__,
        x_langfuse_public_key=keys[0],
        httpx_client=http,
    )
    connection = Connection(api, http, urlsplit(host).netloc, guard_of(project))
    weakref.finalize(connection, http.close)
    return connection


def in_path(name: str) -> str:
    """Return a name as part of a path: the SDK puts it there as it is."""
    return quote(name, safe="")
