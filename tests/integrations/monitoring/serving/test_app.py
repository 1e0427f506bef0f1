"""The addresses of the dashboard, its token, and who is refused."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from row3.errors import EnvironmentFault
from row3.integrations.monitoring.serving.app import FILES, Feed, Snapshot, application, read
from row3.integrations.monitoring.storage import DuckDb, Store
from row3.integrations.monitoring.tables import Connection
from row3.project.integration_config import AlertsConfig
from tests.monitored import jsonl, record, take
from tests.rows import every_row

TOKEN = "a-long-secret-token"
HERE = "http://127.0.0.1:8321"


def client(feed: Feed | None = None, token: str = "", at: str = HERE) -> TestClient:
    return TestClient(application(feed or Feed(lambda: Snapshot(b"{}", "metrics\n")), token), base_url=at)


@every_row("path", [*FILES, "/metrics"])
def test_every_answer_forbids_the_network(path: str) -> None:
    answer = client().get(path)
    assert answer.status_code == 200
    policy = dict(each.strip().split(" ", 1) for each in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'" and policy["script-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"


def test_the_page_has_no_code_or_style_of_its_own() -> None:
    page = client().get("/").text
    assert "<style" not in page and "style=" not in page and "</script>" in page and "<script>" not in page
    assert "http" not in page


def test_events_are_the_figures(tmp_path: Path) -> None:
    store: Store = DuckDb(tmp_path / "m.duckdb")
    take(store, jsonl(record("a")), tmp_path)
    feed = Feed(partial(read, store, AlertsConfig()))
    feed.close()  # after the first event

    answer = client(feed).get("/events")

    assert answer.headers["content-type"].startswith("text/event-stream")
    page = json.loads(answer.text.removeprefix("data: "))
    assert [panel["title"] for panel in page["panels"]] == ["Real-time", "Hourly", "Daily"]


def test_metrics_of_a_store_that_cannot_be_read() -> None:
    answer = client(Feed(lambda: Snapshot(b"{}", "", "the store is locked"))).get("/metrics")
    assert (answer.status_code, answer.text) == (503, "the store is locked\n")


@every_row("path", [*FILES, "/events", "/metrics", "/nothing"])
@every_row("headers", [{}, {"authorization": "Bearer wrong"}, {"cookie": f"row3_monitor={TOKEN}"}])
def test_without_the_token_there_is_nothing(path: str, headers: dict[str, str]) -> None:
    answer = client(token=TOKEN).get(path, headers=headers, params={"token": "wrong"})
    assert answer.status_code == 401 and "needs its token" in answer.text
    assert "set-cookie" not in answer.headers and TOKEN not in answer.text


def test_the_token_in_the_address_is_needed_once() -> None:
    page = client(token=TOKEN, at="http://dashboard.example")
    answer = page.get(f"/?token={TOKEN}", follow_redirects=False)
    assert answer.status_code == 303 and answer.headers["location"] == "./"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and TOKEN not in cookie
    assert page.get("/").status_code == page.get("/metrics").status_code == 200
    assert page.get("/", params={"token": "wrong"}).status_code == 200  # the cookie holds


def test_prometheus_sends_the_token() -> None:
    answer = client(token=TOKEN).get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")


def test_a_cookie_of_another_token_is_refused() -> None:
    one, other = client(token=TOKEN), client(token=TOKEN + "2")
    one.get(f"/?token={TOKEN}")
    other.cookies = one.cookies
    assert other.get("/").status_code == 401


@every_row(
    ("host", "status"),
    [
        ("localhost:8321", 200),
        ("[::1]:8321", 200),
        ("127.0.0.1", 200),
        ("rebound.example:8321", 403),
        ("127.0.0.1.rebound.example", 403),
        ("user@rebound.example", 403),
        ("[broken", 403),
        ("", 403),
    ],
)
def test_without_a_token_only_this_machine_is_named(host: str, status: int) -> None:
    assert client().get("/events" if status == 403 else "/", headers={"host": host}).status_code == status


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

    snapshot = read(Broken(), AlertsConfig())
    told: dict[str, Any] = json.loads(snapshot.page)
    assert told == {"fault": ".row3/monitor.duckdb: the store cannot be used. Close other programs."}
    assert snapshot.fault == told["fault"]
