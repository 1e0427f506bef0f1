"""A real Chromium for the tests of what row3 writes for browsers."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--no-first-run",
)  # fmt: skip
PATIENCE_S = 60.0
DESKTOP, PHONE = {"width": 1360, "height": 900}, {"width": 390, "height": 844}


def chromium() -> str:
    """The program; without it, or what drives it, the test is skipped, or fails where nothing may be missing."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        _missing("playwright is missing, which drives the browser: pip install -r requirements/dev.txt")
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        _missing("Chromium is missing: install it (Debian, Ubuntu: apt-get install chromium)")
    return found


def _missing(what: str) -> NoReturn:
    if os.environ.get("ROW3_TESTS_NEED_ALL"):
        pytest.fail(what)
    pytest.skip(what)


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium with a profile of its own, which goes with it."""
    program = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield started
        finally:
            started.close()


@dataclass
class Opened:
    """A page that is open, and all that it said and asked for."""

    page: Any
    said: list[str] = field(default_factory=list)
    """Errors and warnings of the console, and errors that nobody caught."""
    asked: list[str] = field(default_factory=list)
    """Addresses it asked for, beside its own file."""

    def text(self, selector: str) -> str:
        """The words of an element."""
        return str(self.page.inner_text(selector))

    def texts(self, selector: str) -> list[str]:
        """The words of every such element."""
        return [str(one.inner_text()).strip() for one in self.page.query_selector_all(selector)]

    def run(self, script: str) -> Any:
        """The value of an expression or a function, beside the page's policy."""
        return self.page.evaluate(script)

    def press(self, *keys: str) -> None:
        """Keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, holds: Callable[[], Any]) -> None:
        """Look until something holds; an assertion fails where it never does."""
        end = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < end, f"waited in vain; the console said {self.said}"
            time.sleep(0.02)

    def open_case(self, case_id: str) -> None:
        """Click on a case in the list, unless it is open, and wait for it."""
        if self.case_id() != case_id:
            self.page.click(f'#list > li[id="case={case_id}"] summary.row')
        self.until(lambda: self.case_id() == case_id)

    def case_id(self) -> str:
        """The case that is open; empty for none."""
        return str(self.run("document.querySelector('#list details[name][open] .id')?.textContent ?? ''"))

    @property
    def listed(self) -> list[str]:
        """Ids of the cases that the list shows."""
        names: list[str] = self.run("[...document.querySelectorAll('#list > li')].map((item) => item.id.slice(5))")
        return names


def open_page(started: Any, file: Path, *, size: dict[str, int] | None = None, **context: Any) -> Opened:
    """Open a report in a window of its own, and wait until its cases can be clicked."""
    page = started.new_context(viewport=size or DESKTOP, **context).new_page()
    opened = Opened(page)
    address = file.resolve().as_uri()
    page.on("console", lambda said: opened.said.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: opened.said.append(str(error)))
    page.on("request", lambda asked: opened.asked.append(asked.url) if asked.url.split("#")[0] != address else None)
    page.goto(address)
    opened.until(lambda: opened.run("document.documentElement.dataset.ready ?? ''") == "yes")
    return opened
