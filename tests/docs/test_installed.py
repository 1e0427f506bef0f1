"""row3 as others have it: from a wheel, in an environment of its own, and in the examples that they copy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.projects import HOME, Box, clean_env, run, tiny, worse
from tests.runner import Done
from tests.systems.wanted import PIP_S, missing, python_environment

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("installed")]
ACTION = HOME / ".github/actions/row3"


def _pip(python: str | Path, *args: str) -> None:
    """Run pip; without a package index there is nothing to test."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *args]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=PIP_S)
    except subprocess.SubprocessError as error:
        missing(f"a package index: {error} {getattr(error, 'stderr', b'').decode()[-500:]}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is built of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    _pip(sys.executable, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(HOME))
    (built,) = folder.glob("row3-*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the programs of an environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
    _pip(folder / "bin/python", "install", "--quiet", "--only-binary", ":all:", str(wheel))
    return folder / "bin"


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def _shell(script: str, box: Box, programs: Path, **env: str) -> Done:
    """Run a script as a runner does: bash that stops at the first command that fails."""
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return run("bash", "-eo", "pipefail", "-c", script, cwd=box.root, env=box.env | path | env, timeout=PIP_S)


@pytest.mark.parametrize("kind", ["extraction", "checks", "retrieval"])
def test_the_first_commands_in_an_empty_folder(programs: Path, empty: Path, kind: str) -> None:
    env = clean_env(empty.parent)
    for args in (("--version",), ("init", "--kind", kind), ("lint",), ("docs", "gate"), ("--dry-run",)):
        done = run(str(programs / "row3"), *args, cwd=empty, env=env)
        assert done.code == 0, done
    assert "OPENAI_API_KEY" in done.out or kind == "retrieval"
    assert run(str(programs / "row3"), "docs", cwd=empty, env=env).out.count("\n") > 20


@pytest.mark.parametrize(
    ("package", "command"),
    [("pipx==1.18.4", ("pipx", "run", "--spec")), ("uv==0.13.9", ("uvx", "--from"))],
    ids=["pipx", "uvx"],
)
def test_it_runs_without_being_installed(wheel: Path, empty: Path, package: str, command: tuple[str, ...]) -> None:
    tools = python_environment(package)
    env = clean_env(empty.parent) | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = run(
        str(tools / command[0]), *command[1:], str(wheel), "row3", "--version", cwd=empty, env=env, timeout=PIP_S
    )
    assert done.out.startswith("row3 "), done


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """A project with a promoted prompt, and a remote that has it."""
    made = tiny(tmp_path / "project")
    made.init()
    made.row3("promote", "v1.0", code=0)
    made.commit("v1.0")
    remote = tmp_path / "remote.git"
    made.git("clone", "-q", "--bare", ".", str(remote))
    made.git("remote", "add", "origin", str(remote))
    made.git("checkout", "-q", "-b", "work")
    return made


def test_the_pre_commit_example(box: Box) -> None:
    tools = python_environment("pre-commit==4.7.0")
    page = (HOME / "docs/ci.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(# \.pre-commit-config\.yaml\n.*?)```", page, re.DOTALL)
    head = run("git", "rev-parse", "HEAD", cwd=HOME, env=box.env).out.strip()
    example = example.replace("<address of the row3 repository>", str(HOME)).replace("<tag or commit>", head)
    box.write(".pre-commit-config.yaml", example)
    box.env |= {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = run(str(tools / "pre-commit"), "install", "--install-hooks", cwd=box.root, env=box.env, timeout=PIP_S)
    assert done.code == 0, done
    box.git("add", "-A")
    box.git("commit", "-m", "hooks")
    worse(box)
    box.git("add", "-A")
    refused = box.git("commit", "-m", "worse", code=1)
    assert re.search(r"row3 gate\.+Failed", refused.err), refused
    assert re.search(r"row3 lint\.+Passed", refused.err), refused
    assert "BLOCK" in refused.err


@pytest.mark.parametrize("blocked", [False, True])
def test_the_jobs_of_the_gitlab_example(box: Box, wheel: Path, programs: Path, blocked: bool) -> None:
    if blocked:
        worse(box)
    box.commit("work")
    jobs = yaml.safe_load((HOME / "docs/gitlab-ci.yml").read_text(encoding="utf-8"))
    env = {"CI": "true", "ROW3": str(wheel), "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    gate = _shell("\n".join(jobs["row3"]["script"]), box, programs, **env)
    assert gate.code == int(blocked), gate
    assert ("<failure" in box.read("row3-junit.xml")) == blocked
    assert ('"blocker"' in box.read("row3-gate.json")) == blocked
    lint = _shell("\n".join(jobs["row3-lint"]["script"]), box, programs, **env)
    assert lint.code == 0, lint
    assert box.read("row3-lint.json").strip() == "[]"


@pytest.mark.parametrize("blocked", [False, True])
def test_the_steps_of_the_github_action(box: Box, wheel: Path, programs: Path, blocked: bool) -> None:
    """All but the comment, which needs a pull request; tests/cli/test_comment.py has that."""
    if blocked:
        worse(box)
    box.commit("work")
    action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    env = {name.upper(): str(value.get("default", "")) for name, value in action["inputs"].items()}
    env |= {"CI": "true", "INSTALL": str(wheel), "AGAINST": "origin/main", "GITHUB_ACTION_PATH": str(ACTION)}
    env |= {"GITHUB_OUTPUT": str(box.root.parent / "output"), "BRANCH": "main"}
    box.git("fetch", "-q", "origin")
    for step in action["runs"]["steps"]:
        if step["name"] in ("Install row3", "Lint", "Gate"):
            done = _shell(step["run"], box, programs, **env)
            assert done.code == int(blocked and step["name"] == "Gate"), done
    assert (box.root.parent / "output").read_text() == f"verdict={'blocked' if blocked else 'passed'}\n"
    assert box.path("row3-reports/row3.md").exists()
