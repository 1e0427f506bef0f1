"""Prompt files and their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import InvalidFile
from row3.store.prompts import versions
from row3.store.tree import WorkTree


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("find-crumbs-1.2.md", "Rename it to `find-crumbs-v1.2.md`"),
        ("Find-Crumbs_V1.2.md", "Rename it to `find-crumbs-v1.2.md`"),
        ("find-crumbs.md", "Rename it, for example to `decompose-concepts-v1.0.md`"),
        ("1.2.md", "Rename it, for example to `decompose-concepts-v1.0.md`"),
    ],
)
def test_a_name_without_its_version_is_told_what_it_was_meant_to_be(tmp_path: Path, name: str, meant: str) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / name).write_text("")
    with pytest.raises(InvalidFile) as caught:
        versions(WorkTree(tmp_path))
    assert str(caught.value.fix) == meant
    assert caught.value.where == f"prompts/{name}"
