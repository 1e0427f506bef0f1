"""What some tests need beside Python: on a user's machine they say what is missing, in CI nothing may be missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock

NPM_PACKAGES = ("@modelcontextprotocol/server-memory@2026.8.31", "@modelcontextprotocol/server-everything@2026.8.31")
NPM_S = 240
PIP_S = 600


def missing(what: str) -> NoReturn:
    """Skip, and say what is missing; fail where `ROW3_TESTS_NEED_ALL` is set, as in CI."""
    if os.environ.get("ROW3_TESTS_NEED_ALL"):
        pytest.fail(f"missing: {what}")
    pytest.skip(f"missing: {what}")


@cache
def npm_bin() -> Path:
    """The folder with the programs of the npm packages; installed once into a folder that later runs find again."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        missing("node and npm, for MCP servers that others wrote")
    folder = Path(tempfile.gettempdir()) / f"row3-tests-npm-{os.getuid()}-{NPM_PACKAGES[0].rpartition('@')[2]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    done = folder / "installed"
    with FileLock(folder / "lock"):
        if not done.exists():
            command = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), *NPM_PACKAGES]
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=NPM_S, cwd=folder)
            except (subprocess.SubprocessError, OSError) as error:
                missing(f"{' and '.join(NPM_PACKAGES)}, which npm could not install: {error}")
            done.touch()
    return folder / "node_modules" / ".bin"


@cache
def python_environment(package: str) -> Path:
    """The folder with the programs of a Python package, in an environment of its own; later runs find it again."""
    name = package.replace("==", "-")
    folder = Path(tempfile.gettempdir()) / f"row3-tests-{name}-{os.getuid()}-{sys.version_info[0]}{sys.version_info[1]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    done = folder / "installed"
    with FileLock(folder / "lock"):
        if not done.exists():
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", package]
            try:
                subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True, capture_output=True)
                subprocess.run(pip, check=True, capture_output=True, timeout=PIP_S)
            except (subprocess.SubprocessError, OSError) as error:
                missing(f"{package}, which pip could not install: {error}")
            done.touch()
    return folder / "bin"
