"""Which cases matter, from versions that were recorded."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from row3.commands.cases import judge_cases
from row3.errors import InvalidFile
from row3.gate.case_worth import CasesReport, CaseWorth
from row3.project.project import open_project, pick_suite
from tests.bakery import IDS, bakery, case_of, found, record
from tests.projects import SUITE, Box


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    """Four versions of which each finds more: `ember` always all, `iris` nothing, `lemon` less where others more."""
    made = bakery(tmp_path / "project")
    for version in ("1.2", "1.3"):
        made.prompt(version)
    for n, version in enumerate(("1.0", "1.1", "1.2", "1.3"), 1):
        record(made, version, found(n) | {"ember": 4, "iris": 0, "lemon": 5 - n})
    return made


def judged(box: Box, **options: Any) -> CasesReport:
    project = open_project(box.root)
    return judge_cases(project, pick_suite(project, None), **options)


def of(report: CasesReport, case_id: str) -> CaseWorth:
    return next(one for one in report.cases if one.case_id == case_id)


def test_the_most_informative_case_comes_first(box: Box) -> None:
    report = judged(box)
    assert len(report.versions) == 4
    assert of(report, "anchor").tells == pytest.approx(1.0, abs=1e-3)
    assert (of(report, "lemon").tells or 0.0) == pytest.approx(-1.0, abs=1e-3)
    assert of(report, "anchor").mean == pytest.approx(0.85 - 0.25 * 1.5 / 4)
    names = [one.case_id for one in report.cases]
    assert names.index("anchor") < names.index("lemon") < names.index("ember")


def test_never_and_always(box: Box) -> None:
    report = judged(box)
    assert (of(report, "ember").standing, of(report, "iris").standing) == ("never fails", "always fails")
    assert of(report, "anchor").standing == ""
    assert of(report, "ember").why == "it never moves"


def test_a_copied_version_counts_once(box: Box) -> None:
    text = box.read("prompts/extract-v1.3.md")
    changed = text.replace('version: "1.3"', 'version: "1.4"').replace("as of 1.3", "as of 1.4")
    box.write("prompts/extract-v1.4.md", changed)
    assert len(judged(box).versions) == 4


def test_a_version_with_few_answers_is_left_out(box: Box) -> None:
    box.prompt("1.4")
    record(box, "1.4", found(4, cases=7))
    assert len(judged(box).versions) == 4
    record(box, "1.4", found(4, cases=8))
    assert len(judged(box).versions) == 5


def test_two_cases_that_are_the_same_are_redundant(box: Box) -> None:
    twin = {"id": "twin"} | case_of("anchor") | {"sourceText": "The anchor needs the basil. The cedar makes the dune."}
    box.write(f"golden/{SUITE}/twin.gold.json", json.dumps(twin))
    for n, version in enumerate(("1.0", "1.1", "1.2", "1.3"), 1):
        concepts = case_of("anchor")["expectedConcepts"][:n]
        box.record(
            version, {"twin": {"concepts": concepts, "relationships": case_of("anchor")["expectedRelationships"]}}
        )
    report = judged(box)
    assert [(pair.first, pair.second, pair.overlap) for pair in report.redundant] == [("anchor", "twin", 1.0)]


def test_a_pattern_shows_fewer_and_compares_with_all(box: Box) -> None:
    report = judged(box, only={"anchor"})
    assert [one.case_id for one in report.cases] == ["anchor"]
    assert report.cases[0].tells == of(judged(box), "anchor").tells


def test_a_single_version_is_not_informative(box: Box) -> None:
    report = judged(box, named=("extract-v1.1",))
    assert report.versions == ("extract v1.1 · baker-1",)
    assert all(one.tells is None for one in report.cases)


def test_nothing_recorded(box: Box) -> None:
    for path in box.path("recordings").rglob("*.jsonl"):
        path.unlink()
    with pytest.raises(InvalidFile, match="half of the cases"):
        judged(box)


def test_cases_without_an_answer_and_in_quarantine(box: Box) -> None:
    box.write(f"golden/{SUITE}/new.gold.json", json.dumps({"id": "new"} | case_of("anchor") | {"sourceText": "New."}))
    on = datetime.now(UTC).date()
    until = on + timedelta(days=30)
    entry = {"case": "ember", "since": on.isoformat(), "until": until.isoformat(), "reason": "x"}
    box.write(f"golden/{SUITE}/quarantine.json", json.dumps({"cases": [entry]}))
    report = judged(box)
    assert report.unknown == ("new",)
    assert of(report, "ember").quarantined
    assert not of(report, IDS[0]).quarantined
