"""Recorded answers that a judge grades, from every model, and their grades."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from row3.commands.calibrate import RecordedGrades, calibrate, judged_answers, own_family
from row3.domain.judges import JudgeRules, Opinion
from row3.project.project import open_project, pick_suite
from row3.running.replay import open_recordings
from tests.judged import CASES, JudgeServer, label_all, support
from tests.projects import Box

LABELS = "calibrations/support.labels.jsonl"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """Question 7 has a grade that cannot be read; two models have answered."""
    server = JudgeServer()
    server.broken = {7}
    box = support(Box(tmp_path_factory.mktemp("judged") / "project"), server)
    box.row3("--mode", "record", "--model", "claude-haiku", code=0)
    label_all(box)
    yield box
    server.stop()


@pytest.fixture
def box(recorded: Box, tmp_path: Path, calm_env: None) -> Box:
    return recorded.copy(tmp_path / "project")


def test_each_answer_is_listed_once_with_its_models(box: Box) -> None:
    project = open_project(box.root)
    found = judged_answers(project, pick_suite(project, None))
    assert len(found) == 2 * CASES
    assert {answer.models for answer in found.values()} == {frozenset({"gpt-4.1"}), frozenset({"claude-haiku"})}
    assert all(key == answer.key for key, answer in found.items())


def test_grades_are_found_by_rubric_and_model(box: Box) -> None:
    project = open_project(box.root)
    suite = pick_suite(project, None)
    own = RecordedGrades(suite, open_recordings(project, suite))
    said = {answer.case_id: own.opinion(answer) for answer in judged_answers(project, suite).values()}
    assert said["q01"] == Opinion(100.0, True, reason="seen 1")
    assert said["q03"] == Opinion(25.0, False, reason="seen 3")
    assert isinstance(said["q07"], str) and "no grade" in said["q07"]
    other = own.with_judge({}, ("claude-opus",))
    assert {other.opinion(answer) for answer in judged_answers(project, suite).values()} == {"no grade is recorded"}


def test_ungraded_and_edited_answers_are_skipped_and_counted(box: Box) -> None:
    case = json.loads(box.read("golden/support/q05.gold.json"))
    box.write("golden/support/q05.gold.json", json.dumps(case | {"expected": "politeness"}))
    project = open_project(box.root)
    suite = pick_suite(project, None)
    report = calibrate(project, suite, box.path(LABELS), where=LABELS, write=False)
    [helpfulness] = report.rubrics
    assert (helpfulness.unmatched, helpfulness.ungraded) == (2, 2)
    assert helpfulness.warranty.figures.labels == 2 * CASES - 4
    assert not box.path("calibrations/support.json").exists()


def test_answers_of_the_judges_own_family() -> None:
    judge = JudgeRules(("gpt-4.1-mini",), 1, 0.0, {})
    assert own_family(judge, frozenset({"gpt-5"})) is True
    assert own_family(judge, frozenset({"claude-haiku"})) is False
    assert own_family(judge, frozenset({"gpt-5", "claude-haiku"})) is None
    assert own_family(judge, frozenset()) is None
