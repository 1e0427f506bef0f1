"""Where the state of a project is: where git says, or the user's, and never where a clone can put files."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from row3.project.local_state import in_state, local_folder, state_folder
from tests.rows import every_row


def git(folder: Path, *args: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    who = ("-c", "user.name=Zoë", "-c", "user.email=zoe@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", "-C", str(folder), *who, *args], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def told(folder: Path) -> Path:
    """Where git keeps what is called `row3`."""
    return (folder / git(folder, "rev-parse", "--git-path", "row3")).resolve()


def repository(folder: Path) -> Path:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "begin")
    return folder


def plain(tmp_path: Path) -> Path:
    return repository(tmp_path / "work")


def below(tmp_path: Path) -> Path:
    return repository(tmp_path / "work") / "services/bot"


def worktree(tmp_path: Path) -> Path:
    git(repository(tmp_path / "work"), "worktree", "add", "-q", "../linked")
    return tmp_path / "linked"


def submodule(tmp_path: Path) -> Path:
    inner = repository(tmp_path / "inner")
    git(repository(tmp_path / "work"), "submodule", "--quiet", "add", str(inner), "sub")
    return tmp_path / "work/sub"


def elsewhere(tmp_path: Path) -> Path:
    git(tmp_path / "work", "init", "-q", "--separate-git-dir", str(tmp_path / "there"))
    return tmp_path / "work"


@every_row("make", [plain, below, worktree, submodule, elsewhere])
def test_it_is_where_git_keeps_what_it_does_not_track(tmp_path: Path, make: object) -> None:
    project = make(tmp_path)  # type: ignore[operator]
    project.mkdir(parents=True, exist_ok=True)
    assert state_folder(project).parent == told(project)


@pytest.mark.parametrize("make", [plain, worktree])
def test_a_hook_and_its_shell_have_the_same(tmp_path: Path, make: object, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make(tmp_path)  # type: ignore[operator]
    before = state_folder(project)
    other = repository(tmp_path / "other")
    for git_dir in (".git", str(other / ".git")):
        monkeypatch.setenv("GIT_DIR", git_dir)
        monkeypatch.setenv("GIT_WORK_TREE", str(other))
        assert state_folder(project) == before


def test_projects_of_one_repository_keep_apart_and_move_with_it(tmp_path: Path) -> None:
    top = repository(tmp_path / "work")
    paths = (".", "a", "a/b", "a-b", "lock", "journal", "transaction/new", "ä" * 80, "b" * 200 + "/c")
    found = [state_folder(top / path) for path in paths]
    assert len(set(found)) == len(paths)
    for one in found:
        assert not any(other.is_relative_to(one) for other in found if other != one)
        one.mkdir(parents=True)  # no name is too long
    top.rename(tmp_path / "moved")
    assert [state_folder(tmp_path / "moved" / path).name for path in paths] == [each.name for each in found]


def test_outside_git_it_is_the_user_s_by_the_real_path(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "short").symlink_to(project)
    there = Path(os.environ["XDG_STATE_HOME"])
    assert state_folder(project) == state_folder(tmp_path / "short")
    assert state_folder(project).parent == there / "row3"
    assert state_folder(project) != state_folder(tmp_path / "other/project")


def a_bare_repository(project: Path) -> None:
    for name in ("objects/x", "refs/x", "HEAD", "config"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / "HEAD").write_text("ref: refs/heads/main\n")
    (project / "config").write_text("[core]\n\tbare = true\n")
    assert told(project) == project / "row3"  # what git would have said


def a_file_that_names_nothing(project: Path) -> None:
    (project / ".git").write_text("gitdir: ../gone\n")


def a_file_of_bytes(project: Path) -> None:
    (project / ".git").write_bytes(b"gitdir: \xff\0")


def an_empty_folder(project: Path) -> None:
    (project / ".git").mkdir()


@every_row("make", [a_bare_repository, a_file_that_names_nothing, a_file_of_bytes, an_empty_folder])
def test_what_only_looks_like_a_repository_is_none(tmp_path: Path, make: object) -> None:
    project = tmp_path / "project"
    project.mkdir()
    outside = state_folder(project)
    make(project)  # type: ignore[operator]
    assert state_folder(project) == outside


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_another_user_s_repository_around_a_project_is_not_trusted(tmp_path: Path) -> None:
    project = repository(tmp_path / "shared") / "mine"
    assert state_folder(project).is_relative_to(tmp_path)
    os.chown(tmp_path / "shared/.git", 12345, 12345)
    assert not state_folder(project).is_relative_to(tmp_path)


def test_no_link_in_the_state_is_followed(tmp_path: Path) -> None:
    top = repository(tmp_path / "work")
    state_folder(top).mkdir(parents=True)
    (state_folder(top) / "journal").symlink_to(tmp_path)
    with pytest.raises(Exception, match="this is a symbolic link, which row3 does not follow"):
        in_state(top, "journal/x.jsonl")
    shutil.rmtree(state_folder(top))


def test_the_local_folder_ignores_itself_in_git(tmp_path: Path) -> None:
    local_folder(tmp_path / ".row3")
    assert (tmp_path / ".row3/.gitignore").read_text(encoding="utf-8") == "*\n"
