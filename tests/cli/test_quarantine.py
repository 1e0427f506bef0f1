"""The quarantine in every scorecard and comparison, and what judges a change that brings one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.bakery import IDS, bakery, found, record
from tests.projects import Box

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
    """v1.0 finds all and is promoted; v1.1 finds nothing of `iris`, which alone is enough to block."""
    box = bakery(tmp_path_factory.mktemp("quarantine") / "project")
    record(box, "1.0", found(4))
    record(box, "1.1", found(4) | {"iris": 0})
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    return box


@pytest.fixture
def box(promoted: Box, tmp_path_factory: pytest.TempPathFactory) -> Box:
    """A copy."""
    return promoted.copy(tmp_path_factory.mktemp("copy") / "project")


WORDS = "quarantined: 1 case (iris until {}: wavers, #12)"


class TestShown:
    def test_without_one_the_loss_blocks(self, box: Box) -> None:
        box.row3("--compare", code=1)

    def test_in_the_comparison(self, box: Box) -> None:
        put(box, "iris")
        done = box.row3("--compare", code=0)
        assert WORDS.format(day(20)) in once(done.out)
        assert f"in quarantine until {day(20)}: not counted" in once(done.out)
        assert "compared over 14 of 15 cases" in done.out
        assert "gate quarantined: none → iris" in done.out
        assert max(map(len, done.out.splitlines()[1:])) <= 80

    def test_in_the_scorecard_where_n_shows_it(self, box: Box) -> None:
        put(box, "iris")
        done = box.row3(code=0)
        assert WORDS.format(day(20)) in once(done.out)
        recall = next(line for line in done.out.splitlines() if line.startswith("Concept recall"))
        assert (recall.split()[2], recall.split()[-1]) == ("100.0%", "14")
        assert any(line.split()[:2] == ["✗", "iris"] for line in done.out.splitlines())

    @pytest.mark.parametrize("command", [(), ("--compare",)])
    def test_in_json(self, box: Box, command: tuple[str, ...]) -> None:
        put(box, "iris")
        value = box.row3(*command, "--format", "json", code=0).json
        assert [entry["case"] for entry in value["quarantined"]] == ["iris"]
        assert value["quarantined"][0]["until"] == day(20)
        assert value["denominators"]["recall"] == 14
        assert len(value["cases"]) == 15

    @pytest.mark.parametrize("command", [(), ("--compare",)])
    def test_in_markdown(self, box: Box, command: tuple[str, ...]) -> None:
        put(box, "iris")
        assert f"- quarantined: 1 case (iris until {day(20)}" in box.row3(*command, "--format", "markdown", code=0).out

    def test_no_failure_in_junit(self, box: Box) -> None:
        put(box, "iris")
        assert 'failures="0"' in box.row3("--compare", "--format", "junit", code=0).out

    def test_json_says_that_there_is_none(self, box: Box) -> None:
        value = box.row3("--compare", "--format", "json", code=1).json
        assert value["quarantined"] == []
        assert "quarantineExpired" not in value

    def test_an_expired_one_counts_again_and_says_so(self, box: Box) -> None:
        put(box, "iris", since=-20, until=0)
        done = box.row3("--compare", code=1)
        assert f"quarantine expired, counted again: iris on {day(0)}" in once(done.out)
        assert box.row3("--format", "json", code=0).json["quarantineExpired"][0]["case"] == "iris"

    def test_too_many_are_an_error(self, box: Box) -> None:
        put(box, *IDS[:4])
        done = box.row3("--compare", code=2)
        assert len(done.errors) == 1
        assert f"{FILE}: 4 of 15 cases are in quarantine; no more than one in 5 may be" in done.err

    def test_lint_reads_it_and_takes_it_for_no_case(self, box: Box) -> None:
        put(box, "iris")
        assert "quarantine.json" not in box.row3("lint").out
        box.write(FILE, "{")
        done = box.row3("lint", code=2)
        assert FILE in done.out


class TestBaseline:
    def test_a_baseline_under_one_keeps_the_case_and_leaves_it_out(self, box: Box) -> None:
        put(box, "iris")
        box.row3("promote", "v1.1", code=0)
        value = json.loads(box.read("baselines/bread.json"))
        assert value["gate"]["quarantined"] == ["iris"]
        assert value["metrics"]["recall"] == 1.0
        assert "iris" in [case["id"] for case in value["cases"]]
        box.path(FILE).unlink()
        after = box.row3("--compare", "--format", "json").json
        assert after["deltas"]["recall"] == 0.0
        assert after["compared"] == 15

    def test_that_baseline_follows_from_its_recordings(self, box: Box) -> None:
        put(box, "iris")
        box.commit("quarantine")
        box.row3("promote", "v1.1", code=0)
        box.commit("v1.1")
        result: Any = box.row3("--compare", "--against", "HEAD~1", "--format", "json").json
        told = [reason["text"] for reason in result["reasons"] if reason["text"].startswith("the new baseline")]
        assert told
        assert all(text.startswith("the new baseline is of worse answers: with its cases in quar") for text in told)


class TestWashed:
    """A baseline that is made meanwhile judges the case when it counts again, so its fall is told with it."""

    @pytest.fixture
    def resting(self, box: Box) -> Box:
        put(box, "iris")
        box.commit("quarantine")
        box.git("checkout", "-q", "-b", "work")
        return box

    def test_a_fall_of_the_whole_suite_blocks_until_it_is_approved(self, resting: Box) -> None:
        resting.row3("promote", "v1.1", code=0)
        told = once(resting.row3("--compare", "--against", "main", code=1).out)
        assert "block the new baseline is of worse answers: with its cases in quarantine, Concept recall" in told
        assert "Concept recall 100.0% → 93.3%" in told
        resting.row3("--compare", "--against", "main", "--approve", "iris is given up", code=0)
        resting.commit("v1.1")
        resting.git("branch", "-f", "main", "work")
        resting.path(FILE).unlink()
        resting.row3("--compare", "--against", "main", code=0)

    def test_so_it_does_where_the_change_takes_the_case_out(self, resting: Box) -> None:
        resting.path(FILE).unlink()
        resting.row3("promote", "v1.1", "--approve", "iris is given up", code=0)
        value = json.loads(resting.read("metrics-history.json"))
        resting.write("metrics-history.json", json.dumps(value[:-2]))
        told = once(resting.row3("--compare", "--against", "main", code=1).out)
        assert "with its cases in quarantine, Concept recall 100.0% → 93.3%" in told

    def test_a_critical_case_blocks_alone(self, resting: Box) -> None:
        resting.git("checkout", "-q", "main")
        case = json.loads(resting.read("golden/bread/iris.gold.json"))
        resting.write("golden/bread/iris.gold.json", json.dumps(case | {"critical": True}))
        resting.path(FILE).unlink()
        resting.row3("--baseline", code=0)
        put(resting, "iris")
        resting.commit("critical")
        resting.git("checkout", "-q", "-B", "work")
        record(resting, "1.1", found(4) | {"iris": 2})
        done = resting.row3("promote", "v1.1", code=0)
        assert "(it is critical)" in once(done.out)
        told = once(resting.row3("--compare", "--against", "main", code=1).out)
        assert "block the new baseline is of worse answers: critical case iris (in quarantine), Overall" in told
        assert "block the new baseline is of worse answers: with its cases" not in told

    def test_a_small_one_is_told(self, resting: Box) -> None:
        record(resting, "1.1", found(4) | {"iris": 2})
        resting.row3("promote", "v1.1", code=0)
        told = once(resting.row3("--compare", "--against", "main", code=0).out)
        assert "investigate the new baseline is of worse answers: with its cases in quarantine" in told

    def test_one_that_is_as_good_is_not(self, resting: Box) -> None:
        record(resting, "1.1", found(4))
        resting.row3("promote", "v1.1", code=0)
        assert "the new baseline" not in resting.row3("--compare", "--against", "main", code=0).out


class TestAgainst:
    def test_a_change_cannot_bring_its_own(self, box: Box) -> None:
        put(box, "iris")
        box.commit("quarantine and worse prompt")
        done = box.row3("--compare", "--against", "HEAD~1", code=1)
        assert "quarantine brought by this change, which is judged without it: iris" in once(done.out)
        assert "quarantined: 1 case" not in once(done.out)

    def test_one_that_the_base_has_holds(self, box: Box) -> None:
        put(box, "iris")
        box.commit("quarantine")
        done = box.row3("--compare", "--against", "HEAD", code=0)
        assert WORDS.format(day(20)) in once(done.out)

    def test_one_that_the_change_takes_out_still_holds_for_it(self, box: Box) -> None:
        put(box, "iris")
        box.commit("quarantine")
        box.path(FILE).unlink()
        box.row3("--compare", "--against", "HEAD", code=0)

    def test_a_longer_one_is_the_base_s(self, box: Box) -> None:
        put(box, "iris", since=-20, until=0)
        box.commit("expired")
        put(box, "iris", until=30)
        done = box.row3("--compare", "--against", "HEAD", code=1)
        assert "counted again: iris" in once(done.out)

    def test_the_hook_goes_by_the_base(self, box: Box) -> None:
        box.row3("hook", "install", code=0)
        box.git("checkout", "-q", "-b", "work")
        put(box, "iris")
        box.git("add", "-A")
        done = box.git("commit", "-m", "quarantine and worse prompt", code=None)
        assert done.code != 0
        assert "brought by this change" in once(done.err)
        box.git("checkout", "-q", "main")
        box.git("commit", "-q", "--no-verify", "-m", "quarantine")
        box.git("checkout", "-q", "-b", "later")
        box.prompt("1.2")
        record(box, "1.2", found(4) | {"iris": 0})
        box.git("add", "-A")
        done = box.git("commit", "-m", "later", code=0)
        assert WORDS.format(day(20)) in once(done.err)


def test_a_run_of_the_quarantined_case_alone_is_listed_and_judges_nothing(box: Box) -> None:
    put(box, "iris")
    done = box.row3("--case", "iris", code=0)
    assert "No case was scored." in done.out
    assert WORDS.format(day(20)) in once(done.out)
