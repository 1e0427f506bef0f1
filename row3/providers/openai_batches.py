"""OpenAI's batch endpoints: a file of requests, answered within a day at half the price.

https://platform.openai.com/docs/guides/batch and https://platform.openai.com/docs/api-reference/batch
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from row3.domain.requests import Answer, NoAnswer, Request
from row3.errors import ProviderStopped, as_sentence
from row3.providers.faults import Exchange, Fault, read_error, read_part, status_fault
from row3.providers.openai_api import OpenAIChat, Wire
from row3.providers.redaction import redact

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch, FileObject

    Named = TypeVar("Named", Batch, FileObject)

MOST_REQUESTS, MOST_BYTES = 50_000, 200_000_000
"""Limits of one batch's file."""
LONGEST_FILE_BYTES = 2_000_000_000
"""Read limit of a file of answers, which has up to `MOST_REQUESTS` of them."""
FILE_S = 900.0
"""Seconds that a file may take to be sent or read."""
OLDER_S = 86_400
"""Seconds by which the service's clock may differ."""
OVER = ("completed", "failed", "expired", "cancelled")
"""Statuses that do not change any more."""
T = TypeVar("T")


def body_in(wire: Wire, key: str) -> bytes:
    """Return a request's line in a batch's file; `key` finds its answer."""
    line = {"custom_id": key, "method": "POST", "url": f"/v1{wire.path}", "body": wire.body}
    # Nothing but a lone surrogate has no UTF-8, and an escape of JSON in its place.
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


class OpenAIBatches(OpenAIChat):
    """A provider whose requests can also be sent as batches.

    Every method retries temporary failures, and raises `ProviderStopped` if it fails: the batch is as it was then.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, longest_body_bytes=LONGEST_FILE_BYTES, **options)

    async def upload(self, lines: bytes) -> str:
        """Upload a file of requests; return its id."""
        file = ("row3.jsonl", lines)
        return (await self._done(lambda client: client.files.create(file=file, purpose="batch"))).id

    async def create(self, file_id: str, path: str, since: float) -> Batch:
        """Begin the batch of a file (uploaded at `since`, seconds of the epoch), once however often it is tried."""
        endpoint: Any = f"/v1{path}"
        tries = 0

        async def method(client: AsyncOpenAI) -> Batch:
            nonlocal tries
            tries += 1
            begun = await _begun(client, file_id, since) if tries > 1 else None
            return begun or await client.batches.create(
                input_file_id=file_id, endpoint=endpoint, completion_window="24h"
            )

        return await self._done(method)

    async def find(self, file_id: str, since: float) -> Batch | None:
        """Return the batch of a file, if it was begun."""
        found = await self.call(lambda client: _begun(client, file_id, since), timeout_s=FILE_S)
        return self._or_stop(found)

    async def retrieve(self, batch_id: str) -> Batch:
        """Return a batch as it is now."""
        return await self._done(lambda client: client.batches.retrieve(batch_id))

    async def content(self, file_id: str) -> bytes:
        """Return the content of a file."""
        found = await self.call(lambda client: client.files.content(file_id), timeout_s=FILE_S)
        return self._or_stop(found).content

    async def _done(self, method: Callable[[AsyncOpenAI], Awaitable[Named]]) -> Named:
        found = self._or_stop(await self.call(method, timeout_s=FILE_S))
        if not isinstance(getattr(found, "id", None), str):  # the client takes any body
            what = f"{self.endpoint.host} sent something that is neither a file nor a batch"
            raise ProviderStopped(what, fix="check the base_url")
        return found

    def _or_stop(self, found: T | NoAnswer) -> T:
        if isinstance(found, NoAnswer):
            fix = f"{found.fix or 'Run it again later'}. Only a service with batch endpoints takes --batch"
            raise ProviderStopped(found.error, fix=fix)
        return found

    def answer_in(self, request: Request, wire: Wire, line: Mapping[str, Any]) -> Answer | NoAnswer | None:
        """Return the answer in a line of a batch's file; None if the request has to be sent without a refused field."""
        exchange = Exchange(self.endpoint, {}, self._guard, wire.body.keys())
        response = read_part(line, "response")
        status, raw = response.get("status_code"), json.dumps(response.get("body")).encode()
        outcome: Answer | Fault
        if not isinstance(status, int) or not 200 <= status <= 599:
            said = redact(read_error(line).message, self._guard).rstrip(".") or "neither answer nor error"
            outcome = Fault("give_up", f"{self.endpoint.host}: {said}")
        elif status < 300:
            outcome = wire.read(raw, exchange, 0.0)
        else:
            outcome = status_fault(status, raw.decode(), exchange)
        if isinstance(outcome, Answer):
            return self.noted(request, wire, outcome._replace(latency_s=None))
        if outcome.refused and self.refuse(request, wire, outcome.refused):
            return None
        failed = NoAnswer(outcome.message, as_sentence(outcome.fix), outcome.kind == "filtered")
        return self.noted(request, wire, failed)


async def _begun(client: AsyncOpenAI, file_id: str, since: float) -> Batch | None:
    """Return the batch of a file; None if there is none."""
    async for each in client.batches.list(limit=100):  # newest first
        if each.input_file_id == file_id:
            return each
        if (each.created_at or 0) < since - OLDER_S:
            break
    return None
