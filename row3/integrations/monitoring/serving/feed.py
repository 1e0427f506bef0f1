"""Snapshots of the store: one query however many pages are open."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

from pydantic_core import to_json

from row3.errors import Row3Error
from row3.integrations.monitoring.serving.metrics import exposition
from row3.integrations.monitoring.serving.panels import page, read_recent
from row3.integrations.monitoring.storage import Store

REFRESH_S = 2.0


class Snapshot(NamedTuple):
    """One refresh, ready to send: the page as JSON, or as `{"fault": "…"}`, and `/metrics`."""

    page: bytes
    metrics: str
    fault: str = ""


def read(store: Store, alarm: float | None = None) -> Snapshot:
    """Query the store; an error becomes part of the snapshot. For `alarm` see `page`."""
    try:
        with store.open() as connection:
            seen = read_recent(connection, int(time.time() * 1000))
    except Row3Error as error:
        return Snapshot(to_json({"fault": str(error)}), "", str(error))
    return Snapshot(to_json(page(seen, alarm)), exposition(seen))


class Feed:
    """Snapshots for all open pages; without one, the store is not queried."""

    def __init__(self, ask: Callable[[], Snapshot], refresh_s: float = REFRESH_S) -> None:
        self._ask, self._refresh_s, self._due = ask, refresh_s, 0.0
        self._asking: asyncio.Task[Snapshot] | None = None
        self._closing = asyncio.Event()

    async def snapshot(self) -> Snapshot:
        """Return the newest snapshot, or the next one if it is due."""
        if self._asking is None or (self._asking.done() and time.monotonic() >= self._due):
            self._asking = asyncio.create_task(self._next())
        return await asyncio.shield(self._asking)  # a page that closes does not cancel it for the others

    async def _next(self) -> Snapshot:
        begun = time.monotonic()
        try:
            return await asyncio.to_thread(self._ask)
        finally:
            self._due = (now := time.monotonic()) + max(self._refresh_s, 10 * (now - begun))

    async def events(self) -> AsyncIterator[bytes]:
        """Yield a server-sent event for each change, and a comment if there is none, until `close`."""
        sent = b""
        while not (sent and self._closing.is_set()):
            snapshot = await self.snapshot()
            yield b":\n\n" if snapshot.page == sent else b"data: %b\n\n" % snapshot.page
            sent = snapshot.page
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), max(0.1, self._due - time.monotonic()))

    def close(self) -> None:
        """End all streams."""
        self._closing.set()
