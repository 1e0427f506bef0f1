"""One refresh for all pages."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import AbstractContextManager
from typing import Any

from row3.errors import EnvironmentFault
from row3.integrations.monitoring.serving.app import Feed, Snapshot, read
from row3.integrations.monitoring.tables import Connection


def test_a_hundred_pages_cost_one_query_a_refresh() -> None:
    asked: list[float] = []

    def ask() -> Snapshot:
        asked.append(time.monotonic())
        time.sleep(0.01)
        return Snapshot(b"%d" % len(asked), "")

    async def look(feed: Feed) -> list[bytes]:
        return [event async for event in feed.events()]

    async def all_of_them() -> list[list[bytes]]:
        feed = Feed(ask, 0.2)
        pages = [asyncio.create_task(look(feed)) for _ in range(100)]
        while len(asked) < 3:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        feed.close()
        return await asyncio.gather(*pages)

    seen = asyncio.run(all_of_them())
    assert len(asked) == 3 and asked[2] - asked[0] >= 0.4
    assert seen == [[b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"]] * 100


def test_what_has_not_changed_is_not_sent_again() -> None:
    async def first_two() -> list[bytes]:
        events = Feed(lambda: Snapshot(b"{}", ""), 0.01).events()
        return [await anext(events), await anext(events)]

    assert asyncio.run(first_two()) == [b"data: {}\n\n", b":\n\n"]


def test_a_page_that_leaves_does_not_stop_the_query_of_the_others() -> None:
    begun, go = threading.Event(), threading.Event()

    def ask() -> Snapshot:
        begun.set()
        assert go.wait(10)
        return Snapshot(b"{}", "")

    async def leave() -> bytes:
        feed = Feed(ask)
        one, other = (asyncio.create_task(feed.snapshot()) for _ in range(2))
        await asyncio.to_thread(begun.wait)
        one.cancel()
        await asyncio.sleep(0)
        go.set()
        return (await other).page

    assert asyncio.run(leave()) == b"{}"


def test_a_store_that_cannot_be_read_is_said_on_the_page() -> None:
    class Broken:
        def open(self, *, write: bool = False) -> AbstractContextManager[Connection]:
            raise EnvironmentFault("the store cannot be used", where=".row3/monitor.duckdb", fix="Close other programs")

    snapshot = read(Broken())
    told: dict[str, Any] = json.loads(snapshot.page)
    assert told == {"fault": ".row3/monitor.duckdb: the store cannot be used. Close other programs."}
    assert snapshot.fault == told["fault"]
