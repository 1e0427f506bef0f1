"""Reports of a small project, and a browser to look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browsers import Opened, browser, open_page
from tests.projects import CASES, Box, flawless, tiny

DOMAINS = {"rye": "ecological", "yeast": "technical", "oven": "technical"}
NOT_JSON = "I am sorry, <b>no</b> answer today."


def mixed(root: Path) -> Box:
    """One case that falls and invents, one that rises, one whose answer cannot be read; v1.0 is the baseline."""
    box = tiny(root)
    for case_id, domain in DOMAINS.items():
        box.case(case_id, domain=domain, topic=f"All about {case_id}")
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.prompt("1.2")
    good = {case_id: flawless(case) for case_id, case in CASES.items()}
    invented = [
        {"label": "cereal", "sourceQuote": "Rye is a cereal."},
        {"label": "cold rye memory", "sourceQuote": "Rye remembers the cold."},
        {"label": "dough", "sourceQuote": "Salt slows the proofing of a dough."},
    ]
    rye = {"concepts": invented, "relationships": good["rye"]["relationships"][:1]}
    box.record("1.2", {"rye": rye, "yeast": good["yeast"], "oven": NOT_JSON})
    return box


@pytest.fixture(scope="session")
def mixed_box(tmp_path_factory: pytest.TempPathFactory) -> Box:
    return mixed(tmp_path_factory.mktemp("mixed") / "project")


@pytest.fixture(scope="session")
def mixed_report(mixed_box: Box) -> Path:
    mixed_box.row3("report", "--out", "report.html", code=0)
    return mixed_box.path("report.html")


# Of a module, not of the session: while the driver lives, its event loop counts as running in this thread, and the
# tests that share a process with these could start none of their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture
def show(chromium: Any) -> Iterator[Callable[..., Opened]]:
    """Opens reports; at the end every one of them must have kept quiet and asked for nothing."""
    opened: list[Opened] = []

    def show_file(file: Path, **how: Any) -> Opened:
        opened.append(open_page(chromium, file, **how))
        return opened[-1]

    yield show_file
    for one in opened:
        one.page.context.close()
    assert [said for one in opened for said in one.said] == []
    assert [address for one in opened for address in one.asked if not address.startswith("data:")] == []
