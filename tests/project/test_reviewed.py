from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.errors import InvalidFile
from row3.project.reviewed import FILE, key_of, read_reviewed, with_wrong

TEXT = "Rye is a cereal."
WHERE = f"golden/bread/{FILE}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "golden/bread").mkdir(parents=True)
    return tmp_path


def judge(root: Path, case_id: str, *items: str) -> None:
    for item in items:
        judged = read_reviewed(root, WHERE)
        (root / WHERE).write_bytes(with_wrong(judged, case_id, item, TEXT, date="2026-12-02"))


def judged(root: Path, case_id: str, item: str, text: str = TEXT) -> bool:
    return key_of(case_id, item, text) in read_reviewed(root, WHERE)


def test_a_judgement_is_found_in_other_spellings(root: Path) -> None:
    judge(root, "rye", "Sea  Salt")
    assert judged(root, "rye", "sea salt")
    assert not judged(root, "rye", "salt")
    assert not judged(root, "oat", "sea salt")


def test_a_judgement_lapses_with_its_text(root: Path) -> None:
    judge(root, "rye", "salt")
    assert not judged(root, "rye", "salt", TEXT + " More.")


def test_half_a_surrogate_pair_is_kept(root: Path) -> None:
    judge(root, "rye", "a\ud800b")
    assert judged(root, "rye", "a\ud800b")
    assert not judged(root, "rye", "ab")


def test_lines_are_sorted_and_versioned(root: Path) -> None:
    judge(root, "rye", "b", "a")
    judge(root, "oat", "c")
    lines = [json.loads(line) for line in (root / WHERE).read_text(encoding="utf-8").splitlines()]
    assert [(line["caseId"], line["item"]) for line in lines] == [("oat", "c"), ("rye", "a"), ("rye", "b")]
    assert all(line["schemaVersion"] == 1 for line in lines)


def test_a_union_merge_is_read(root: Path) -> None:
    """Git's union merge leaves lines twice and out of order."""
    judge(root, "rye", "a", "b")
    path = root / WHERE
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*reversed(lines), lines[0]]), encoding="utf-8")
    assert judged(root, "rye", "a")
    assert judged(root, "rye", "b")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"schemaVersion": 2}', "newer than this row3 knows"),
        ('{"schemaVersion": 1, "caseId": "rye"}', "`item` is missing"),
        ('{"caseId": "rye", "item": "a", "verdict": "right", "text": "0", "date": "x"}', "`verdict`"),
        ("<<<<<<< HEAD", "merge-conflict"),
    ],
)
def test_a_broken_line_is_named(root: Path, line: str, says: str) -> None:
    judge(root, "rye", "a")
    with (root / WHERE).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(InvalidFile, match="golden/bread/reviewed.jsonl:2") as caught:
        read_reviewed(root, WHERE)
    assert says in str(caught.value)
