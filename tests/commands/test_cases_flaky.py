"""Which cases waver by themselves: from repeats, under one setting at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.commands.cases import find_flaky
from row3.errors import InvalidFile
from row3.gate.case_worth import FlakyCase, FlakyReport
from row3.running.run_options import RunOptions
from row3.running.session import open_session
from tests.bakery import bakery, found, record
from tests.projects import Box


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    """Fifteen cases, v1.0 and v1.1, nothing recorded."""
    return bakery(tmp_path / "project")


def report(box: Box, *named: str, **options: Any) -> FlakyReport:
    return find_flaky(open_session(box.root, None, RunOptions(named=named, **options)))


def of(found_: FlakyReport, case_id: str) -> FlakyCase:
    return next(case for case in found_.cases if case.case_id == case_id)


def test_repeats_of_one_request(box: Box) -> None:
    for repeat, concepts in enumerate((4, 1, 4)):
        record(box, "1.1", found(4) | {"iris": concepts}, repeat=repeat)
    result = report(box)
    assert (result.setting, result.own, result.pass_mark) == ("extract v1.1 · baker-1", True, 0.65)
    assert [case.case_id for case in result.cases if case.verdict == "flaky"] == ["iris"]
    assert result.cases[0].case_id == "iris"
    assert result.cases[0].answers == 3
    assert result.cases[0].highest - result.cases[0].lowest == pytest.approx(0.1875)
    assert of(result, "ember").verdict == "steady"


def test_flips_over_the_fail_zone(box: Box) -> None:
    for repeat, concepts in enumerate((4, 0, 4)):
        record(box, "1.1", found(4) | {"iris": concepts}, repeat=repeat)
    result = of(report(box), "iris")
    assert result.flip_rate == pytest.approx(2 / 3)


def test_two_answers_are_too_few(box: Box) -> None:
    for repeat, concepts in enumerate((4, 1)):
        record(box, "1.1", found(concepts), repeat=repeat)
    assert {case.verdict for case in report(box).cases} == {"unknown"}


def test_another_setting_if_the_current_one_has_no_repeats(box: Box) -> None:
    for repeat in range(3):
        record(box, "1.0", found(3), repeat=repeat)
    record(box, "1.1", found(4))
    result = report(box)
    assert (result.setting, result.own) == ("extract v1.0 · baker-1", False)
    assert report(box, "extract-v1.1").own


def test_others_with_several_answers_are_named(box: Box) -> None:
    for version in ("1.0", "1.1"):
        for repeat in range(3):
            record(box, version, found(3), repeat=repeat)
    assert report(box).others == ("extract v1.0 · baker-1",)
    assert report(box, "extract-v1.0").setting == "extract v1.0 · baker-1"


def test_cases_without_an_answer_are_named(box: Box) -> None:
    record(box, "1.1", {"ember": 4})
    assert "iris" in report(box).unknown
    assert len(report(box).cases) == 1


def test_nothing_at_all(box: Box) -> None:
    with pytest.raises(InvalidFile, match="no recorded answers") as error:
        report(box)
    assert "row3 --repeats 3 --mode record" in error.value.fix


def test_no_model_named_still_looks_at_what_is_recorded(box: Box) -> None:
    record(box, "1.1", found(4))
    box.write("row3.toml", box.read("row3.toml").replace('model = "baker-1"', ""))
    assert not report(box).own


def test_the_quarantine_is_reported(box: Box) -> None:
    record(box, "1.1", found(4))
    entry = {"case": "iris", "since": "2020-01-01", "until": "2020-01-02", "reason": "x"}
    box.write("golden/bread/quarantine.json", json.dumps({"cases": [entry]}))
    assert [each.case_id for each in report(box).quarantine.expired] == ["iris"]
