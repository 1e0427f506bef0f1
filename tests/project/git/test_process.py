"""How git is started."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from row3.errors import EnvironmentFault
from row3.project.git.process import GitProcess

from .conftest import Sandbox


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("rev-parse", "HEAD"), 0),
        (("ls-files", "-z"), 0),
        (("show", "HEAD:ü b"), 0),
        (("cat-file", "-p", "HEAD:bytes"), 0),
        (("rev-parse", "--verify", "-q", "nope"), 1),
        (("ls-tree", "nope"), 128),
        (("no-such-command",), 1),
    ],
)
def test_gitpython_and_a_plain_call_answer_alike(box: Sandbox, command: tuple[str, ...], code: int) -> None:
    box.write("bytes", b"\0\xff\r\n\n\n")
    box.commit(**{"ü b": "text\n\n"})
    git = GitProcess(box.root)
    assert git.run(*command, check=False) == git.ask(*command)
    assert git.ask(*command).code == code
    if code:
        for start in (git.run, git.ask):
            with pytest.raises(EnvironmentFault, match=f"git {command[0]} failed"):
                start(*command, check=True)


def test_a_folder_is_no_pattern(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitPython would expand these names, and run git here if it cannot enter the folder."""
    monkeypatch.chdir(box.root)
    box.commit(a="1")
    for name in ("~", "$HOME", "${HOME}", "%HOME%", "gone"):
        if name != "gone":
            (box.root / name).mkdir()
        asked = GitProcess(box.root / name).run("rev-parse", "--show-prefix", check=False)
        assert (asked.text == f"{name}/") is (name != "gone"), asked


def test_a_large_input_and_output(box: Sandbox) -> None:
    oid = box.git("hash-object", "-w", str(box.write("a", "x" * 1000))).strip()
    found = GitProcess(box.root).run("cat-file", "--batch", stdin=f"{oid}\n".encode() * 5000)
    assert found.out.count(oid.encode()) == 5000 and len(found.out) > 5_000_000


def test_gitpython_that_cannot_start(box: Sandbox) -> None:
    code = (
        "import sys; from pathlib import Path; from row3.project.git.repository import GitProcess, Repository\n"
        "from row3.errors import EnvironmentFault\n"
        "found = Repository.find(Path(sys.argv[1])); print(found.state(['.']))\n"
        "try: GitProcess(Path(sys.argv[1])).run('version')\n"
        "except EnvironmentFault as error: print(error)"
    )
    env = {**os.environ, "GIT_PYTHON_GIT_EXECUTABLE": "/no/such/git"}
    command = [sys.executable, "-c", code, str(box.root)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    state, error = done.stdout.splitlines()
    assert state == "(None, False)"  # asked without it
    assert error.startswith("cannot import GitPython: ") and "Unset GIT_PYTHON_GIT_EXECUTABLE" in error
