"""Label files: appending, corrections, and opinions on graded answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.domain.judges import Graded
from row3.errors import InvalidFile
from row3.project.labels import Label, add_label, parse_labels, read_labels
from tests.rows import every_row


def label(case_id: str, grade: float | None = 75, **more: object) -> Label:
    return Label(suite="s", rubric="r", case_id=case_id, answer_digest=f"d{case_id}", grade=grade, **more)  # type: ignore[arg-type]


def test_labels_are_appended_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "labels.jsonl"
    two = label("b", None, winner="tie", passes=False)
    for each in (label("a"), two, label("c")):
        add_label(path, each, where="labels")
    assert parse_labels(path.read_bytes(), where="labels") == [label("a"), two, label("c")]
    assert '"passes"' not in path.read_text().splitlines()[0]


def test_a_missing_final_newline_is_added(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    add_label(path, label("a"), where="labels")
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    add_label(path, label("b"), where="labels")
    assert [each.case_id for each in parse_labels(path.read_bytes(), where="labels")] == ["a", "b"]


def test_the_last_line_about_an_answer_counts(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    for grade in (10, 90):
        add_label(path, label("a", grade), where="labels")
    assert [each.grade for each in read_labels(path, "s", where="labels")] == [90]
    with pytest.raises(InvalidFile, match="no labels of suite `t`"):
        read_labels(path, "t", where="labels")


@every_row(("grade", "passes_from", "passes"), [(70, 0.7, True), (69, 0.7, False), (50, 0.5, True)])
def test_a_grade_passes_at_the_checks_minimum(grade: float, passes_from: float, passes: bool) -> None:
    assert label("a", grade).opinion(Graded("r", {"answer": "x"}, passes_from, 1)).passes is passes


def test_a_pairwise_label_has_a_winner_and_a_pass() -> None:
    said = label("a", None, winner="baseline", passes=True).opinion(Graded("r", {}, 1.0, 0))
    assert (said.grade, said.passes, said.winner) == (100, True, "baseline")


def test_the_digest_covers_everything_the_rubric_shows() -> None:
    one, other = (Graded("r", {"input": text, "answer": "x"}, 0.7, 1).digest for text in "ab")
    assert one != other == Graded("r", {"answer": "x", "input": "b"}, 0.7, 1).digest
