"""`metrics-history.json`: an append adds a line, and git's union merge of two appends is valid."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from row3.domain.runs import HistoryEntry
from row3.errors import InvalidFile
from row3.project.history import FILE, history_text, history_with_new, parse_history, read_history
from row3.project.tree import WorkTree
from tests.rows import every_row


def entry(run_id: str, **more: Any) -> HistoryEntry:
    values = {
        "run_id": run_id,
        "at": "2026-01-29T10:00:00Z",
        "action": "compare",
        "suite": "bread",
        "prompts": {"extract": "v1.0"},
        "model": "m",
        "mode": "replay",
        "cases": 3,
        "metrics": {"overall": 0.75},
    }
    return HistoryEntry(**values | more)


def append(root: Path, run_id: str) -> str:
    text = history_text(WorkTree(root), entry(run_id))
    (root / FILE).write_text(text, encoding="utf-8")
    return text


def test_an_append_adds_a_line_and_changes_no_other(tmp_path: Path) -> None:
    before = append(tmp_path, "one")
    for number in range(4):
        after = append(tmp_path, f"more-{number}")
        old, new = before.splitlines(), after.splitlines()
        assert new[: len(old) - 1] == old[:-1]
        assert len(new) == len(old) + 1
        assert len(json.loads(after)) == number + 2
        before = after
    assert [one.run_id for one in read_history(WorkTree(tmp_path))] == ["one", *(f"more-{n}" for n in range(4))]


def added(root: Path, *entries: HistoryEntry) -> int:
    """Write the new entries and return their number."""
    text, new = history_with_new(WorkTree(root), entries)
    (root / FILE).write_text(text, encoding="utf-8")
    return new


def test_unchanged_results_are_not_added_again(tmp_path: Path) -> None:
    assert added(tmp_path, entry("one", verdict="block", reasons=["worse"], evidence="e")) == 1
    same = {"verdict": "block", "reasons": ["worse"], "evidence": "e"}
    before = (tmp_path / FILE).read_bytes()
    assert added(tmp_path, entry("two", at="2026-01-30T10:00:00Z", commit="c0ffee", dirty=True, **same)) == 0
    assert (tmp_path / FILE).read_bytes() == before
    assert added(tmp_path, entry("two", suite="rolls", **same), entry("three", **same)) == 1
    assert added(tmp_path, entry("four", **same)) == 0, "another suite's entry stands between them"


@every_row(
    "other",
    [
        {"action": "baseline"},
        {"prompts": {"extract": "v1.1"}},
        {"model": "n"},
        {"mode": "auto"},
        {"cases": 4},
        {"metrics": {"overall": 0.7500001}},
        {"verdict": "proceed"},
        {"reasons": ["worse"]},
        {"evidence": "e"},
        {"approval": {"reason": "agreed", "by": "Ann", "at": "2026-01-29T10:00:00Z"}},
    ],
)
def test_changed_results_are_added(tmp_path: Path, other: dict[str, Any]) -> None:
    assert added(tmp_path, entry("one")) == 1
    assert added(tmp_path, entry("two", **other)) == 1
    assert added(tmp_path, entry("three")) == 1, "what was said before that is no longer the newest"


@every_row("mode", ["live", "record"])
def test_live_runs_are_always_added(tmp_path: Path, mode: str) -> None:
    assert added(tmp_path, entry("one", mode=mode)) == 1
    assert added(tmp_path, entry("two", mode=mode)) == 1


@every_row("begun", [0, 1, 3])
def test_a_union_merge_of_two_branches_keeps_both(tmp_path: Path, begun: int) -> None:
    for number in range(begun):
        append(tmp_path, f"base-{number}")
    base = tmp_path / "base"
    base.write_text((tmp_path / FILE).read_text(encoding="utf-8") if begun else "", encoding="utf-8")
    sides = []
    for side in ("ours", "theirs"):
        folder = tmp_path / side
        folder.mkdir()
        if begun:
            (folder / FILE).write_bytes((tmp_path / FILE).read_bytes())
        append(folder, f"{side}-1")
        append(folder, f"{side}-2")
        sides.append(folder / FILE)
    merged = subprocess.run(
        ["git", "merge-file", "--union", "-p", str(sides[0]), str(base), str(sides[1])],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ids = [one.run_id for one in parse_history(merged)]
    assert sorted(ids) == sorted([*(f"base-{n}" for n in range(begun)), "ours-1", "ours-2", "theirs-1", "theirs-2"])
    (tmp_path / FILE).write_text(merged, encoding="utf-8")
    append(tmp_path, "after")
    assert len(json.loads((tmp_path / FILE).read_text(encoding="utf-8"))) == begun + 5


def test_a_reformatted_file_is_read_and_normalised(tmp_path: Path) -> None:
    append(tmp_path, "one")
    value = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    (tmp_path / FILE).write_text(json.dumps(value), encoding="utf-8")
    assert append(tmp_path, "two").count("\n") == 4


def test_an_indented_file_is_read(tmp_path: Path) -> None:
    append(tmp_path, "one")
    value = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    (tmp_path / FILE).write_text(json.dumps(value, indent=2), encoding="utf-8")
    assert [one.run_id for one in read_history(WorkTree(tmp_path))] == ["one"]


@every_row(
    ("text", "says"),
    [
        ("{}", "array"),
        ("[\n{}\n]", r"metrics-history\.json:2: "),
        ('[\n{"a": 1}', "no end"),
        ("[\n<<<<<<< HEAD\n]", "merge-conflict"),
        ('[\n{"schemaVersion": 3}\n]', "newer"),
    ],
)
def test_faults_are_reported_with_their_line(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFile, match=says):
        read_history(WorkTree(tmp_path))


def test_a_missing_file_has_no_entries(tmp_path: Path) -> None:
    assert read_history(WorkTree(tmp_path)) == []
