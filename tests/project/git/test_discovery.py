"""Which repository a folder belongs to."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, UsageError
from row3.project.git.process import EXPORTED
from row3.project.git.repository import Repository

from .conftest import Sandbox, make


def test_no_repository(tmp_path: Path) -> None:
    assert Repository.find(tmp_path) is None
    assert Repository.find(tmp_path / "not" / "there") is None


def test_from_a_subfolder_and_a_folder_not_yet_made(box: Sandbox) -> None:
    box.write("a/b/c", "")
    for place in (box.root, box.root / "a/b", box.root / "new" / "one", box.root / "a/b/c"):
        found = Repository.find(place)
        assert found is not None and found.root == box.root


def test_relative_names(box: Sandbox, tmp_path: Path) -> None:
    repo = box.repository()
    assert repo.relative(box.root) == "."
    assert repo.relative(box.root / "a" / "ü") == "a/ü"
    link = tmp_path / "link"
    link.symlink_to(box.root)
    assert repo.relative(link / "a") == "a"
    assert repo.relative(box.root / "x" / ".." / "a") == "a"
    with pytest.raises(UsageError, match="outside the git repository"):
        repo.relative(tmp_path)


def test_bare_repository_and_git_folder(tmp_path: Path, box: Sandbox) -> None:
    bare = tmp_path / "bare.git"
    box.git("init", "-q", "--bare", str(bare))
    for place in (bare, box.root / ".git"):
        with pytest.raises(EnvironmentFault, match="without a work tree"):
            Repository.find(place)


def test_link_to_a_repository_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /gone/.git/worktrees/x\n")
    with pytest.raises(EnvironmentFault, match="/gone/"):
        Repository.find(tmp_path)


def test_linked_worktree(box: Sandbox, tmp_path: Path) -> None:
    box.commit(a="1")
    box.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "lin ked"))
    found = Repository.find(tmp_path / "lin ked")
    assert found is not None
    assert found.root == tmp_path / "lin ked"
    assert found.head() == Sandbox(found.root).git("rev-parse", "HEAD").strip()
    assert found.common_dir == box.root / ".git"
    assert found.git_path("hooks") == box.root / ".git" / "hooks"


def test_submodule_is_its_own_repository(box: Sandbox, tmp_path: Path) -> None:
    inner = make(tmp_path / "inner")
    inner.commit(a="1")
    box.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    found = Repository.find(box.root / "sub")
    assert found is not None and found.root == box.root / "sub"


def test_exported_git_dir_of_a_linked_worktree(box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box.commit(project__a="1")
    box.git("worktree", "add", "-q", str(tmp_path / "linked"))
    tree = tmp_path / "linked"
    monkeypatch.setenv("GIT_DIR", str(box.root / ".git" / "worktrees" / "linked"))
    monkeypatch.chdir(tree / "project")  # git alone would now take this folder for the top
    found = Repository.find(tree / "project")
    assert found is not None
    assert found.root == tree
    assert not found.state(["project"])[1]
    assert (found.head(), set(found.contents(None, tree, ["."]).ids)) == (box.repository().head(), {"project/a"})


def test_exported_relative_git_dir(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    head = box.commit(project__a="1")
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.chdir(box.root)
    found = Repository.find(box.root / "project")
    assert found is not None and (found.root, found.head()) == (box.root, head)


def test_exported_work_tree(box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = box.commit(a="1")
    (tmp_path / "deployed").mkdir()
    (tmp_path / "deployed" / "a").write_text("2")
    monkeypatch.setenv("GIT_DIR", str(box.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "deployed"))
    found = Repository.find(tmp_path / "deployed")
    assert found is not None and (found.root, found.head()) == (tmp_path / "deployed", head)
    assert found.state(["a"])[1]


def test_exported_repository_that_is_another_one(box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook of one repository that looks at a project in another."""
    other = make(tmp_path / "other")
    mine = other.commit(mine="1")
    box.commit(theirs="1")
    monkeypatch.setenv("GIT_DIR", str(box.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(box.root / ".git" / "index"))
    monkeypatch.chdir(box.root)
    found = Repository.find(other.root)
    assert found is not None and (found.root, found.head()) == (other.root, mine)
    assert set(found.contents(None, found.root, ["."]).ids) == {"mine"}


@pytest.mark.parametrize("linked", [False, True])
def test_no_exported_variable_reaches_git(
    box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, linked: bool
) -> None:
    """GitPython hands on the whole environment."""
    other = make(tmp_path / "other")
    other.commit(theirs="1")
    box.commit(mine="1")
    if linked:
        box.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
        box = Sandbox(tmp_path / "linked")

    def answers() -> object:
        repo = box.repository()
        seen = repo.root, repo.git_dir, repo.common_dir, repo.head(), repo.state(["."]), repo.git_path("hooks")
        index, committed = (repo.contents(commit, box.root, ["."]) for commit in (None, "HEAD"))
        return *seen, index, committed, repo.unstaged(["."]), repo.edited("HEAD", box.root), repo.user()

    expected = answers()
    values = {"GIT_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_COMMON_DIR": ".git", "GIT_PREFIX": "x/"}
    monkeypatch.chdir(other.root)
    for count in range(1, len(EXPORTED) + 1):
        for names in combinations(EXPORTED, count):
            with monkeypatch.context() as exported:
                for name in names:
                    exported.setenv(name, str(other.root / values[name]) if count % 2 else values[name])
                assert answers() == expected, names


def test_exported_repository_and_a_folder_without_one(
    box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("GIT_DIR", str(box.root / ".git"))
    monkeypatch.chdir(box.root)
    assert Repository.find(tmp_path / "nothing") is None


def test_git_is_not_installed(box: Sandbox, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from row3.project.git.repository import Repository\n"
        "from row3.errors import EnvironmentFault\n"
        "try: Repository.find(Path(sys.argv[1]))\n"
        "except EnvironmentFault as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(box.root)],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Install git" in done.stdout and done.stdout.count("\n") == 1, done.stdout


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_files_of_another_user(box: Sandbox) -> None:
    for path in (box.root, box.root / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(EnvironmentFault, match=r"another user.*git config --global --add safe\.directory"):
        Repository.find(box.root)


def test_a_path_with_a_line_end_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "a\nb"
    folder.mkdir()
    with pytest.raises(EnvironmentFault, match="Rename it"):
        Repository.find(folder)
