"""The quarantine in every scorecard and comparison."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.bakery import bakery, found, record
from tests.projects import Box, copy_of

FILE = "golden/bread/quarantine.json"


def day(days: int) -> str:
    """So many days from today."""
    return (datetime.now(UTC).date() + timedelta(days=days)).isoformat()


def put(box: Box, *case_ids: str, until: int = 20, since: int = 0) -> None:
    entries = [{"case": each, "since": day(since), "until": day(until), "reason": "wavers, #12"} for each in case_ids]
    box.write(FILE, json.dumps({"schemaVersion": 1, "cases": entries}))


def once(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def promoted(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """v1.0 finds all and is promoted; v1.1 finds nothing of `iris`."""
    box = bakery(tmp_path_factory.mktemp("quarantine") / "project")
    record(box, "1.0", found(4))
    record(box, "1.1", found(4) | {"iris": 0})
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    return box


box = copy_of("promoted")


WORDS = "quarantined: 1 case (iris until {}: wavers, #12)"


class TestShown:
    def test_in_the_scorecard_where_n_shows_it(self, box: Box) -> None:
        put(box, "iris")
        done = box.row3(code=0)
        assert WORDS.format(day(20)) in once(done.out)
        recall = next(line for line in done.out.splitlines() if line.startswith("Concept recall"))
        assert (recall.split()[2], recall.split()[-1]) == ("100.0%", "14")
        assert any(line.split()[:2] == ["✗", "iris"] for line in done.out.splitlines())

    def test_no_failure_in_junit(self, box: Box) -> None:
        put(box, "iris")
        assert 'failures="0"' in box.row3("--compare", "--format", "junit", code=0).out

    def test_an_expired_one_counts_again_and_says_so(self, box: Box) -> None:
        put(box, "iris", since=-20, until=0)
        done = box.row3("--compare", code=0)
        assert f"quarantine expired, counted again: iris on {day(0)}" in once(done.out)
        assert box.row3("--format", "json", code=0).json["quarantineExpired"][0]["case"] == "iris"


def test_a_run_of_the_quarantined_case_alone_is_listed_and_judges_nothing(box: Box) -> None:
    put(box, "iris")
    done = box.row3("--case", "iris", code=0)
    assert "No case was scored." in done.out
    assert WORDS.format(day(20)) in once(done.out)
