"""A name that two changes swap for another thing's, over a spelling that matching takes for both."""

from __future__ import annotations

import pytest

from tests.judging import said
from tests.projects import CASES, Box

TOLD = "block golden cases with a name that is another one than in the baseline: rye.gold.json"


def canary(box: Box, name: str) -> None:
    box.case("rye", forbiddenConcepts=[*CASES["rye"]["forbiddenConcepts"], name])


def merged(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "work")


@pytest.fixture
def spelt(work: Box) -> Box:
    """A canary in milliwatts in the baseline, and on main by a spelling that could be megawatts too."""
    canary(work, "mW")
    work.row3("--baseline", code=0)
    merged(work, "a canary")
    canary(work, "Mw")
    assert "block" not in said(work, 0)
    merged(work, "another spelling")
    return work


def test_the_second_change_blocks(spelt: Box) -> None:
    canary(spelt, "MW")
    assert TOLD in said(spelt, 1)


def test_the_way_back_does_not(spelt: Box) -> None:
    canary(spelt, "mW")
    assert "another one than in the baseline" not in said(spelt, 0)


def test_what_was_approved_is_not_told_again(spelt: Box) -> None:
    canary(spelt, "MW")
    spelt.row3("--compare", "--against", "main", "--approve", "megawatts are meant", code=0)
    merged(spelt, "signed")
    spelt.case("rye", forbiddenConcepts=[*CASES["rye"]["forbiddenConcepts"], "MW", "a third one"])
    assert "another one than in the baseline" not in said(spelt, 0)


def test_another_id_is_told_as_such(spelt: Box) -> None:
    spelt.replace("golden/bread/rye.gold.json", '"id": "rye"', '"id": "rice"')
    assert "golden cases with another id than at main" in said(spelt, 1)
