"""What CI points at: GitHub's workflow commands, and GitLab's Code Quality report in the form that GitLab documents."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.findings import LintFinding, make_report
from row3.domain.judgements import Code, Reason, Verdict
from row3.gate.results import SuiteResult, SuitesReport, judged
from row3.reports.issues import (
    Issue,
    Places,
    codequality_json,
    file_of,
    github_text,
    lint_issues,
    lint_notice,
    run_issues,
    run_notice,
    suites_issues,
)

BLOCK = Verdict.BLOCK
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
FINDINGS = (
    LintFinding("error", "unknown-field", "row3.toml", "modus", 3, "is unknown"),
    LintFinding("warning", "few-concepts", "golden/a/b.gold.json", "", 1, "has 2 concepts"),
    LintFinding("warning", "few-concepts", "golden/a/b.gold.json", "", 1, "has 0 canaries"),
)


def checked(issues: list[Issue], places: Places = Places()) -> list[dict[str, Any]]:  # noqa: B008
    value: list[dict[str, Any]] = json.loads(codequality_json(issues, places))
    jsonschema.validate(value, SCHEMA)
    prints = [each["fingerprint"] for each in value]
    assert len(set(prints)) == len(prints)
    return value


def test_reasons_and_cases_stand_at_their_files(comparison: Any) -> None:
    entries = checked(run_issues(comparison.run, comparison))
    assert [(each["check_name"], each["severity"], each["location"]["path"]) for each in entries] == [
        ("row3/gate/block", "blocker", "prompts/decompose-concepts-v1.1.md"),
        ("row3/gate/investigate", "major", "golden/decomposition/ozone.gold.json"),
    ]
    places = Places("eval/row3/", "golden/all/{}".format)
    paths = [
        each["location"]["path"] for each in checked(run_issues(comparison.run, comparison, places=places), places)
    ]
    assert paths[1] == "eval/row3/golden/all/decomposition/ozone.gold.json"


def test_a_case_that_no_reason_names_has_an_entry_of_its_own(comparison: Any, make: Any) -> None:
    quiet = make.judged(comparison)
    (entry,) = checked(run_issues(quiet.run, quiet))
    assert entry["check_name"] == "row3/case/regressed"
    assert entry["description"] == "ozone: Overall 70.0% → 60.0% (−10.0 points)"


def test_the_fingerprint_outlives_a_change_of_the_figures(comparison: Any, make: Any) -> None:
    def fell(after: float) -> dict[str, Any]:
        one = make.judged(comparison, Reason(Code.WORSE, BLOCK, "recall", {"before": 0.8, "after": after}))
        return checked(run_issues(one.run, one))[0]

    assert fell(0.7)["fingerprint"] == fell(0.6)["fingerprint"]
    assert fell(0.7)["description"] != fell(0.6)["description"]


@pytest.mark.parametrize(
    ("code", "subject", "path"),
    [
        (Code.CRITERIA_LOOSENED, "rule gate.block", "row3.toml"),
        (Code.CRITERIA_REMOVED, "case a concept:b", "golden/decomposition/a.gold.json"),
        (Code.CRITERIA_LOOSENED, "quarantine a", "golden/decomposition/quarantine.json"),
        (Code.CRITERIA_REMOVED, "baseline", "baselines/decomposition.json"),
        (Code.LOCK_BROKEN, "a-v1.0", "prompts/promoted.json"),
        (Code.BASELINE_DIFFERS, "baseline", "baselines/decomposition.json"),
        (Code.DECLINING, "", "metrics-history.json"),
        (Code.CRITICAL_BROKE, "a", "golden/decomposition/a.gold.json"),
        (Code.WORSE, "recall", "prompts/decompose-concepts-v1.1.md"),
    ],
)
def test_a_reason_stands_at_the_file_to_look_into(run: Any, code: Code, subject: str, path: str) -> None:
    assert file_of(Reason(code, BLOCK, subject), run) == path


def test_a_system_is_set_up_in_row3_toml(run: Any) -> None:
    run = replace(run, suite=replace(run.suite, prompted=False))
    assert file_of(Reason(Code.WORSE, BLOCK, "recall"), run) == "row3.toml"


def test_annotations_name_the_file_of_the_case(comparison: Any) -> None:
    text = github_text(run_issues(comparison.run, comparison), run_notice(comparison))
    assert text == (
        "::error title=row3%3A block::Concept recall went from 76.0%25 to 70.0%25 (−6.0 points)\n"
        "::warning file=golden/decomposition/ozone.gold.json,title=row3%3A investigate::the answer to a case is no "
        "longer usable: ozone\n"
        "::notice title=row3%3A BLOCK::Overall 70.0%25 (−2.0 points, n = 2) · 1 improved · 1 regressed\n"
    )


def test_a_plain_run_warns(make: Any) -> None:
    run = make.run({"a": {"recall": 0.5, "overall": 0.8}})
    assert github_text(run_issues(run, declines=3)) == (
        "::warning title=row3%3A fail zone::Concept recall (row3 --compare judges)\n"
        "::warning title=row3%3A declining::3 consecutive declining runs of Overall (row3 trend shows them)\n"
    )


def test_a_branch_that_is_behind_says_so_once(comparison: Any) -> None:
    behind = replace(comparison, behind=1, against="main")
    report = SuitesReport([judged(behind), judged(behind)])
    for issues in (run_issues(behind.run, behind), suites_issues(report)):
        assert [issue.check for issue in issues].count("gate/behind") == 1


def test_several_suites(comparison: Any) -> None:
    other = replace(comparison, run=replace(comparison.run, suite=replace(comparison.run.suite, name="other")))
    report = SuitesReport(
        [
            judged(comparison),
            judged(other),
            SuiteResult("torn", problem="not JSON", fault=2),
            SuiteResult("new", problem="no baseline"),
        ]
    )
    entries = checked(suites_issues(report))
    assert [each["location"]["path"] for each in entries[1:4:2]] == [
        "golden/decomposition/ozone.gold.json",
        "golden/other/ozone.gold.json",
    ]
    assert [each["description"] for each in entries[4:]] == ["not JSON"]
    alone = checked(run_issues(other.run, other))
    assert [each["fingerprint"] for each in entries[2:4]] == [each["fingerprint"] for each in alone]
    commands = github_text(suites_issues(report)).splitlines()
    assert [line.partition(" ")[0] for line in commands] == ["::error"] * 3 + ["::warning"] * 3
    assert commands[-1] == "::warning title=row3 new%3A not judged::no baseline"


def test_lint_has_lines_and_levels() -> None:
    report = make_report(FINDINGS, 2)
    entries = checked(lint_issues(report))
    assert [(each["severity"], each["location"]["lines"]["begin"]) for each in entries] == [
        ("critical", 3),
        ("minor", 1),
        ("minor", 1),
    ]
    assert entries[0]["description"] == "modus: is unknown"
    commands = github_text(lint_issues(report), lint_notice(report)).splitlines()
    assert commands[0] == "::error file=row3.toml,line=3,title=row3 lint%3A unknown-field::modus: is unknown"
    assert commands[-1] == "::notice title=row3 lint::1 error, 2 warnings in 2 files"
    assert checked(lint_issues(make_report((), 4))) == []


@given(st.text(), st.text(min_size=1), st.text())
def test_any_text_is_a_valid_report(rule: str, file: str, message: str) -> None:
    finding = LintFinding("error", rule or "x", f"golden/{file}", "", 1, message)
    checked(lint_issues(make_report((finding,), 1)))


@given(st.text(), st.text(), st.text())
def test_an_annotation_is_one_command(message: str, title: str, file: str) -> None:
    text = github_text([Issue("error", "lint/x", title, message, "minor", file, 1)])
    assert len(text.splitlines()) == 1
    head, _, body = text.removeprefix("::error ").partition("::")
    assert re.fullmatch(r"(file=[^:,]*,line=1,)?title=[^:,]*", head)
    assert not re.search(r"%(?!25|0A|0D|3A|2C)", head + body)
