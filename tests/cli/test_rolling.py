"""The rolling baseline on the command line: a slow decline that the saved baseline's limit lets pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bakery import IDS, bakery, record
from tests.projects import Box

GATE = """
[suites.bread.gate]
baseline = "rolling"
block = 50.0
drop = 10.0
"""


def project(root: Path, gate: str = GATE) -> Box:
    """v1.0 and v1.1 find nearly all, v1.2 a half; a limit of 50 points lets that pass."""
    box = bakery(root / "project")
    box.write("row3.toml", box.read("row3.toml") + gate)
    box.prompt("1.2")
    for version, concepts in (("1.0", 4), ("1.1", 3), ("1.2", 1)):
        record(box, version, dict.fromkeys(IDS, concepts))
    box.init()
    return box


def test_a_drop_from_the_mean_of_the_latest_runs_blocks(tmp_path: Path) -> None:
    box = project(tmp_path)
    box.path("prompts/extract-v1.2.md").rename(box.path("v1.2"))
    box.path("prompts/extract-v1.1.md").rename(box.path("v1.1"))
    box.row3("--baseline", code=0)
    box.path("v1.1").rename(box.path("prompts/extract-v1.1.md"))
    first = box.row3("--compare", code=0)
    assert "no rolling baseline yet: the history has 1 comparable run, and 2 are needed" in " ".join(first.out.split())
    box.path("v1.2").rename(box.path("prompts/extract-v1.2.md"))

    done = box.row3("--compare", "--format", "json", code=1)
    drops = {each["subject"]: each for each in done.json["reasons"] if each["code"] == "rolling_drop"}
    before = [each["metrics"]["overall"] for each in box.history()[:2]]
    assert drops["overall"]["figures"]["before"] == pytest.approx(sum(before) / 2)
    text = " ".join(box.row3("--compare", "-v", code=1).out.split())  # noted by now, but no part of its mean
    assert "Overall is" in text
    assert "worse than the mean of the latest 2 runs" in text
    assert all(each["schemaVersion"] == 2 and each["scored"] for each in box.history())


def test_without_it_nothing_of_the_history_gates(tmp_path: Path) -> None:
    box = project(tmp_path, GATE.replace('baseline = "rolling"\n', ""))
    box.row3("--baseline", code=0)
    assert "rolling" not in box.row3("--compare").out


def test_no_longer_asking_for_it_is_a_loosened_rule(tmp_path: Path) -> None:
    box = project(tmp_path)
    box.row3("--baseline", code=0)
    box.commit("baseline")
    box.replace("row3.toml", 'baseline = "rolling"\n', "")
    done = box.row3("--compare", "--against", "HEAD", "--format", "json", code=1)
    loosened = [each["subject"] for each in done.json["reasons"] if each["code"] == "criteria_loosened"]
    assert loosened == ["rule gate.drop"]
