"""The dashboard in Chromium: what it draws, while a hundred pages are connected and records are taken in."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from row3.integrations.monitoring.records import moment
from tests.browsers import DESKTOP, PHONE, Opened, browser
from tests.cli.test_monitor_serve import serving
from tests.monitored import jsonl, record
from tests.projects import Box

pytestmark = pytest.mark.slow
CHARTS = 9
PAGES = 100


@pytest.fixture
def box(tmp_path: Path) -> Box:
    box = Box(tmp_path / "project")
    box.root.mkdir()
    box.write("row3.toml", "schema_version = 1\n[monitor]\nsample = 1.0\n")
    return box


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


def minutes_of(hours: float, number: int, name: str) -> bytes:
    draw, now = random.Random(3), time.time() * 1000
    return jsonl(
        *(
            record(f"{name}-{n}", at=moment(int(now - hours * 3_600_000 * draw.random())), latencyMs=1500)
            for n in range(number)
        )
    )


def ingest(box: Box, raw: bytes, name: str) -> None:
    (box.root / name).write_bytes(raw)
    box.row3("monitor", "ingest", name, code=0)


def look(started: Any, address: str, size: dict[str, int], scheme: str = "light") -> Opened:
    page = started.new_context(viewport=size, color_scheme=scheme).new_page()
    opened = Opened(page)
    page.on("console", lambda said: opened.said.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: opened.said.append(str(error)))
    page.on("request", lambda asked: opened.asked.append(asked.url))
    page.goto(address)
    return opened


def ready(opened: Opened) -> None:
    opened.until(lambda: opened.run("document.documentElement.dataset.ready ?? ''") == "yes")


INKED = """() => [...document.querySelectorAll('canvas')].map((canvas) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, colours = new Map();
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255) {
      const colour = data.slice(at, at + 3).join();
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
    }
  return Object.fromEntries([...colours].filter(([, times]) => times > 20));
})"""
LINES = {"light": {"53,82,200", "122,47,143"}, "dark": {"157,177,255", "217,160,234"}}
"""Of the first series, and of the third, which may lie upon it."""
BAND = {"light": "228,241,234", "dark": "29,49,41"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_chart_is_drawn(box: Box, chromium: Any, size: dict[str, int], scheme: str) -> None:
    ingest(box, minutes_of(60, 4000, "r"), "records.jsonl")  # three days or four, at any hour
    with serving(box) as (_, address):
        opened = look(chromium, address, size, scheme)
        ready(opened)
        inked = opened.run(INKED)
        titles = opened.texts("h3")

        assert len(titles) == len(inked) == CHARTS and opened.said == []
        assert "Concepts per topic: 2.00, target missed" in titles
        assert "Average latency: 1,500 ms, target met" in titles or "Average latency: no data" in titles
        bare = [title for title, each in zip(titles, inked, strict=True) if not LINES[scheme] & each.keys()]
        assert bare == []
        banded = [BAND[scheme] in each for each in inked]
        assert banded == [False, True, True, True, True, True, False, True, False]
        assert opened.run("document.documentElement.scrollWidth <= innerWidth")
        assert all(url.startswith(address) or url == "data:," for url in opened.asked)
        right = opened.run(
            "Math.max(...[...document.querySelectorAll('canvas')].map((c) => c.getBoundingClientRect().right))"
        )
        assert right <= size["width"]


def test_the_pointer_reads_values(box: Box, chromium: Any) -> None:
    ingest(box, minutes_of(40, 2000, "r"), "records.jsonl")
    with serving(box) as (_, address):
        opened = look(chromium, address, DESKTOP)
        ready(opened)
        over = opened.page.locator(".u-over").nth(3).bounding_box()
        opened.page.mouse.move(over["x"] + over["width"] - 40, over["y"] + 20)
        opened.until(lambda: "Concepts per topic 2" in opened.texts(".key")[3])
        assert "target: 15–30" in opened.texts(".key")[3]


def test_an_empty_store_says_what_to_do_and_fills_live(box: Box, chromium: Any) -> None:
    with serving(box) as (_, address):
        opened = look(chromium, address, PHONE)
        opened.until(lambda: opened.text("#notice") == "No records yet: row3 monitor ingest FILE")
        assert opened.texts("h3") == []
        ingest(box, minutes_of(1, 50, "r"), "records.jsonl")
        opened.until(lambda: len(opened.texts("h3")) == CHARTS)
        # These records have no concepts, in which canaries would be looked for.
        assert opened.text("#notice") == "Alert on Canaries of the domain: not evaluated: 0 of 20 records."
        assert opened.said == []


def test_the_page_says_that_the_server_is_gone(box: Box, chromium: Any) -> None:
    with serving(box) as (process, address):
        opened = look(chromium, address, DESKTOP)
        ready(opened)
        process.terminate()
        opened.until(lambda: "Connection lost" in opened.text("#state"))


def test_a_page_that_nobody_sees_is_not_connected(box: Box, chromium: Any) -> None:
    hide = """(hidden) => {
      Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    with serving(box) as (_, address):
        opened = look(chromium, address, DESKTOP)
        ready(opened)
        opened.page.evaluate(hide, True)
        assert opened.run("events === null")
        opened.page.evaluate(hide, False)
        opened.until(lambda: opened.run("events.readyState === EventSource.OPEN"))


@contextmanager
def connected(address: str) -> Iterator[list[int]]:
    """Keep pages connected; the list counts the events of each."""
    counts, stop = [0] * PAGES, threading.Event()

    async def one(client: httpx2.AsyncClient, place: int) -> None:
        async with client.stream("GET", f"{address}events") as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    json.loads(line[6:])
                    counts[place] += 1

    async def all_of_them() -> None:
        limits = httpx2.Limits(max_connections=None)
        async with httpx2.AsyncClient(limits=limits, timeout=None) as client:
            tasks = [asyncio.create_task(one(client, place)) for place in range(PAGES)]
            await asyncio.to_thread(stop.wait)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    thread = threading.Thread(target=asyncio.run, args=(all_of_them(),))
    thread.start()
    try:
        yield counts
    finally:
        stop.set()
        thread.join()


def test_a_hundred_pages_while_records_are_taken_in(box: Box, chromium: Any) -> None:
    with serving(box) as (_, address), connected(address) as counts:
        opened = look(chromium, address, DESKTOP)
        ready(opened)
        opened.until(lambda: min(counts) >= 1)
        for part in range(3):
            ingest(box, minutes_of(0.05, 3000, f"r{part}"), "records.jsonl")
            wanted = f"{3000 * (part + 1):,}"
            opened.until(lambda wanted=wanted: f"Decompositions: {wanted}" in opened.texts("h3"))
        opened.until(lambda: min(counts) >= 4)
        assert max(counts) - min(counts) <= 1 and opened.said == []
