"""Files of a commit and of the index, written to a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, UsageError

from .conftest import Sandbox


def listing(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()
    }


def test_read_tree(box: Sandbox, tmp_path: Path) -> None:
    old = box.commit(p__golden__a="old", **{"p__golden__ü b": "old", "p__prompts__x": "old"}, other="old")
    box.commit(p__golden__a="new")
    out = tmp_path / "out put"
    assert box.repository().read_tree(old, ["p/golden", "p/none"], out) == 2
    assert listing(out) == {"p/golden/a": "old", "p/golden/ü b": "old"}
    assert box.repository().read_tree("main", ["p/golden/", "other"], out) == 3
    assert listing(out)["p/golden/a"] == "new"
    assert box.repository().read_tree("main", ["."], tmp_path / "all") == 4
    assert box.repository().read_tree("main", [], tmp_path / "none") == 0
    assert box.git("status", "--porcelain") == ""


def test_read_tree_into_a_relative_folder(box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box.commit(a="1")
    monkeypatch.chdir(tmp_path)
    box.repository().read_tree("HEAD", ["a"], Path("here"))
    assert listing(tmp_path / "here") == {"a": "1"}


def test_a_symlink_is_refused_and_never_followed(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    box.write("golden/a", "1")
    (box.root / "golden/link").symlink_to(tmp_path / "secret")
    (box.root / "elsewhere").symlink_to(tmp_path)
    box.commit()
    repo = box.repository()
    for path, link in (("golden", "golden/link"), ("elsewhere", "elsewhere")):
        with pytest.raises(UsageError, match=rf"^{link}: this is a symbolic link at HEAD,.* Put the file itself there"):
            repo.read_tree("HEAD", [path], tmp_path / "tree")
    assert not (tmp_path / "tree").exists()
    assert repo.read_tree("HEAD", ["golden/a", "elsewhere/secret"], tmp_path / "beside") == 1


def test_a_submodule_is_refused(box: Sandbox, tmp_path: Path) -> None:
    box.commit(golden__a="1")
    box.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},golden/sub")
    box.git("commit", "-q", "-m", "submodule")
    repo = box.repository()
    for path in ("golden", "golden/sub"):
        with pytest.raises(
            UsageError, match=r"^golden/sub: this is a git submodule at HEAD. Keep these files in the rep"
        ):
            repo.read_tree("HEAD", [path], tmp_path / "tree")
        assert repo.submodules([path]) == ["golden/sub"]
        with pytest.raises(UsageError, match=r"^golden/sub: this is a git submodule. Keep"):
            repo.refuse_submodules([path])
    assert repo.submodules(["golden/a", "prompts"]) == []
    assert repo.read_tree("HEAD", ["golden/a"], tmp_path / "beside") == 1


def test_export_ignore_hides_nothing(box: Sandbox, tmp_path: Path) -> None:
    box.write(".gitattributes", "golden export-ignore\n* export-subst\n")
    box.commit(golden__a="$Format:%H$")
    assert box.repository().read_tree("HEAD", ["golden"], tmp_path / "out") == 1
    assert listing(tmp_path / "out") == {"golden/a": "$Format:%H$"}


def test_line_ends_as_in_a_checkout(box: Sandbox, tmp_path: Path) -> None:
    box.write(".gitattributes", "*.txt eol=crlf\n")
    box.write("a.txt", b"one\r\ntwo\r\n")
    box.commit()
    repo = box.repository()
    repo.read_tree("HEAD", ["a.txt"], tmp_path / "tree")
    assert listing(tmp_path / "tree") == {"a.txt": "one\r\ntwo\r\n"}


def test_a_filter_that_fails(box: Sandbox, tmp_path: Path) -> None:
    box.commit(a="1")
    box.write(".gitattributes", "a filter=broken\n")
    box.git("config", "filter.broken.smudge", "false")
    box.git("config", "filter.broken.required", "true")
    with pytest.raises(EnvironmentFault, match=r"smudge filter broken failed|external filter"):
        box.repository().read_tree("HEAD", ["a"], tmp_path / "out")


def test_split_index_leaves_no_trace(box: Sandbox, tmp_path: Path) -> None:
    box.commit(a="1")
    box.git("config", "core.splitIndex", "true")
    before = sorted(os.listdir(box.root / ".git"))
    box.repository().read_tree("HEAD", ["a"], tmp_path / "out")
    assert sorted(os.listdir(box.root / ".git")) == before
