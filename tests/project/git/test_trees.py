"""Files of a commit and of the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, UsageError

from .conftest import Sandbox


def at(box: Sandbox, commit: str | None, *paths: str) -> dict[str, str]:
    """The files of a commit or the index as they are read, whatever the work tree has."""
    ids, differing = box.repository().contents(commit, box.root, paths)
    return {name: (differing[name] if name in differing else (box.root / name).read_bytes()).decode() for name in ids}


def test_the_files_of_a_commit(box: Sandbox) -> None:
    old = box.commit(p__golden__a="old", **{"p__golden__ü b": "old", "p__prompts__x": "old"}, other="old")
    box.commit(p__golden__a="new")
    assert at(box, old, "p/golden", "p/none") == {"p/golden/a": "old", "p/golden/ü b": "old"}
    assert at(box, "main", "p/golden/", "other")["p/golden/a"] == "new"
    assert len(at(box, "main", ".")) == 4
    assert box.git("status", "--porcelain") == ""
    ids, differing = box.repository().contents(old, box.root / "p", ["golden"])
    assert (set(ids), set(differing)) == ({"golden/a", "golden/ü b"}, {"golden/a"})
    box.write("p/golden/ü b", "edited")
    assert at(box, old, "p/golden") == {"p/golden/a": "old", "p/golden/ü b": "old"}


def test_a_symlink_is_refused_and_never_followed(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    box.write("golden/a", "1")
    (box.root / "golden/link").symlink_to(tmp_path / "secret")
    (box.root / "elsewhere").symlink_to(tmp_path)
    box.commit()
    for path, link in (("golden", "golden/link"), ("elsewhere", "elsewhere")):
        with pytest.raises(UsageError, match=rf"^{link}: this is a symbolic link at HEAD,.* Put the file or folder"):
            at(box, "HEAD", path)
        with pytest.raises(UsageError, match=rf"^{link}: this is a symbolic link in the index"):
            at(box, None, path)
    assert at(box, "HEAD", "golden/a", "elsewhere/secret") == {"golden/a": "1"}


def test_a_submodule_is_refused(box: Sandbox, tmp_path: Path) -> None:
    box.commit(golden__a="1")
    box.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},golden/sub")
    box.git("commit", "-q", "-m", "submodule")
    repo = box.repository()
    for path in ("golden", "golden/sub"):
        with pytest.raises(
            UsageError, match=r"^golden/sub: this is a git submodule at HEAD. Keep these files in the rep"
        ):
            at(box, "HEAD", path)
        with pytest.raises(UsageError, match=r"^golden/sub: this is a git submodule in the index"):
            at(box, None, path)
        with pytest.raises(UsageError, match=r"^golden/sub: this is a git submodule. Keep"):
            repo.refuse_submodules([path])
    repo.refuse_submodules(["golden/a", "prompts"])
    assert at(box, "HEAD", "golden/a") == {"golden/a": "1"}


def test_export_ignore_hides_nothing(box: Sandbox, tmp_path: Path) -> None:
    box.write(".gitattributes", "golden export-ignore\n* export-subst\n")
    box.commit(golden__a="$Format:%H$")
    box.write("golden/a", "edited")
    assert at(box, "HEAD", "golden") == {"golden/a": "$Format:%H$"}


def test_line_ends_as_in_a_checkout_on_both_sides(box: Sandbox, tmp_path: Path) -> None:
    box.write(".gitattributes", "*.txt eol=crlf\n")
    box.write("a.txt", b"one\r\ntwo\r\n")
    box.commit()
    box.write("a.txt", b"edited\r\n")
    assert at(box, "HEAD", "a.txt") == at(box, None, "a.txt") == {"a.txt": "one\r\ntwo\r\n"}


def test_a_filter_that_fails(box: Sandbox, tmp_path: Path) -> None:
    box.commit(a="1")
    box.write(".gitattributes", "a filter=broken\n")
    box.git("config", "filter.broken.smudge", "false")
    box.git("config", "filter.broken.required", "true")
    box.write("a", "2")
    with pytest.raises(EnvironmentFault, match=r"broken|could not convert"):
        at(box, "HEAD", "a")


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
    assert at(box, None, "golden") == {"golden/a": "staged", "golden/empty": ""}


def test_the_index_has_what_a_sparse_checkout_leaves_out(box: Sandbox, tmp_path: Path) -> None:
    box.commit(golden__a="1", other__b="1")
    box.git("sparse-checkout", "set", "other")
    assert not (box.root / "golden").exists()
    assert at(box, None, "golden") == {"golden/a": "1"}


@pytest.mark.parametrize(
    "how", [("update-index", "--index-version", "4"), ("update-index", "--split-index"), ("pack-refs", "--all")]
)
def test_an_index_in_any_format(box: Sandbox, how: tuple[str, ...]) -> None:
    box.commit(golden__a="1", golden__ab="2", golden__abc="3")
    box.git(*how)
    box.write("golden/ab", "staged")
    box.git("add", "golden/ab")
    assert at(box, None, "golden") == {"golden/a": "1", "golden/ab": "staged", "golden/abc": "3"}
    assert at(box, "HEAD", "golden")["golden/ab"] == "2"


def test_an_exported_index(box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box.commit(a="old", b="old")
    monkeypatch.setenv("GIT_INDEX_FILE", str(box.root / ".git" / "next-index-1.lock"))
    box.git("read-tree", "HEAD")
    box.write("a", "new")
    box.git("add", "a")
    repo = box.repository()
    assert repo.changed(["."], base="HEAD", tree=None) == ["a"]
    assert at(box, None, ".") == {"a": "new", "b": "old"}
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
        at(box, None, "golden")


def test_files_that_differ_from_a_commit(box: Sandbox, tmp_path: Path) -> None:
    base = box.commit(p__same="1", **{"p__ü b": "1", "p__deep__gone": "1", "outside": "1"})
    box.commit(p__new="1", outside="2")
    box.write("p/ü b", "2")
    (box.root / "p/deep/gone").unlink()
    (box.root / "p/link").symlink_to(tmp_path)
    box.git("add", "p/link")
    box.write("p/untracked", "1")
    assert sorted(box.repository().edited(base, box.root / "p")) == [
        "../outside", "deep/gone", "link/", "new", "ü b",
    ]  # fmt: skip
    assert "outside" in box.repository().edited(base, box.root)
