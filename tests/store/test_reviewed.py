from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.errors import InvalidFile
from row3.store.reviewed import FILE, Reviewed, judged

TEXT = "Rye is a cereal."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "golden/bread"
    found.mkdir(parents=True)
    return found


def test_a_judgement_is_found_again_whatever_its_spelling(folder: Path) -> None:
    Reviewed(folder.parents[1], "golden/bread").add("rye", ["Sea  Salt"], TEXT, date="2026-12-02")
    held = Reviewed(folder.parents[1], "golden/bread")
    assert judged(held, "rye", ["sea salt", "salt"], TEXT) == [True, False]
    assert judged(held, "oat", ["sea salt"], TEXT) == [False]


def test_a_judgement_lapses_with_its_text(folder: Path) -> None:
    Reviewed(folder.parents[1], "golden/bread").add("rye", ["salt"], TEXT, date="2026-12-02")
    assert judged(Reviewed(folder.parents[1], "golden/bread"), "rye", ["salt"], TEXT + " More.") == [False]


def test_half_a_surrogate_pair_which_a_model_can_write_is_kept(folder: Path) -> None:
    Reviewed(folder.parents[1], "golden/bread").add("rye", ["a\ud800b"], TEXT, date="2026-12-02")
    assert judged(Reviewed(folder.parents[1], "golden/bread"), "rye", ["a\ud800b", "ab"], TEXT) == [True, False]


def test_lines_are_sorted_and_versioned(folder: Path) -> None:
    held = Reviewed(folder.parents[1], "golden/bread")
    held.add("rye", ["b", "a"], TEXT, date="2026-12-02")
    held.add("oat", ["c"], TEXT, date="2026-12-02")
    lines = [json.loads(line) for line in (folder / FILE).read_text(encoding="utf-8").splitlines()]
    assert [(line["caseId"], line["item"]) for line in lines] == [("oat", "c"), ("rye", "a"), ("rye", "b")]
    assert all(line["schemaVersion"] == 1 for line in lines)


def test_what_is_taken_back_is_gone_and_an_empty_file_too(folder: Path) -> None:
    Reviewed(folder.parents[1], "golden/bread").add("rye", ["a", "b"], TEXT, date="2026-12-02")
    Reviewed(folder.parents[1], "golden/bread").remove("rye", ["a"], TEXT)
    assert judged(Reviewed(folder.parents[1], "golden/bread"), "rye", ["a", "b"], TEXT) == [False, True]
    Reviewed(folder.parents[1], "golden/bread").remove("rye", ["b"], TEXT)
    assert not (folder / FILE).exists()


def test_a_union_merge_is_read(folder: Path) -> None:
    """Git's union merge leaves lines twice and out of order."""
    Reviewed(folder.parents[1], "golden/bread").add("rye", ["a", "b"], TEXT, date="2026-12-02")
    path = folder / FILE
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*reversed(lines), lines[0]]), encoding="utf-8")
    assert judged(Reviewed(folder.parents[1], "golden/bread"), "rye", ["a", "b"], TEXT) == [True, True]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[]", "no JSON object"),
        ('{"schemaVersion": 2}', "newer than this row3 knows"),
        ('{"schemaVersion": 1, "caseId": "rye"}', "`item` is missing"),
        ('{"caseId": "rye", "item": "a", "verdict": "right", "text": "0", "date": "x"}', "`verdict`"),
        ("<<<<<<< HEAD", "merge-conflict"),
    ],
)
def test_a_broken_line_is_named(folder: Path, line: str, says: str) -> None:
    Reviewed(folder.parents[1], "golden/bread").add("rye", ["a"], TEXT, date="2026-12-02")
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(InvalidFile, match="golden/bread/reviewed.jsonl:2") as caught:
        Reviewed(folder.parents[1], "golden/bread")
    assert says in str(caught.value)
