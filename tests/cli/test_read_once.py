"""No command reads a file of a tree twice; of a golden case, it reads the index entry once and the body once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from row3.project.tree import GitTree, WorkTree
from tests.projects import Box

Reads = Counter[tuple[int, str]]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """How often each file was read, by the number of its tree and its path."""
    found: Reads = Counter()
    trees: list[Any] = []  # kept, so that no other tree gets the id of one that is gone
    for kind in (WorkTree, GitTree):

        def counted(self: Any, path: str, _read: Any = kind.read, **options: Any) -> bytes:
            trees.append(self)
            found[id(self), path] += 1
            return bytes(_read(self, path, **options))

        monkeypatch.setattr(kind, "read", counted)
    return found


@pytest.fixture
def box(shipped_second: Box, tmp_path: Path) -> Box:
    """All shipped suites, a draft that differs from what is promoted, and an edited case."""
    box = shipped_second.copy(tmp_path / "project")
    box.git("checkout", "-q", "tidy")
    path = next(box.path("golden/decomposition").glob("*.gold.json"))
    path.write_text(path.read_text().replace('"aliases": []', '"aliases": ["another"]', 1))
    return box


@pytest.mark.parametrize(
    ("command", "passes"),
    [
        ("", 1),
        ("lint", 4),  # the documents of two suites, and all that cases declare
        ("--baseline", 2),  # answers, then the manifest
        ("new-version decompose-concepts", 0),
        ("--compare", 1),
        ("--compare --against HEAD", 3),  # both criteria, and the promoted versions
        ("--compare --all --against HEAD", 3),
        ("investigate", 2),
        ("promote v1.3 --approve measured-elsewhere", 3),
        ("leaderboard", 12),  # a pass for each combination
        ("diff decompose-concepts-v1.0 decompose-concepts-v1.1", 5),  # and combinations without answers
        ("report --out ../report.html", 1),
        ("power", 3),  # and the answers that are drawn again
        ("flaky", 2),
        ("cases", 3),
        ("history", 0),
        ("recordings list", 3),
        ("recordings verify", 3),
        ("aliases review --list", 1),
        ("lessons", 0),
    ],
)
def test_a_file_is_read_once(box: Box, reads: Reads, command: str, passes: int) -> None:
    """All files once, golden cases also once for each pass over them: a suite may be larger than memory."""
    done = box.row3(*command.split())
    assert done.code in (0, 1, 3), done
    often = {path: number - path.endswith(".gold.json") * passes for (_, path), number in reads.items()}
    assert {path: number for path, number in often.items() if number > 1} == {}
