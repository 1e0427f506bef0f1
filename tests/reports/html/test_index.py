"""The page that leads to the reports of all suites, in a real Chromium: desk and phone, by day and by night."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browsers import DESKTOP, PHONE
from tests.suites import SUITES, spoil, with_baselines

Open = Callable[..., Any]
SEEN = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  const box = one.getBoundingClientRect();
  return one.checkVisibility() && box.width > 1 && box.right <= innerWidth && box.left >= 0;
}).map((one) => one.innerText.trim())"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of four suites: one better, one worse, one that is broken, one without an answer."""
    box = with_baselines(tmp_path_factory.mktemp("index") / "project")
    spoil(box)
    box.row3("report", "--all", "--out", "pages")
    return box.path("pages/index.html")


@pytest.fixture
def show(chromium: Any, index: Path) -> Iterator[Open]:
    contexts = []

    def opened(size: dict[str, int], scheme: str = "light") -> Any:
        contexts.append(chromium.new_context(viewport=size, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.goto(index.as_uri())
        return page

    yield opened
    for each in contexts:
        each.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE, {"width": 700, "height": 900}], ids=lambda size: str(size["width"]))
def test_every_suite_has_its_verdict_in_sight(show: Open, size: dict[str, int], scheme: str) -> None:
    page = show(size, scheme)
    assert page.evaluate(SEEN, "tbody th") == list(SUITES)
    verdicts = ["✗ unusable", "✓ proceed", "? incomplete", "✗ block"]
    assert page.evaluate(SEEN, "td:last-child") == verdicts
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert "not JSON" in page.locator(".facts").inner_text()


def test_a_phone_says_what_its_numbers_are(show: Open) -> None:
    page = show(PHONE)
    worse = page.locator("tbody tr", has_text="worse")
    named = "(cell) => getComputedStyle(cell, '::before').content.replaceAll('\"', '').trim()"
    names = [cell.evaluate(named) for cell in worse.locator("td").all() if cell.is_visible()]
    assert names == ["metric", "now", "points", "zone", "cases", "verdict"]
