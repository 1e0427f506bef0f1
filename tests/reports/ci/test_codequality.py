"""GitLab's Code Quality report, held to the format that GitLab documents."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.verdicts import Reason, Verdict
from row3.reports.ci.codequality import codequality_json, lint_codequality, suites_codequality
from row3.domain.findings import LintFinding, make_report
from row3.reports.places import Places

SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./|/).+"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def checked(text: str) -> list[dict[str, Any]]:
    value: list[dict[str, Any]] = json.loads(text)
    jsonschema.validate(value, SCHEMA)
    prints = [each["fingerprint"] for each in value]
    assert len(set(prints)) == len(prints)
    return value


def test_reasons_and_cases_stand_at_their_files(comparison: Any) -> None:
    entries = checked(codequality_json(comparison.run, comparison))
    assert [(each["check_name"], each["severity"], each["location"]["path"]) for each in entries] == [
        ("row3/gate/block", "blocker", "prompts/decompose-concepts-v1.1.md"),
        ("row3/gate/investigate", "major", "golden/decomposition/ozone.gold.json"),
    ]
    assert entries[0]["description"] == "Concept recall is worse by 6.0 points (more than 5)"


def test_a_case_that_no_reason_names_has_an_entry_of_its_own(comparison: Any) -> None:
    quiet = replace(comparison, reasons=())
    (entry,) = checked(codequality_json(quiet.run, quiet))
    assert entry["check_name"] == "row3/case/regressed"
    assert entry["description"] == "ozone: Overall 60.0% (−10.0 points)"


def test_an_approved_block_is_minor(comparison: Any, make: Any) -> None:
    approved = replace(comparison, approval=make.Approval())
    assert "blocker" not in {each["severity"] for each in checked(codequality_json(approved.run, approved))}


def test_paths_begin_at_the_repository_and_follow_the_suite(comparison: Any) -> None:
    places = Places("eval/row3/", lambda suite: f"golden/all/{suite}")
    paths = [each["location"]["path"] for each in checked(codequality_json(comparison.run, comparison, places))]
    assert paths[1] == "eval/row3/golden/all/decomposition/ozone.gold.json"


def test_the_fingerprint_outlives_a_change_of_the_figures(comparison: Any) -> None:
    before = checked(codequality_json(comparison.run, comparison))[0]
    worse = replace(comparison.reasons[0], text="Concept recall is worse by 9.9 points (more than 5)")
    after = replace(comparison, reasons=(worse, *comparison.reasons[1:]))
    entry = checked(codequality_json(after.run, after))[0]
    assert (entry["fingerprint"], entry["description"]) == (before["fingerprint"], worse.text)


@pytest.mark.parametrize(
    ("cause", "path"),
    [
        ("rules", "row3.toml"),
        ("locks", "prompts/promoted.json"),
        ("baseline", "baselines/decomposition.json"),
        ("cases", "baselines/decomposition.json"),
        ("history", "metrics-history.json"),
    ],
)
def test_other_reasons_stand_at_the_file_to_look_into(comparison: Any, cause: Any, path: str) -> None:
    other = replace(comparison, reasons=(Reason(Verdict.BLOCK, "something", cause=cause),), cases=())
    assert checked(codequality_json(other.run, other))[0]["location"]["path"] == path


def test_lint_has_lines_and_levels() -> None:
    findings = (
        LintFinding("error", "unknown-field", "row3.toml", "modus", 3, "is unknown"),
        LintFinding("warning", "few-concepts", "golden/a/b.gold.json", "", 1, "has 2 concepts"),
        LintFinding("warning", "few-concepts", "golden/a/b.gold.json", "", 1, "has 0 canaries"),
    )
    entries = checked(lint_codequality(make_report(findings, 2)))
    assert [(each["severity"], each["location"]["lines"]["begin"]) for each in entries] == [
        ("critical", 3),
        ("minor", 1),
        ("minor", 1),
    ]
    assert entries[0]["description"] == "modus: is unknown"


def test_several_suites_are_one_report(comparison: Any) -> None:
    other = replace(comparison, run=replace(comparison.run, suite=replace(comparison.run.suite, name="other")))
    text = suites_codequality([(comparison.run, comparison), (other.run, other)], [("gone", "there is no baseline")])
    entries = checked(text)
    assert [each["location"]["path"] for each in entries[1::2]] == [
        "golden/decomposition/ozone.gold.json",
        "golden/other/ozone.gold.json",
    ]
    assert entries[-1]["description"] == "gone: there is no baseline"
    alone = checked(codequality_json(other.run, other))
    assert [each["fingerprint"] for each in entries[2:4]] == [each["fingerprint"] for each in alone]


def test_nothing_found_is_an_empty_array() -> None:
    assert json.loads(lint_codequality(make_report((), 4))) == []


@given(st.text(), st.text(min_size=1), st.text())
def test_any_text_is_a_valid_report(rule: str, file: str, message: str) -> None:
    finding = LintFinding("error", rule or "x", f"golden/{file}", "", 1, message)
    checked(lint_codequality(make_report((finding,), 1)))
