from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import InvalidFile
from row3.store.cases import case_files
from row3.store.golden import golden_files, misnamed, name_of
from row3.store.tree import WorkTree


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def test_a_suites_own_folder_is_read_without_those_in_it(tmp_path: Path) -> None:
    touch(tmp_path / "golden/core", "b.gold.json", "a.gold.json", "drafts/c.gold.json", "notes.json", ".x.gold.json")
    assert [name_of(path) for path in golden_files(WorkTree(tmp_path), "golden/core")] == ["a.gold.json", "b.gold.json"]


def test_a_folder_farther_down_is_read_with_those_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "golden/memory/documents"
    touch(folder, "m.gold.json", "linking/a.gold.json", "linking/deep/z.gold.json", ".hidden/h.gold.json")
    found = [
        path.removeprefix("golden/memory/documents/")
        for path in golden_files(WorkTree(tmp_path), "golden/memory/documents")
    ]
    assert found == ["linking/a.gold.json", "m.gold.json", "linking/deep/z.gold.json"]


def test_none_where_there_is_no_folder(tmp_path: Path) -> None:
    assert golden_files(WorkTree(tmp_path), "golden/none") == []
    with pytest.raises(InvalidFile, match=r"golden/memory/none/: the suite has no golden cases"):
        case_files(WorkTree(tmp_path), "golden/memory/none")


def test_what_looks_like_a_case_and_is_not_named_like_one(tmp_path: Path) -> None:
    folder = tmp_path / "golden/bread"
    touch(folder, "a.gold.json", "b.json", "c.gold.JSON", "quarantine.json", "reviewed.jsonl", ".d.json", "e.txt")
    (folder / "drafts.json").mkdir()
    assert misnamed(WorkTree(tmp_path), "golden/bread") == ["b.json", "c.gold.JSON"]
    assert misnamed(WorkTree(tmp_path), "golden/none") == []
