"""Questions about history, and the writes."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, UsageError
from row3.project.git import refs
from row3.project.git.repository import Repository
from tests.rows import every_row

from .conftest import Sandbox


def shallow(box: Sandbox, tmp_path: Path) -> Repository:
    for number in range(3):
        box.commit(a=str(number))
    box.git("tag", "old", "HEAD~2")
    box.git("clone", "-q", "--depth", "1", box.root.as_uri(), str(tmp_path / "shallow"))
    found = Repository.find(tmp_path / "shallow")
    assert found is not None and found.is_shallow
    return found


def test_before_the_first_commit(box: Sandbox, tmp_path: Path) -> None:
    repo = box.repository()
    assert repo.head() is None
    assert repo.protected_branch(None) is None
    assert repo.protected_branch("main") is None
    assert not repo.state(["a"])[1]
    box.write("a", "1")
    assert repo.state(["a"])[1]
    box.git("add", "a")
    assert repo.state(["a"])[1]
    assert set(repo.contents(None, box.root, ["a"]).ids) == {"a"}
    with pytest.raises(UsageError, match="no commit named HEAD"):
        repo.resolve("HEAD")
    with pytest.raises(UsageError, match="no commit named HEAD"):
        repo.contents("HEAD", box.root, ["a"])
    with pytest.raises(UsageError, match="no commit named HEAD"):
        repo.changed(["a"], base="HEAD", tree=None)
    assert repo.commit(["a"], "first") == repo.head() is not None


def test_head(box: Sandbox) -> None:
    head = box.commit(a="1")
    repo = box.repository()
    assert repo.head() == head


def test_dirty(box: Sandbox) -> None:
    box.commit(golden__a="1", other="1", **{"golden*__a": "1"})
    repo = box.repository()
    assert not repo.state(["golden", "other", "no/such"])[1]
    box.write("golden*/a", "2")
    assert not repo.state(["golden"])[1]  # paths are no wildcards
    assert repo.state(["golden*"])[1]
    box.git("checkout", "-q", ".")
    box.write("golden/new ü", "1")
    assert repo.state(["golden"])[1] and repo.state(["."])[1] and not repo.state(["other"])[1]
    box.git("config", "status.showUntrackedFiles", "no")
    assert repo.state(["golden/"])[1]
    box.write(".gitignore", "new*")
    assert not repo.state(["golden"])[1]
    box.git("rm", "-q", "--cached", "other")
    assert repo.state(["other"])[1]


def test_state_is_head_and_whether_it_is_dirty(box: Sandbox, tmp_path: Path) -> None:
    repo = box.repository()
    seen = []
    for step in ("nothing", "untracked", "staged", "committed", "changed", "detached", "removed", "other"):
        if step == "untracked":
            box.write("golden/ä b", "1")
        elif step == "staged":
            box.git("add", "golden")
        elif step == "committed":
            box.commit(other="1", **{"# branch.oid x": "1"})
        elif step == "changed":
            box.write("golden/ä b", "2")
        elif step == "detached":
            box.git("checkout", "-q", "--detach")
        elif step == "removed":
            (box.root / "golden/ä b").unlink()
        elif step == "other":
            box.git("checkout", "-q", "golden")
            box.write("# branch.oid x", "2")
        for paths in (["golden"], ["."], ["golden", "no/such"]):
            seen.append(repo.state(paths))
            assert seen[-1] == (repo.head(), bool(box.git("status", "--porcelain", "--", *paths).strip())), step
    assert {dirty for _, dirty in seen} == {True, False}
    assert {head is None for head, _ in seen} == {True, False}
    clone = shallow(box, tmp_path)
    assert clone.state(["a"]) == (clone.head(), False)


def test_user(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = box.repository()
    assert repo.user() == "Zoë Tester <zoe@example.org>"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")  # as under `git commit --author`
    assert repo.user() == "Zoë Tester <zoe@example.org>"
    box.git("config", "--unset", "user.name")
    box.git("config", "--unset", "user.email")
    box.git("config", "user.useConfigOnly", "true")
    assert repo.user() == getpass.getuser()


def test_resolve(box: Sandbox) -> None:
    first = box.commit(a="1")
    second = box.commit(a="2")
    box.git("tag", "-a", "v1", "-m", "annotated", first)
    repo = box.repository()
    assert repo.resolve("v1") == repo.resolve("HEAD~1") == repo.resolve(first[:10]) == first
    assert repo.resolve("main") == second
    for unknown in ("nope", "main:a", "main..HEAD", "HEAD~1..", "main...HEAD~1", "f" * 40, "ü", "HEAD~9"):
        with pytest.raises(UsageError, match="git knows no commit named"):
            repo.resolve(unknown)
    for refused in ("--help", "-", "", "a\nb", "a\0b"):
        with pytest.raises(UsageError, match="is not a name that git knows"):
            repo.resolve(refused)


def test_shallow_clone(box: Sandbox, tmp_path: Path) -> None:
    repo = shallow(box, tmp_path)
    for ref in ("HEAD~1", "old", box.git("rev-parse", "old").strip()):
        with pytest.raises(UsageError, match=r"git fetch --unshallow.*fetch-depth: 0"):
            repo.resolve(ref)
    with pytest.raises(UsageError, match="git fetch --unshallow"):
        repo.merge_base("HEAD", "old")
    assert repo.head() == repo.resolve("origin/main")
    assert repo.protected_branch(None) == "origin/main"
    box.git("checkout", "-q", "-b", "side", "old")
    box.commit(b="1")
    box.git("fetch", "-q", "--depth", "1", str(box.root), "side:refs/remotes/origin/side", GIT_DIR=str(repo.git_dir))
    with pytest.raises(UsageError, match=r"common ancestor.*shallow clone.*--unshallow"):
        repo.merge_base("origin/side", "HEAD")


def test_merge_base(box: Sandbox) -> None:
    base = box.commit(a="1")
    box.git("checkout", "-q", "-b", "side")
    box.commit(b="1")
    box.git("checkout", "-q", "main")
    box.commit(a="2")
    box.git("checkout", "-q", "--orphan", "stranger")
    box.commit("orphan")
    repo = box.repository()
    assert repo.merge_base("main", "side") == base
    assert repo.merge_base("main", "stranger") is None
    with pytest.raises(UsageError, match="no commit named nope"):
        repo.merge_base("main", "nope")


def test_protected_branch(box: Sandbox, tmp_path: Path) -> None:
    box.commit(a="1")
    repo = box.repository()
    assert repo.protected_branch(None) == "main"
    box.git("branch", "-m", "master")
    assert repo.protected_branch(None) == "master"
    box.git("branch", "-m", "trunk")
    box.git("branch", "main/of/something")
    assert repo.protected_branch(None) is None
    assert repo.protected_branch("trunk") == "trunk"
    with pytest.raises(UsageError, match=r"configured branch mian.*git fetch origin mian"):
        repo.protected_branch("mian")

    box.git("branch", "-D", "main/of/something")
    box.git("clone", "-q", str(box.root), str(tmp_path / "clone"))
    clone = Sandbox(tmp_path / "clone")
    clone.git("checkout", "-q", "-b", "work")
    assert clone.repository().protected_branch(None) == "origin/trunk"
    clone.git("branch", "-D", "trunk")
    assert clone.repository().protected_branch("trunk") == "origin/trunk"
    clone.git("branch", "main")
    clone.git("remote", "set-head", "origin", "--delete")
    assert clone.repository().protected_branch(None) == "main"
    clone.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert clone.repository().protected_branch(None) == "origin/main"
    clone.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert clone.repository().protected_branch(None) == "origin/main"


def test_protected_branch_is_no_tag_of_the_same_name(box: Sandbox) -> None:
    old = box.commit(a="1")
    box.git("tag", "main")
    new = box.commit(a="2")
    repo = box.repository()
    for configured in (None, "main"):
        ref = repo.protected_branch(configured)
        assert ref is not None and repo.resolve(ref) == new != old


def test_changed(box: Sandbox) -> None:
    base = box.commit(golden__a="1", golden__gone="1", other="1")
    box.commit("second", golden__a="2", other="2")
    repo = box.repository()
    assert repo.changed(["golden"], base=base, tree="HEAD") == ["golden/a"]
    assert repo.changed(["."], base=base, tree=None) == ["golden/a", "other"]
    assert repo.changed([], base=base, tree=None) == []
    box.write("golden/ü b", "1")
    (box.root / "golden/gone").unlink()
    assert repo.changed(["golden"], base="HEAD", tree=None) == []  # not staged
    box.git("add", "-N", "golden/ü b")
    assert repo.changed(["golden"], base="HEAD", tree=None) == []  # a promise is not committed
    box.git("add", "-A")
    assert repo.changed(["golden"], base="HEAD", tree=None) == ["golden/gone", "golden/ü b"]
    box.git("mv", "golden/a", "golden/moved")
    assert {"golden/a", "golden/moved"} <= set(repo.changed(["golden"], base="HEAD", tree=None))
    with pytest.raises(UsageError, match="no commit named nope"):
        repo.changed(["golden"], base="nope", tree="HEAD")


def test_commit_takes_only_these_paths(box: Sandbox) -> None:
    box.commit(baselines__old="1", other="1")
    repo = box.repository()
    box.write("baselines/n ü*", "1")
    (box.root / "baselines/old").unlink()
    box.write("other", "2")
    box.git("add", "other")
    sha = repo.commit(["baselines", "charts"], "Promote ü\n\n# kept\n### 1.1")
    assert sha == repo.head()
    shown = box.git("-c", "core.quotePath=false", "show", "--no-renames", "--name-status", "--format=%B", "HEAD")
    assert shown == "Promote ü\n\n# kept\n### 1.1\n\n\nA\tbaselines/n ü*\nD\tbaselines/old\n"
    assert repo.changed(["."], base="HEAD", tree=None) == ["other"]  # still staged
    assert repo.commit(["baselines"], "again") is None


def test_commit_runs_hooks(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    box.commit(a="1")
    hook = box.write(".git/hooks/pre-commit", '#!/bin/sh\necho "not today, LC_ALL=${LC_ALL:-}" >&2; exit 1\n')
    hook.chmod(0o755)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    box.write("a", "2")
    with pytest.raises(EnvironmentFault, match="not today, LC_ALL=de_DE"):
        box.repository().commit(["a"], "no")


def test_commit_without_a_name(box: Sandbox) -> None:
    box.git("config", "--unset", "user.email")
    box.git("config", "user.useConfigOnly", "true")
    box.write("a", "1")
    with pytest.raises(EnvironmentFault, match="user.email"):
        box.repository().commit(["a"], "no")


def test_commit_in_the_middle_of_a_merge(box: Sandbox) -> None:
    box.commit(a="1")
    box.git("checkout", "-q", "-b", "side")
    box.commit(b="1")
    box.git("checkout", "-q", "main")
    box.git("merge", "-q", "--no-ff", "--no-commit", "side")
    box.write("a", "2")
    with pytest.raises(EnvironmentFault, match="during a merge"):
        box.repository().commit(["a"], "no")


def test_missing_commits(box: Sandbox) -> None:
    box.commit(a="1", b="1")
    repo = box.repository()
    box.git("checkout", "-q", "-b", "work")
    box.commit(c="1")
    box.git("checkout", "-q", "main")
    box.commit(a="2")
    picked = box.commit(a="3")
    box.commit(b="2")
    assert (repo.missing_commits("work", ["a"]), repo.missing_commits("HEAD", ["a"])) == (0, 0)
    box.git("checkout", "-q", "work")
    assert (
        repo.missing_commits("main", ["a"]),
        repo.missing_commits("main", ["a", "b"]),
        repo.missing_commits("main", ["c"]),
    ) == (2, 3, 0)
    box.git("cherry-pick", f"{picked}~1")
    assert repo.missing_commits("main", ["a"]) == 1
    box.git("merge", "--no-commit", "--no-ff", "-X", "theirs", "main")
    assert repo.missing_commits("main", ["a", "b"]) == 0


def test_fork_point(box: Sandbox, tmp_path: Path) -> None:
    start = box.commit(a="1")
    box.git("checkout", "-q", "-b", "work")
    box.commit(a="2")
    assert box.repository().fork_point("main") == start
    box.git("checkout", "-q", "--orphan", "other")
    box.commit(a="3")
    with pytest.raises(UsageError, match="no common ancestor"):
        box.repository().fork_point("main")


@every_row(
    ("name", "left"),
    [
        ("main", None),
        ("main...", "main"),
        ("origin/a.b...HEAD", "origin/a.b"),
        ("@{u}...", "@{u}"),
        ("HEAD^{/a..b}", None),
        (":/a..b", None),
        ("main..HEAD", None),
        ("main...other", None),
    ],
)
def test_three_dots(name: str, left: str | None) -> None:
    assert refs.fork_of(name) == left
