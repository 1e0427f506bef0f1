"""Prompt files and their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import InvalidFile
from row3.project.prompts import versions
from row3.project.tree import WorkTree
from tests.rows import every_row


@every_row("name", ["find-crumbs-1.2.md", "Find-Crumbs_V1.2.md", "find-crumbs.md", "1.2.md"])
def test_a_name_without_its_version_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / name).write_text("")
    with pytest.raises(InvalidFile, match="Rename it") as caught:
        versions(WorkTree(tmp_path))
    assert caught.value.where == f"prompts/{name}"
