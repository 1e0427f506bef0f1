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
CONTRAST = """(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const light = (colour) => {
    const part = (n) => { const c = n / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const style = getComputedStyle(one);
  const [low, high] = [light(style.color), light(style.backgroundColor)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
})"""


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
    assert page.evaluate(SEEN, "tbody .tag") == ["unusable", "proceed", "incomplete", "block"]
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert min(page.evaluate(CONTRAST, "tbody .tag")) >= 4.5


def test_a_phone_says_what_its_numbers_are(show: Open) -> None:
    page = show(PHONE)
    worse = page.locator("tbody tr", has_text="worse")
    labels = "(cell) => getComputedStyle(cell, '::after').content.replaceAll('\"', '').trim()"
    assert [cell.evaluate(labels) for cell in worse.locator(".told").all()] == ["points", "cases"]
    texts = page.evaluate(SEEN, "tbody tr:has(.tag.block) > *")
    assert "Overall" in texts
    assert any(text.endswith("%") for text in texts)
    broken = page.locator("tbody tr", has_text="unusable").locator(".lacks")
    assert broken.count() == 3
    assert not any(cell.is_visible() for cell in broken.all())


def test_the_verdict_stands_beside_its_suite_on_a_phone(show: Open) -> None:
    page = show(PHONE)
    for row in page.locator("tbody tr:not(.note)").all():
        name, tag = row.locator("th").bounding_box(), row.locator(".tag").bounding_box()
        assert name["y"] < tag["y"] + tag["height"]
        assert tag["y"] < name["y"] + name["height"]
        assert name["x"] < tag["x"]
