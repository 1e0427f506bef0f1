"""The connection to LangFuse (keys, address, its errors as row3's), and golden cases as dataset items and back.

A case's kind says what of it is input and expected output. The rest is in the item's metadata, under `row3`.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import keys_of
from row3.domain.requests import canonical, digest_json
from row3.domain.secrets import Guard
from row3.errors import InvalidFile, MissingExtra, Row3Error, Undelivered, UsageError
from row3.project.cases import ID_KEYS, case_id_of
from row3.project.places import FILE
from row3.project.project import Project
from row3.project.suites import Suite
from row3.providers.base import checked_url
from row3.providers.guarded import FIX
from row3.providers.redaction import redact
from row3.running.provider_access import LANGFUSE_KEYS, guard_of

if TYPE_CHECKING:
    import httpx
    from langfuse.api import DatasetItem, LangfuseAPI

PUBLIC_KEY, SECRET_KEY = LANGFUSE_KEYS
HOSTS: Final = ("LANGFUSE_HOST", "LANGFUSE_BASE_URL")
"""Environment variables for the address; they override row3.toml."""
CLOUD = "https://cloud.langfuse.com"
TIMEOUT_S = 20.0
PAGE = 50
TEMPORARY = (408, 409, 425, 429)
"""Statuses below 500 that do not refuse the request itself."""
NO_DATASET = "Create it with `row3 langfuse push SUITE`, or correct the name"


class NotFoundError(UsageError):
    """LangFuse does not have the requested object."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Connection:
    """LangFuse's typed client, with row3's errors; its sockets are closed when it is garbage-collected."""

    api: LangfuseAPI
    http: httpx.Client
    """Used by `api`; has the address and the keys."""
    host: str
    guard: Guard = field(repr=False)

    @contextmanager
    def faults(self, where: str, *, missing: str = "") -> Iterator[None]:
        """Turn the client's errors into row3's.

        Raises `Undelivered` if LangFuse is down, or refuses the keys or the request, and `NotFoundError` for a 404 if
        `missing` says what to do about it.
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
        """Yield the entries of all pages, numbered from 1. Raises as `faults`."""
        page, pages = 1, 1
        while page <= pages:
            with self.faults(where, missing=missing):
                found = fetch(page)
            yield from found.data
            page, pages = page + 1, found.meta.total_pages if found.data else 0

    def items(self, dataset: str) -> Iterator[DatasetItem]:
        """Yield the active items of a dataset. Raises as `faults`."""

        def fetch(page: int) -> Any:
            return self.api.dataset_items.list(dataset_name=dataset, page=page, limit=PAGE)

        found: Iterator[DatasetItem] = self.pages(fetch, f"dataset {dataset}", missing=NO_DATASET)
        yield from (item for item in found if item.status == "ACTIVE")

    def send_spans(self, spans: bytes, where: str) -> None:
        """Send an OTLP export request. Raises as `faults`."""
        from langfuse.api.core import ApiError

        headers = {"Content-Type": "application/x-protobuf", "x-langfuse-ingestion-version": "4"}
        with self.faults(where):
            answer = self.http.post("/api/public/otel/v1/traces", content=spans, headers=headers)
            if not answer.is_success:
                raise ApiError(status_code=answer.status_code, body=answer.text)

    def check(self, value: Any, *, where: str) -> None:
        """Raise `UsageError` if a value to send or save contains a key."""
        if held := self.guard.found(canonical(value)):
            raise UsageError(
                f"this contains the value of {held}, so it was neither sent nor saved", where=where, fix=FIX
            )

    def _down(self, what: str) -> Undelivered:
        fix = f"Check the network and {HOSTS[0]}, then run the command again"
        return Undelivered(f"LangFuse: {what}", where=self.host, fix=fix)

    def _refused(self, status: int, body: Any, where: str, missing: str) -> Row3Error:
        if status in (401, 403):
            fix = f"Check {PUBLIC_KEY} and {SECRET_KEY}: they belong to one project on this host"
            return Undelivered(f"LangFuse refused the keys ({status})", where=self.host, fix=fix)
        if status == 404 and missing:
            return NotFoundError("not found in LangFuse", where=where, fix=missing)
        if status >= 500 or status in TEMPORARY or 200 <= status < 400:
            return self._down(f"status {status}{', but not an answer from LangFuse' if status < 300 else ''}")
        said = body.get("message", body) if isinstance(body, dict) else body
        what = f"LangFuse refused this ({status}): {redact(str(said), self.guard)}"
        return Undelivered(what, where=where, fix="Correct it here or in LangFuse", service_wide=False)


def connect(project: Project) -> Connection:
    """Return the connection; sends nothing yet. Raises `MissingExtra`, `InvalidFile`, `UsageError` without keys."""
    try:
        import httpx
        from langfuse import __version__
        from langfuse.api import LangfuseAPI
    except ImportError:
        what = "LangFuse needs its SDK"
        raise MissingExtra(what, where="langfuse", fix='pip install "row3[langfuse]"') from None
    keys = [os.environ.get(name, "").strip() for name in LANGFUSE_KEYS]
    if absent := [name for name, key in zip(LANGFUSE_KEYS, keys, strict=True) if not key]:
        raise UsageError(f"{' and '.join(absent)} must be set", where="environment", fix="Set both keys of the project")
    settings = project.config.langfuse
    variable = next((name for name in HOSTS if os.environ.get(name, "").strip()), "")
    if not variable and settings.host and project.guard is not None:
        what = "CI ignores the address in row3.toml, because a change could send the keys elsewhere"
        raise UsageError(what, where=HOSTS[0], fix="Set it to LangFuse's address")
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
    """Return a name quoted for a path; the SDK does not quote it."""
    return quote(name, safe="")


ROW3_KEY = "row3"
"""Key of row3's part of the metadata of an item or dataset."""
HEADER = ("$schema", "schemaVersion")


@dataclass(frozen=True, slots=True)
class Item:
    """A dataset item, which holds a golden case unless someone else made it."""

    id: str
    input: Any
    expected_output: Any
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source_trace_id: str | None = None

    @classmethod
    def received(cls, item: DatasetItem) -> Item:
        """Return an item of LangFuse."""
        metadata = item.metadata if isinstance(item.metadata, dict) else {}
        return cls(item.id, item.input, item.expected_output, metadata, item.source_trace_id)

    @classmethod
    def of_case(cls, case: Mapping[str, Any], suite: Suite, old: Item | None = None, trace: str | None = None) -> Item:
        """Return the item that holds a case, in the place of an old one."""
        rest = _content(case)
        own: dict[str, Any] = {"suite": suite.name, "kind": suite.kind.name, "digest": case_digest(rest)}
        ids = {key: rest.pop(key) for key in ID_KEYS if key in rest}
        schemas = {suite.kind.whole: suite.kind.schema(suite.kind.whole, suite.rules)}
        given, expected = suite.kind.case_model.split(rest, schemas)
        metadata = {**({} if old is None else old.metadata), ROW3_KEY: own | {"rest": ids | rest}}
        if old is not None:
            return cls(old.id, given, expected, metadata, old.source_trace_id)
        return cls(item_id(suite, case_id_of(case)), given, expected, metadata, trace)

    @property
    def own(self) -> dict[str, Any]:
        """row3's part of the metadata; empty for an item that row3 did not write."""
        return row3_part(self.metadata)

    @property
    def rest(self) -> dict[str, Any]:
        """The part of a case that is in the metadata."""
        rest = self.own.get("rest")
        return dict(rest) if isinstance(rest, dict) else {}

    @property
    def context(self) -> dict[str, Any]:
        """The part that is saved with an experiment's run."""
        return {"id": self.id, "input": self.input, "expectedOutput": self.expected_output}

    def place(self, dataset: str) -> str:
        """Return where it is, for messages."""
        return f"item {self.id} of dataset {dataset}"

    def case_id(self, suite: Suite) -> str:
        """Return the id of its case."""
        return case_id_of(self.rest) or self.id.removeprefix(item_id(suite, ""))

    def case(self, suite: Suite, *, where: str) -> dict[str, Any]:
        """Return its case, with keys in the kind's order. Raises `InvalidFile` for an item that does not hold one."""
        value = self.rest
        if not case_id_of(value):
            value[ID_KEYS[0]] = self.case_id(suite)
        try:
            value |= suite.kind.case_model.join(self.input, self.expected_output)
        except ValueError as error:
            raise InvalidFile(str(error), where=where, fix='Give it an input such as {"text": "…"}') from None
        value = {key: value[key] for key in (*ID_KEYS, *keys_of(suite.kind.case_model), *value) if key in value}
        try:
            convert(value, suite.kind.case_model)
        except MisfitsError as error:
            what = f"not a golden case: {error.summary()}"
            raise InvalidFile(what, where=where, fix="Correct it in LangFuse") from None
        return value

    def send(self, connection: Connection, dataset: str, case_id: str) -> None:
        """Write it to a dataset, replacing one with the same id. Raises as `Connection.faults`."""
        where, parts = f"case `{case_id}`", asdict(self)
        connection.check(parts, where=where)
        if self.source_trace_id is None:
            del parts["source_trace_id"]
        with connection.faults(where, missing=f"Another dataset has an item with the id `{self.id}`: delete it there"):
            connection.api.dataset_items.create(dataset_name=dataset, **parts)


def row3_part(metadata: Any) -> dict[str, Any]:
    """Return what row3 noted in the metadata of an item or dataset."""
    own = metadata.get(ROW3_KEY) if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) else {}


def case_digest(case: Mapping[str, Any]) -> str:
    """Return the digest of a case's content; its schema reference and the order of keys do not count."""
    return digest_json(_whole(_content(case)))


def item_id(suite: Suite, case_id: str) -> str:
    """Return the id of a case's item; unique, because a suite's name has no dot."""
    return f"{suite.name}.{case_id}"


def parsed(value: Any) -> Any:
    """Return the value of a JSON text; anything else is returned unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _content(case: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in case.items() if key not in HEADER}


def _whole(value: Any) -> Any:
    """Return a value with 1 for 1.0, as LangFuse returns it."""
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
