"""Files of a commit and of the index, read into memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, UsageError

from .conftest import Sandbox


def listing(box: Sandbox, commit: str | None, *paths: str) -> dict[str, str]:
    ids, differing = box.repository().contents(commit, box.root, paths)
    return {name: (differing.get(name) or (box.root / name).read_bytes()).decode() for name in ids}


def test_the_files_of_a_commit(box: Sandbox) -> None:
    old = box.commit(p__golden__a="old", **{"p__golden__ü b": "old", "p__prompts__x": "old"}, other="old")
    box.commit(p__golden__a="new")
    assert listing(box, old, "p/golden", "p/none") == {"p/golden/a": "old", "p/golden/ü b": "old"}
    assert listing(box, "main", "p/golden/", "other")["p/golden/a"] == "new"
    assert len(listing(box, "main", ".")) == 4
    assert box.git("status", "--porcelain") == ""


def test_a_symlink_is_refused_and_never_followed(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    box.write("golden/a", "1")
    (box.root / "golden/link").symlink_to(tmp_path / "secret")
    (box.root / "elsewhere").symlink_to(tmp_path)
    box.commit()
    repo = box.repository()
    for path, link in (("golden", "golden/link"), ("elsewhere", "elsewhere")):
        with pytest.raises(UsageError, match=rf"^{link}: this is a symbolic link at [0-9a-f]+,.* Put the file itself there"):
            repo.contents("HEAD", box.root, [path])
        with pytest.raises(UsageError, match=rf"^{link}: this is a symbolic link in the index"):
            repo.contents(None, box.root, [path])
    assert listing(box, "HEAD", "golden/a", "elsewhere/secret") == {"golden/a": "1"}


def test_a_submodule_is_refused(box: Sandbox, tmp_path: Path) -> None:
    box.commit(golden__a="1")
    box.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},golden/sub")
    box.git("commit", "-q", "-m", "submodule")
    repo = box.repository()
    for path in ("golden", "golden/sub"):
        with pytest.raises(
            UsageError, match=r"^golden/sub: this is a git submodule at [0-9a-f]+. Keep these files in the rep"
        ):
            repo.contents("HEAD", box.root, [path])
        with pytest.raises(UsageError, match=r"^golden/sub: this is a git submodule in the index"):
            repo.contents(None, box.root, [path])
        assert repo.submodules([path]) == ["golden/sub"]
        with pytest.raises(UsageError, match=r"^golden/sub: this is a git submodule. Keep"):
            repo.refuse_submodules([path])
    assert repo.submodules(["golden/a", "prompts"]) == []
    assert listing(box, "HEAD", "golden/a") == {"golden/a": "1"}


def test_export_ignore_hides_nothing(box: Sandbox, tmp_path: Path) -> None:
    box.write(".gitattributes", "golden export-ignore\n* export-subst\n")
    box.commit(golden__a="$Format:%H$")
    assert listing(box, "HEAD", "golden") == {"golden/a": "$Format:%H$"}


def test_line_ends_as_in_a_checkout_on_both_sides(box: Sandbox, tmp_path: Path) -> None:
    box.write(".gitattributes", "*.txt eol=crlf\n")
    box.write("a.txt", b"one\r\ntwo\r\n")
    box.commit()
    box.write("a.txt", b"other\r\n")
    assert listing(box, "HEAD", "a.txt") == listing(box, None, "a.txt") == {"a.txt": "one\r\ntwo\r\n"}


def test_a_filter_that_fails(box: Sandbox, tmp_path: Path) -> None:
    box.commit(a="1")
    box.write("a", "2")
    box.write(".gitattributes", "a filter=broken\n")
    box.git("config", "filter.broken.smudge", "false")
    box.git("config", "filter.broken.required", "true")
    with pytest.raises(EnvironmentFault, match=r"filter .?broken.? failed|external filter"):
        box.repository().contents("HEAD", box.root, ["a"])


def test_the_index_is_what_is_staged(box: Sandbox, tmp_path: Path) -> None:
    box.commit(golden__a="old", golden__b="old")
    box.write("golden/a", "staged")
    box.git("add", "golden/a")
    box.write("golden/a", "only on disk")
    box.write("golden/empty", "")
    box.git("add", "golden/empty")
    box.write("golden/promised", "later")
    box.git("add", "-N", "golden/promised")
    box.git("rm", "-q", "--cached", "golden/b")
    assert listing(box, None, "golden") == {"golden/a": "staged", "golden/empty": ""}


def test_the_index_sees_what_a_sparse_checkout_leaves_out(box: Sandbox, tmp_path: Path) -> None:
    box.commit(golden__a="1", other__b="1")
    box.git("sparse-checkout", "set", "other")
    assert not (box.root / "golden").exists()
    assert set(box.repository().contents(None, box.root, ["golden"]).ids) == {"golden/a"}


def test_the_index_of_another_index(box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box.commit(a="old", b="old")
    monkeypatch.setenv("GIT_INDEX_FILE", str(box.root / ".git" / "next-index-1.lock"))
    box.git("read-tree", "HEAD")
    box.write("a", "new")
    box.git("add", "a")
    repo = box.repository()
    assert repo.changed(["."], base="HEAD", tree=None) == ["a"]
    assert listing(box, None, ".") == {"a": "new", "b": "old"}
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert box.repository().changed(["."], base="HEAD", tree=None) == []


def test_unresolved_conflict(box: Sandbox, tmp_path: Path) -> None:
    box.commit(golden__a="1")
    box.git("checkout", "-q", "-b", "side")
    box.commit(golden__a="2")
    box.git("checkout", "-q", "main")
    box.commit(golden__a="3")
    box.git("merge", "side", fails=True)
    with pytest.raises(UsageError, match=r"golden/a: .*unresolved merge conflict"):
        box.repository().contents(None, box.root, ["golden"])
