"""`row3 lint` on the files beside golden cases: judgements and quarantine, each finding with its file and line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import row3
from row3.commands.linting.lint import lint_at
from row3.commands.linting.lint_cases import MAX_FINDINGS
from row3.domain.quarantine import Quarantined
from row3.project.quarantine import today, write_quarantine
from row3.project.reviewed import with_wrong
from tests.rows import every_row

STARTERS = Path(row3.__file__).parent / "starter"
JUDGED = "golden/example/reviewed.jsonl"
RESTING = "golden/example/quarantine.json"
LINE: dict[str, Any] = {
    "schemaVersion": 1, "caseId": "bank-runs", "item": "panic", "verdict": "wrong", "text": "0123456789abcdef",
    "date": "2026-12-02",
}  # fmt: skip


def judged(root: Path, *lines: dict[str, Any] | str) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (root / JUDGED).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def found(root: Path, file: str) -> list[tuple[str, str, str, int, str]]:
    return [
        (one.level, one.rule, one.field, one.line, one.message) for one in lint_at(root).findings if one.file == file
    ]


def test_what_a_review_writes_is_fine_and_counts_as_a_file(root: Path) -> None:
    before = lint_at(root).files
    (root / JUDGED).write_bytes(with_wrong({}, "bank-runs", "a\ud800b", "Some text.", date="2026-12-02"))
    assert found(root, JUDGED) == []
    assert lint_at(root).files == before + 1


@pytest.mark.parametrize(
    ("line", "rule", "field", "message"),
    [
        ("{", "invalid-file", "", "not JSON"),
        ("[]", "invalid-file", "", "not a JSON object"),
        ("<<<<<<< HEAD", "invalid-file", "", "merge-conflict markers"),
        (LINE | {"schemaVersion": 2}, "invalid-field", "schemaVersion", "newer than this row3 knows"),
        (LINE | {"itm": "x"}, "invalid-field", "itm", "did you mean `item`?"),
        ({key: LINE[key] for key in LINE if key != "item"}, "invalid-field", "item", "is missing"),
        (LINE | {"verdict": "right"}, "invalid-field", "verdict", "one of wrong"),
        (LINE | {"text": "0"}, "invalid-field", "text", "16 hexadecimal digits"),
        (LINE | {"date": "yesterday"}, "invalid-field", "date", "a date like 2026-12-01"),
        (LINE | {"item": 3}, "invalid-field", "item", "string"),
        ('{"caseId": "a", "caseId": "b"}', "invalid-file", "", "occurs twice"),
    ],
)
def test_a_broken_line_is_a_finding_and_hides_no_other(
    root: Path, line: dict[str, Any] | str, rule: str, field: str, message: str
) -> None:
    judged(root, LINE, line, "", LINE | {"item": "x", "verdict": 1})
    first, last = found(root, JUDGED)
    assert first[:4] == ("error", rule, field, 2)
    assert message in first[4]
    assert last[:4] == ("error", "invalid-field", "verdict", 4)


def test_a_judgement_of_an_unknown_case_names_the_near_miss(root: Path) -> None:
    judged(root, LINE, LINE | {"caseId": "bank-run"})
    ((level, rule, field, line, message),) = found(root, JUDGED)
    assert (level, rule, field, line) == ("warning", "unknown-case", "caseId", 2)
    assert message == "case `bank-run` does not exist, so this judges nothing; did you mean `bank-runs`?"


def test_judgements_are_not_checked_while_a_case_is_unreadable(root: Path) -> None:
    judged(root, LINE)
    (root / "golden/example/bank-runs.gold.json").write_text("{", encoding="utf-8")
    assert found(root, JUDGED) == []


def test_a_file_of_the_wrong_type_has_few_findings(root: Path) -> None:
    judged(root, *["nonsense"] * (3 * MAX_FINDINGS))
    assert len(found(root, JUDGED)) == MAX_FINDINGS


def resting(root: Path, *cases: str, since: str = "") -> None:
    day = today()
    entries = [Quarantined(case, since or day.isoformat(), _later(since or day.isoformat()), "x") for case in cases]
    write_quarantine(root, "golden/example", entries)


def _later(text: str) -> str:
    from datetime import date, timedelta

    return (date.fromisoformat(text) + timedelta(days=9)).isoformat()


def test_a_quarantine_is_checked_too(root: Path) -> None:
    resting(root, "bank-runs")
    assert found(root, RESTING) == []
    resting(root, "bank-run")
    ((level, rule, field, line, message),) = found(root, RESTING)
    assert (level, rule, field, line) == ("warning", "unknown-case", "case", 5)
    assert message == "case `bank-run` does not exist: `row3 flaky release bank-run`; did you mean `bank-runs`?"
    resting(root, "bank-runs", "machine-learning")
    ((level, *_, message),) = found(root, RESTING)
    assert (level, message[:38]) == ("error", "2 of 5 cases are in quarantine; no mor")


@pytest.mark.parametrize("text", ["{", "[]", '{"cases": {}}', '{"cases": [], "case": 1}', "<<<<<<< HEAD\n"])
def test_a_broken_quarantine_is_a_finding(root: Path, text: str) -> None:
    (root / RESTING).write_text(text, encoding="utf-8")
    assert [one[0] for one in found(root, RESTING)] == ["error"]


@every_row("kind", ["checks", "extraction", "retrieval"])
def test_a_case_with_the_input_of_another_is_a_warning_in_every_kind(tmp_path: Path, kind: str) -> None:
    shutil.copytree(STARTERS / kind, tmp_path / "p")
    path = next((tmp_path / "p/golden").rglob("*.gold.json"))
    case = json.loads(path.read_text("utf-8"))
    key = next(key for key in ("id", "query_id", "case_id") if key in case)

    def twins() -> list[tuple[str, str]]:
        return [(one.level, one.message) for one in lint_at(tmp_path / "p").findings if one.rule == "input-twice"]

    assert twins() == []
    path.with_name("zwin.gold.json").write_text(json.dumps(case | {key: "zwin"}), "utf-8")
    ((level, message),) = twins()
    assert level == "warning"
    assert message.startswith(f"`zwin` has the same input as `{case[key]}`")
