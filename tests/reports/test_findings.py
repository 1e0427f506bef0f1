"""What lint finds, as text and as JSON."""

from __future__ import annotations

import json

from row3.domain.findings import LintFinding, make_report
from row3.reports.findings import findings_json, findings_text

FILE = "golden/x/y.gold.json"
ERROR = LintFinding("error", "not-in-text", FILE, "expectedConcepts.3.label", 41, "`Rye` occurs in the text nowhere")
WARNING = LintFinding("warning", "created", FILE, "created", 4, "the date of creation is missing")


def test_a_finding_is_one_line_with_place_level_rule_and_message() -> None:
    assert findings_text(make_report([ERROR], 1), width=None) == (
        "golden/x/y.gold.json:41 expectedConcepts.3.label  error  not-in-text  `Rye` occurs in the text nowhere\n"
        "\n"
        "1 error, 0 warnings in 1 file\n"
    )


def test_wrapped_at_80_columns_between_words() -> None:
    assert findings_text(make_report([ERROR, WARNING], 15)) == (
        "golden/x/y.gold.json:41 expectedConcepts.3.label  error  not-in-text  `Rye`\n"
        "    occurs in the text nowhere\n"
        "golden/x/y.gold.json:4 created  warning  created  the date of creation is\n"
        "    missing\n"
        "\n"
        "1 error, 1 warning in 15 files\n"
    )


def test_a_long_path_is_not_cut() -> None:
    long = LintFinding("error", "rule", f"golden/{'x' * 120}.gold.json", "a", 1, "message")
    assert findings_text(make_report([long], 1)).startswith(f"golden/{'x' * 120}.gold.json:1\n    a  error")


def test_errors_only_with_the_number_of_warnings() -> None:
    text = findings_text(make_report([ERROR, WARNING], 15), width=None, errors_only=True)
    assert "created" not in text
    assert text.endswith("nowhere\n\n1 error, 1 warning (not shown) in 15 files\n")
    assert findings_text(make_report([WARNING], 1), errors_only=True) == "0 errors, 1 warning (not shown) in 1 file\n"
    assert findings_text(make_report([], 1), errors_only=True) == "1 file checked, nothing found\n"


def test_nothing_found() -> None:
    assert findings_text(make_report([], 3)) == "3 files checked, nothing found\n"


def test_errors_first_then_by_file_and_line_and_each_once() -> None:
    other = LintFinding("error", "rule", "golden/a/z.gold.json", "", 7, "message")
    report = make_report([ERROR, WARNING, other, ERROR], 2)
    assert report.findings == (other, ERROR, WARNING)
    assert (report.errors, report.warnings, report.exit_code) == (2, 1, 2)
    assert make_report([WARNING], 1).exit_code == 0


def test_text_from_a_file_cannot_command_the_terminal() -> None:
    nasty = LintFinding("error", "rule", FILE, "a\ud800", 1, "\x1b[2Jred\r\nsecond\u202e line")
    text = findings_text(make_report([nasty], 1), width=None)
    assert text.split("\n")[0] == "golden/x/y.gold.json:1 a  error  rule  red second line"
    text.encode("utf-8")
    findings_json(make_report([nasty], 1)).encode("utf-8")


def test_json_is_versioned() -> None:
    assert json.loads(findings_json(make_report([WARNING], 2))) == {
        "schemaVersion": 2,
        "files": 2,
        "errors": 0,
        "warnings": 1,
        "findings": [
            {
                "level": "warning", "rule": "created", "file": FILE, "field": "created", "line": 4,
                "message": "the date of creation is missing", "setting": "",
            }
        ],
    }  # fmt: skip
