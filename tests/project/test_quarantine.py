"""A suite's quarantine file: strict reading, and text that merges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.domain.quarantine import Quarantined
from row3.errors import InvalidFile
from row3.project.quarantine import FILE, quarantine_text, read_quarantine, write_quarantine
from row3.project.tree import WorkTree

ENTRY = {"case": "rye", "since": "2026-11-22", "until": "2026-12-01", "reason": "wavers", "who": "Zoë"}
RYE = Quarantined("rye", "2026-11-22", "2026-12-01", "wavers", "Zoë")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "golden" / "bread"
    path.mkdir(parents=True)
    return path


def put(folder: Path, *entries: dict[str, Any], **more: Any) -> None:
    (folder / FILE).write_text(json.dumps({"schemaVersion": 1, "cases": list(entries)} | more), encoding="utf-8")


def test_a_missing_file_has_no_quarantine(folder: Path) -> None:
    assert read_quarantine(WorkTree(folder.parents[1]), "golden/bread") == []


def test_written_entries_are_read_back(folder: Path) -> None:
    oven = Quarantined("oven", "2026-11-22", "2027-02-20", 'says "so" – Größe', "")
    write_quarantine(folder.parents[1], "golden/bread", [RYE, oven])
    assert read_quarantine(WorkTree(folder.parents[1]), "golden/bread") == [oven, RYE]
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_one_entry_per_line(folder: Path) -> None:
    write_quarantine(folder.parents[1], "golden/bread", [RYE, Quarantined("oven", "2026-11-22", "2026-12-01", "x")])
    lines = (folder / FILE).read_text(encoding="utf-8").split("\n")
    assert [line.lstrip()[:16] for line in lines if "case" in line and "since" in line] == [
        '{"case": "oven",',
        '{"case": "rye", ',
    ]
    assert json.loads("\n".join(lines))["schemaVersion"] == 1


def test_removing_the_last_entry_removes_the_file(folder: Path) -> None:
    write_quarantine(folder.parents[1], "golden/bread", [RYE])
    write_quarantine(folder.parents[1], "golden/bread", [])
    assert not (folder / FILE).exists()
    write_quarantine(folder.parents[1], "golden/bread", [])


def test_the_file_is_not_a_golden_case(folder: Path) -> None:
    from row3.project.cases import Cases, name_of

    write_quarantine(folder.parents[1], "golden/bread", [RYE])
    (folder / "rye.gold.json").write_text("{}", encoding="utf-8")
    assert [name_of(path) for path in Cases(WorkTree(folder.parents[1])).paths("golden/bread")] == ["rye.gold.json"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"until": "2026-13-01"}, "cases.0.until"),
        ({"until": "20261201"}, "cases.0.until"),
        ({"until": "2026-12-01T00:00:00Z"}, "cases.0.until"),
        ({"until": 20261201}, "cases.0.until"),
        ({"until": "2026-11-22"}, "not after"),
        ({"until": "2027-11-22"}, "365 days"),
        ({"reason": " "}, "cases.0.reason"),
        ({"case": ""}, "cases.0.case"),
        ({"untl": "x"}, "did you mean `until`"),
    ],
)
def test_a_wrong_entry_is_named(folder: Path, changes: dict[str, Any], says: str) -> None:
    put(folder, ENTRY | changes)
    with pytest.raises(InvalidFile, match="golden/bread/quarantine.json") as error:
        read_quarantine(WorkTree(folder.parents[1]), "golden/bread")
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"cases": 3}', "`cases`"),
        ('{"schemaVersion": 2, "cases": []}', "newer"),
        ('{"cases": [], "cases": []}', "occurs twice"),
        ("<<<<<<< HEAD\n{}\n", "merge-conflict"),
    ],
)
def test_a_broken_file_is_refused(folder: Path, content: str, says: str) -> None:
    (folder / FILE).write_text(content, encoding="utf-8")
    with pytest.raises(InvalidFile) as error:
        read_quarantine(WorkTree(folder.parents[1]), "golden/bread")
    assert says in str(error.value)


def test_a_case_listed_twice(folder: Path) -> None:
    put(folder, ENTRY, ENTRY)
    with pytest.raises(InvalidFile, match="`rye` is listed twice"):
        read_quarantine(WorkTree(folder.parents[1]), "golden/bread")


def test_entries_added_by_two_branches_merge_line_by_line() -> None:
    both = [RYE, Quarantined("oven", "2026-11-22", "2026-12-01", "x")]
    assert set(quarantine_text([RYE]).split("\n")) - set(quarantine_text(both).split("\n")) == set()
