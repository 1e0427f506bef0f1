"""Real git repositories, untouched by the configuration of the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from row3.project.git.repository import Repository


class Sandbox:
    """A repository with the means to work in it as a user would."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *args: str, fails: bool = False, **env: str) -> str:
        """Run git; the output, both streams."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            env={**os.environ, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        text = done.stdout.decode()
        assert (done.returncode != 0) is fails, text
        return text

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def commit(self, message: str = "work", **files: str) -> str:
        """Write `files` (name=content, `__` for a slash, `_json` for the suffix) and commit everything."""
        for name, content in files.items():
            self.write(name.replace("__", "/").replace("_json", ".json"), content)
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def repository(self) -> Repository:
        found = Repository.find(self.root)
        assert found is not None
        return found


@pytest.fixture(autouse=True)
def lonely_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_") and name != "GIT_EXEC_PATH"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PYTHONSAFEPATH", "PRE_COMMIT_RUNNING_LEGACY"):
        monkeypatch.delenv(name, raising=False)


def make(root: Path) -> Sandbox:
    root.mkdir(parents=True, exist_ok=True)
    box = Sandbox(root)
    box.git("init", "-q", "-b", "main")
    box.git("config", "user.name", "Zoë Tester")
    box.git("config", "user.email", "zoe@example.org")
    return box


@pytest.fixture(params=["plain", "Größe & ein $HOME 'Pfad'"])
def box(tmp_path: Path, request: pytest.FixtureRequest) -> Sandbox:
    """An empty repository; every test also runs in a path that breaks careless quoting."""
    return make(tmp_path / request.param)
