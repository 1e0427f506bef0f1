"""The hooks, under the real git operations."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, UsageError
from row3.project.git.hooks import HOOKS, HookReport, install, status, uninstall

from .conftest import Sandbox, make

# Stands for the interpreter: notes how it was called, and fails while a file `verdict` says so.
PYTHON = """#!/bin/sh
here={here}
{{
    echo "called: $*"
    echo "folder: $PWD"
    echo "top: $(git rev-parse --show-toplevel)"
    echo "staged: $(git diff --cached --name-only | tr '\\n' ' ')"
    echo "stdin: $(cat)"
}} >>"$here/log"
exit "$(cat "$here/verdict" 2>/dev/null || echo 0)"
"""


class Project:
    """A repository with a project folder, the stand-in interpreter and its log."""

    def __init__(self, box: Sandbox, python: Path) -> None:
        self.box = box
        self.python = python
        self.folder = box.root / "my project"
        self.log_file = python.parent / "log"

    def install(self) -> HookReport:
        return install(self.box.repository(), str(self.python), self.folder)

    def verdict(self, code: int) -> None:
        (self.python.parent / "verdict").write_text(str(code))

    def log(self) -> list[str]:
        """What was noted since the last look."""
        lines = self.log_file.read_text().splitlines() if self.log_file.exists() else []
        self.log_file.unlink(missing_ok=True)
        return lines

    def calls(self) -> list[str]:
        return [line.removeprefix("called: ") for line in self.log() if line.startswith("called: ")]

    def hook(self, name: str) -> Path:
        return self.box.root / ".git" / "hooks" / name

    def write_hook(self, name: str, body: str, shebang: str = "#!/bin/sh") -> Path:
        path = self.hook(name)
        path.write_text(f"{shebang}\n{body}\n")
        path.chmod(0o755)
        return path


@pytest.fixture
def project(box: Sandbox, tmp_path: Path) -> Project:
    python = tmp_path / "ve nv" / "python"
    python.parent.mkdir()
    python.write_text(PYTHON.format(here=f"'{python.parent}'"))
    python.chmod(0o755)
    box.commit(**{"my project__row3.toml": "", "a": "1"})
    return Project(box, python)


def outcomes(report: HookReport) -> list[str]:
    return [hook.outcome for hook in report.hooks]


def snapshot(folder: Path) -> dict[str, tuple[int, str | bytes]]:
    found: dict[str, tuple[int, str | bytes]] = {}
    for path in folder.iterdir():
        mode = path.lstat().st_mode
        found[path.name] = (mode, os.readlink(path) if path.is_symlink() else path.read_bytes())
    return found


def bare_remote(project: Project, tmp_path: Path) -> Path:
    remote = tmp_path / "re mote.git"
    project.box.git("init", "-q", "--bare", "-b", "main", str(remote))
    project.box.git("remote", "add", "origin", str(remote))
    return remote


def test_commit_calls_row3_from_the_project_folder(project: Project) -> None:
    report = project.install()
    assert outcomes(report) == ["installed"] * 3
    assert all(project.hook(name).stat().st_mode & 0o777 == 0o755 for name in HOOKS)
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x")
    assert project.log() == [
        "called: -m row3 hook run pre-commit",
        f"folder: {project.folder}",
        f"top: {project.box.root}",
        "staged: a ",
        "stdin: ",
    ]


def test_a_failing_check_blocks_the_commit(project: Project) -> None:
    project.install()
    head = project.box.repository().head()
    project.verdict(1)
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x", fails=True)
    assert project.box.repository().head() == head


def test_partial_commit_shows_its_own_index(project: Project) -> None:
    """`git commit FILE` hands a temporary index to the hook."""
    project.install()
    project.box.write("a", "2")
    project.box.write("b", "2")
    project.box.git("add", "b")
    project.box.git("commit", "-qm", "x", "a")
    assert "staged: a " in project.log()
    assert project.box.repository().changed(["."], base="HEAD", tree=None) == ["b"]


def test_exported_relative_index(project: Project) -> None:
    project.install()
    project.box.write("a", "2")
    project.box.git("add", "a")
    project.box.git("commit", "-qm", "x", GIT_DIR=".git", GIT_INDEX_FILE=".git/index")
    log = project.log()
    assert f"top: {project.box.root}" in log and "staged: a " in log


def test_linked_worktree(project: Project, tmp_path: Path) -> None:
    project.install()
    project.box.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "lin ked"))
    linked = Sandbox(tmp_path / "lin ked")
    linked.write("a", "2")
    linked.git("commit", "-qam", "x")
    log = project.log()
    assert f"folder: {linked.root / 'my project'}" in log
    assert f"top: {linked.root}" in log and "staged: a " in log
    assert outcomes(status(linked.repository())) == ["installed"] * 3
    assert outcomes(install(linked.repository(), str(project.python), linked.root / "my project")) == ["unchanged"] * 3
    linked.write("a", "3")
    project.verdict(1)
    linked.git("commit", "-qam", "x", fails=True)


def diverge(box: Sandbox) -> None:
    box.git("checkout", "-q", "-b", "side")
    box.commit(side="1")
    box.git("checkout", "-q", "main")
    box.commit(more="1")


def test_true_merge_is_blocked_and_so_is_the_commit_after_it(project: Project) -> None:
    project.install()
    diverge(project.box)
    head = project.box.repository().head()
    project.verdict(1)
    project.box.git("merge", "-q", "-m", "m", "side", fails=True)
    assert project.calls() == ["-m row3 hook run pre-merge-commit"]
    project.box.git("commit", "-qm", "m", fails=True)
    assert project.calls() == ["-m row3 hook run pre-commit"]
    assert project.box.repository().head() == head
    project.verdict(0)
    project.box.git("commit", "-qm", "m")
    assert project.box.repository().head() != head


def test_squash_merge_is_blocked(project: Project) -> None:
    project.install()
    diverge(project.box)
    project.verdict(1)
    project.box.git("merge", "-q", "--squash", "side")
    project.box.git("commit", "-qm", "m", fails=True)


def test_fast_forward_is_blocked_at_the_push(project: Project, tmp_path: Path) -> None:
    remote = bare_remote(project, tmp_path)
    project.box.git("push", "-q", "origin", "main")
    old = project.box.repository().head()
    project.install()
    project.box.git("checkout", "-q", "-b", "side")
    new = project.box.commit(side="1")
    project.box.git("checkout", "-q", "main")
    project.verdict(1)
    project.box.git("merge", "-q", "side")
    assert project.calls() == []
    project.box.git("push", "-q", "origin", "main", fails=True)
    log = project.log()
    assert log[0] == f"called: -m row3 hook run pre-push origin {remote}"
    assert log[-1] == f"stdin: refs/heads/main {new} refs/heads/main {old}"
    assert project.box.git("rev-parse", "main", GIT_DIR=str(remote)).strip() == old


def test_push_reaches_both_hooks(project: Project, tmp_path: Path) -> None:
    bare_remote(project, tmp_path)
    project.write_hook("pre-push", f"echo \"earlier: $*\" >>'{project.log_file}'; cat >>'{project.log_file}'")
    project.install()
    head = project.box.repository().head()
    project.box.git("branch", "other")
    project.box.git("push", "-q", "origin", "main", "other")
    log = project.log()
    lines = [f"refs/heads/{name} {head} refs/heads/{name} {'0' * 40}" for name in ("main", "other")]
    assert log[0].startswith("earlier: origin ")
    assert log[1:3] == lines
    assert [log[-2].removeprefix("stdin: "), log[-1]] == lines
    project.box.git("push", "-q", "origin", "main")  # nothing to do: no input
    assert project.log()[-1] == "stdin: "


def test_earlier_push_hook_that_does_not_read(project: Project, tmp_path: Path) -> None:
    bare_remote(project, tmp_path)
    project.write_hook("pre-push", "exit 0")
    project.install()
    head = project.box.repository().head()
    feed = "".join(f"create refs/heads/many/{number} {head}\n" for number in range(1500))  # more than a pipe holds
    subprocess.run(["git", "update-ref", "--stdin"], cwd=project.box.root, input=feed.encode(), check=True)
    text = project.box.git("push", "-q", "origin", "--all")
    assert "error" not in text.lower()
    assert sum("refs/heads/many/" in line for line in project.log()) == 1500


@pytest.mark.parametrize("shebang", ["#!/bin/sh", "#!/usr/bin/env bash", "#!/bin/sh -e"])
def test_earlier_hook_runs_first_and_its_failure_stops(project: Project, shebang: str) -> None:
    project.write_hook("pre-commit", f"echo earlier >>'{project.log_file}'; exit 3", shebang)
    report = project.install()
    assert report.hooks[0].runs_first and not report.hooks[1].runs_first
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x", fails=True)
    assert project.log() == ["earlier"]
    project.hook("pre-commit.row3-saved").write_text(f"{shebang}\necho earlier >>'{project.log_file}'\n")
    project.box.git("commit", "-qam", "x")
    assert project.log()[:2] == ["earlier", "called: -m row3 hook run pre-commit"]


def test_earlier_hook_in_another_language(project: Project) -> None:
    project.write_hook("pre-commit", "import sys; sys.exit('no, says Python')", "#!/usr/bin/env python3")
    project.install()
    project.box.write("a", "2")
    assert "no, says Python" in project.box.git("commit", "-qam", "x", fails=True)


def test_earlier_hook_that_looks_at_its_own_name(project: Project) -> None:
    """As husky's do: they look for the script to run by the name they were called by."""
    project.write_hook("pre-commit", '. "$(dirname "$0")/h"', "#!/usr/bin/env sh")
    project.hook("h").write_text(
        'n=$(basename "$0"); s=$(dirname "$0")/real/$n; [ -f "$s" ] || exit 0; sh -e "$s" "$@"; exit $?'
    )
    project.hook("real").mkdir()
    project.hook("real/pre-commit").write_text("echo the real one; exit 4")
    project.install()
    project.box.write("a", "2")
    assert "the real one" in project.box.git("commit", "-qam", "x", fails=True)
    assert project.calls() == []


def test_earlier_hook_that_is_not_executable_stays_without_effect(project: Project) -> None:
    project.write_hook("pre-commit", "exit 1").chmod(0o644)
    report = project.install()
    assert "not executable" in report.hooks[0].note
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x")
    assert project.calls() == ["-m row3 hook run pre-commit"]


def test_uninstall_restores_exactly(project: Project) -> None:
    project.hook("pre-commit").write_bytes(b"#!/bin/sh\r\n\xff\x00 no line end")
    project.hook("pre-commit").chmod(0o751)
    (project.box.root / "tool").write_text("#!/bin/sh\nexit 0\n")
    project.hook("pre-push").symlink_to("../../tool")
    project.hook("pre-merge-commit").symlink_to("dangling")
    before = snapshot(project.hook(""))
    assert outcomes(project.install()) == ["installed"] * 3
    after = snapshot(project.hook(""))
    assert after["pre-commit.row3-saved"] == before["pre-commit"]
    assert after["pre-push.row3-saved"] == before["pre-push"]
    assert outcomes(project.install()) == ["unchanged"] * 3
    assert snapshot(project.hook("")) == after
    assert outcomes(uninstall(project.box.repository())) == ["restored"] * 3
    assert snapshot(project.hook("")) == before
    assert outcomes(uninstall(project.box.repository())) == ["left"] * 3
    assert snapshot(project.hook("")) == before


def test_uninstall_where_nothing_was(project: Project) -> None:
    before = snapshot(project.hook(""))
    project.install()
    assert outcomes(uninstall(project.box.repository())) == ["removed"] * 3
    assert snapshot(project.hook("")) == before
    assert outcomes(uninstall(project.box.repository())) == ["absent"] * 3
    assert outcomes(status(project.box.repository())) == ["absent"] * 3


def test_a_hook_written_over_ours_is_left(project: Project) -> None:
    project.write_hook("pre-commit", "exit 0")
    project.install()
    project.write_hook("pre-commit", "echo newer")
    project.write_hook("pre-push", "echo newer")
    assert outcomes(status(project.box.repository())) == ["left", "installed", "left"]
    with pytest.raises(UsageError, match=r"this hook replaced row3's.*Delete the one"):
        project.install()
    report = uninstall(project.box.repository())
    assert outcomes(report) == ["left", "removed", "left"]
    assert "pre-commit.row3-saved" in report.hooks[0].note
    assert project.hook("pre-commit").read_text().endswith("echo newer\n")


def test_another_interpreter_updates(project: Project) -> None:
    project.write_hook("pre-commit", "exit 0")
    project.install()
    other = project.python.with_name("python $(touch x)'s")
    project.python.rename(other)
    assert "Python is gone" in status(project.box.repository()).hooks[0].note
    project.python = other
    report = project.install()
    assert outcomes(report) == ["updated"] * 3 and report.hooks[0].runs_first
    assert [hook.note for hook in status(project.box.repository()).hooks] == ["", "", ""]
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x")
    assert project.calls() == ["-m row3 hook run pre-commit"]


def test_an_interrupted_install_can_be_repeated(project: Project) -> None:
    project.write_hook("pre-commit", "exit 0")
    before = snapshot(project.hook(""))
    project.hook("pre-commit").rename(project.hook("pre-commit.row3-saved"))
    assert outcomes(uninstall(project.box.repository())) == ["restored", "absent", "absent"]
    assert snapshot(project.hook("")) == before
    project.hook("pre-commit").rename(project.hook("pre-commit.row3-saved"))
    assert project.install().hooks[0].runs_first
    uninstall(project.box.repository())
    assert snapshot(project.hook("")) == before


def test_python_that_is_gone_blocks_and_says_so(project: Project, tmp_path: Path) -> None:
    bare_remote(project, tmp_path)
    project.install()
    project.python.unlink()
    project.box.write("a", "2")
    text = project.box.git("commit", "-qam", "x", fails=True)
    assert text.count("\n") == 1 and str(project.python) in text
    assert "`row3 hook install`" in text and "git commit --no-verify" in text
    assert "git push --no-verify" in project.box.git("push", "-q", "origin", "main", fails=True)


def test_branch_without_the_project(project: Project) -> None:
    project.install()
    project.box.git("checkout", "-q", "--orphan", "pages")
    project.box.git("rm", "-rqf", ".")
    project.box.write("index.html", "")
    project.box.git("add", ".")
    assert "nothing to check" in project.box.git("commit", "-qm", "pages")
    assert project.calls() == []


def test_push_from_a_branch_without_the_project(project: Project, tmp_path: Path) -> None:
    """What is pushed counts, not what happens to be checked out."""
    remote = bare_remote(project, tmp_path)
    project.install()
    project.box.git("checkout", "-q", "--orphan", "pages")
    project.box.git("rm", "-rqf", ".")
    project.box.commit("pages", index="1")
    assert "nothing to check" in project.box.git("push", "-q", "origin", "pages")
    text = project.box.git("push", "-q", "origin", "pages:other", "main", fails=True)
    assert "as this work tree has no folder" in text and "git push --no-verify" in text
    assert project.calls() == []
    assert "other" not in project.box.git("branch", GIT_DIR=str(remote))
    project.box.git("push", "-q", "origin", ":pages")


def test_removing_the_project_is_not_silent(project: Project) -> None:
    project.install()
    project.box.git("rm", "-rq", "my project")
    assert "git commit --no-verify" in project.box.git("commit", "-qm", "x", fails=True)


def test_a_project_file_does_not_shadow_a_module(project: Project) -> None:
    project.python.write_text(f"#!/bin/sh\necho \"called: $PYTHONSAFEPATH\" >>'{project.log_file}'\n")
    project.install()
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x")
    assert project.calls() == ["1"]


def test_another_project_of_the_repository(project: Project) -> None:
    project.install()
    project.box.write("second/row3.toml", "")
    repo = project.box.repository()
    with pytest.raises(UsageError, match="belong to the row3 project my project"):
        install(repo, str(project.python), project.box.root / "second")
    project.folder.rename(project.box.root / "renamed")
    assert outcomes(install(repo, str(project.python), project.box.root / "renamed")) == ["updated"] * 3


def test_project_at_the_root_and_outside(project: Project, tmp_path: Path) -> None:
    repo = project.box.repository()
    with pytest.raises(UsageError, match="outside the git repository"):
        install(repo, str(project.python), tmp_path)
    install(repo, str(project.python), project.box.root)
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x")
    assert f"folder: {project.box.root}" in project.log()


@pytest.mark.parametrize("value", [".git hooks/ü", "./deep/er"])
def test_hooks_path_inside(project: Project, value: str) -> None:
    project.box.git("config", "core.hooksPath", value)
    report = project.install()
    assert report.folder.resolve() == (project.box.root / value).resolve()
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x")
    assert project.calls() == ["-m row3 hook run pre-commit"]
    uninstall(project.box.repository())
    assert list((project.box.root / value).iterdir()) == []


def test_hooks_path_under_the_home_folder(project: Project, tmp_path: Path) -> None:
    name = project.box.root.relative_to(tmp_path)
    project.box.git("config", "core.hooksPath", f"~/{name}/mine")
    assert project.install().folder == project.box.root / "mine"


def test_a_link_with_the_name_of_a_half_written_hook_is_not_followed(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    project.box.git("config", "core.hooksPath", ".githooks")
    (project.box.root / ".githooks").mkdir()
    for name in HOOKS:
        (project.box.root / f".githooks/.{name}.row3-new").symlink_to(outside)
    project.install()
    assert outside.read_text() == "mine"
    assert not (project.box.root / ".githooks/pre-commit").is_symlink()


def test_an_empty_hooks_path_is_refused(project: Project) -> None:
    project.box.git("config", "core.hooksPath", "")
    with pytest.raises(UsageError, match=r"core.hooksPath is empty.*--unset"):
        project.install()
    assert not (project.box.root / "pre-commit").exists()


def test_hooks_path_outside_is_refused(project: Project, tmp_path: Path) -> None:
    for value in (str(tmp_path / "shared"), "/dev/null", "~/shared", "../shared"):
        project.box.git("config", "core.hooksPath", value)
        with pytest.raises(UsageError, match=r"outside the repository.*git config core.hooksPath"):
            project.install()
    assert not (tmp_path / "shared").exists()


def test_global_hooks_path_is_refused_and_the_fix_works(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[core]\n\thooksPath = ~/shared\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with pytest.raises(UsageError, match="outside the repository") as caught:
        project.install()
    command = caught.value.fix.split("`")[1]
    subprocess.run(command, shell=True, cwd=project.box.root, check=True)
    assert outcomes(project.install()) == ["installed"] * 3


def test_hooks_folder_that_is_a_link_to_outside(project: Project, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    project.hook("").rename(tmp_path / "was")
    (project.box.root / ".git" / "hooks").symlink_to(tmp_path / "shared")
    with pytest.raises(UsageError, match="outside the repository"):
        project.install()


def test_pre_commit_framework(project: Project) -> None:
    """First it is an earlier hook; installed once more it takes the place, and calls ours as its legacy hook."""
    framework = (
        "# File generated by pre-commit: https://pre-commit.com\n"
        f"echo framework >>'{project.log_file}'\n"
        'legacy=$(dirname "$0")/pre-commit.legacy\n'
        '[ -z "$PRE_COMMIT_RUNNING_LEGACY" ] || exit 9\n'
        'if [ -x "$legacy" ]; then PRE_COMMIT_RUNNING_LEGACY=1 "$legacy" "$@" || exit 1; fi'
    )
    project.write_hook("pre-commit", framework, "#!/usr/bin/env bash")
    project.install()
    project.box.write("a", "2")
    project.box.git("commit", "-qam", "x")
    assert project.log()[:2] == ["framework", "called: -m row3 hook run pre-commit"]

    project.hook("pre-commit").rename(project.hook("pre-commit.legacy"))
    project.write_hook("pre-commit", framework, "#!/usr/bin/env bash")
    project.box.write("a", "3")
    project.box.git("commit", "-qam", "x")
    assert project.log()[:2] == ["framework", "called: -m row3 hook run pre-commit"]
    assert outcomes(status(project.box.repository()))[0] == "installed"
    assert outcomes(project.install()) == ["unchanged"] * 3
    assert outcomes(uninstall(project.box.repository()))[0] == "removed"
    assert not project.hook("pre-commit.legacy").exists() and not project.hook("pre-commit.row3-saved").exists()
    project.box.write("a", "4")
    project.box.git("commit", "-qam", "x")
    assert project.log() == ["framework"]


def test_a_folder_in_the_place_of_a_hook(project: Project) -> None:
    project.hook("pre-push").mkdir()
    with pytest.raises(UsageError, match="git looks for a hook here"):
        project.install()
    assert not project.hook("pre-commit").exists()  # the checks come before the first write


def test_an_unusable_hooks_folder(project: Project) -> None:
    project.box.write("file", "")
    project.box.git("config", "core.hooksPath", "file/hooks")
    with pytest.raises(EnvironmentFault, match="cannot read or write the hooks"):
        project.install()


def test_before_the_first_commit(tmp_path: Path) -> None:
    box = make(tmp_path / "new")
    python = box.write("python", "#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    install(box.repository(), str(python), box.root)
    box.git("add", ".")
    box.git("commit", "-qm", "x", fails=True)
