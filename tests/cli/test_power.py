"""`row3 power` as a process in a git repository."""

from __future__ import annotations

import pytest

from tests.bakery import bakery, found, record
from tests.projects import Box, copy_of
from tests.rows import every_row


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """v1.0 is the baseline; v1.1 is better here and worse there, each case asked three times."""
    box = bakery(tmp_path_factory.mktemp("power") / "project")
    record(box, "1.0", found(3, 3, 4, 2, 4))
    for repeat, concepts in enumerate(((4, 3, 4, 3, 4, 2), (4, 3, 3), (3, 4, 4, 4))):
        record(box, "1.1", found(*concepts), repeat=repeat)
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    return box


box = copy_of("planned")


def test_the_plan_in_words_within_80_columns_and_nothing_written(box: Box) -> None:
    before = box.tree()
    done = box.row3("power", code=0)
    text = " ".join(done.out.split())
    assert "bread · planned from the baseline and the candidate" in text
    assert "extract v1.1 · baker-1 asked 3 times" in text
    assert "with this much spread detect a drop of" in text
    assert "How often the gate errs" in text
    assert "From this suite's own answers (repeats, confirmations, saved runs), drawn again." in text
    assert "15 cases asked 4 times" in text
    assert "25 cases asked 3 times" in text
    assert max(map(len, done.out.splitlines())) <= 80
    assert done.err == ""
    assert box.tree() == before
    assert box.git("status", "--porcelain").out == ""


def test_once_asked_says_how_to_find_out_about_repeats(box: Box) -> None:
    text = " ".join(box.row3("power", "--repeats", "1", "--detect", "2", code=0).out.split())
    assert "A drop equal to the limit (5) is detected half the time at best" in text
    assert "row3 --repeats 3 --mode record" in text
    assert "From the simulated suite most like this one: " not in text  # v1.1 was asked three times


def test_paired_plans_for_what_blocks(box: Box) -> None:
    value = box.row3("power", "--policy", "paired", "--detect", "12", "--format", "json", code=0).json
    overall = value["metrics"]["overall"]
    assert (value["policy"], overall["detected"], overall["limit"]) == ("paired", "blocked", 0.05)
    seen = box.row3("power", "--metric", "overall", "--format", "json", code=0).json["metrics"]
    assert list(seen) == ["overall"]
    assert overall["smallestDrop"] > seen["overall"]["smallestDrop"] > 0.05
    assert seen["overall"]["wantedDrop"] == 0.1


def test_the_limit_of_the_configuration_is_the_default(box: Box) -> None:
    box.write("row3.toml", box.read("row3.toml") + "[suites.bread.gate]\nblock = 3\ninvestigate = 1\n")
    assert box.row3("power", "--format", "json", code=0).json["metrics"]["overall"]["wantedDrop"] == 0.06


@every_row(
    ("arguments", "says"),
    [
        (("--detect", "-3"), "--detect"),
        (("--detect", "much"), "--detect"),
        (("--detect", "nan"), "'nan' is not a number"),
        (("--metric", "overal"), "Did you mean `overall`?"),
        (("--policy", "pared"), "--policy"),
        (("--suite", "bred"), "Did you mean `bread`?"),
    ],
)
def test_wrong_arguments(box: Box, arguments: tuple[str, ...], says: str) -> None:
    done = box.row3("power", *arguments, code=2)
    assert (done.out, len(done.errors)) == ("", 1)
    assert says in done.err
