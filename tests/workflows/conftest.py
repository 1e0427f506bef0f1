"""Projects for workflows that run in this process: a small one, and one as `row3 init` makes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from row3.workflows.init import init
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.session import Session, open_session
from tests.projects import Box, tiny

Open = Callable[..., Session]


@pytest.fixture
def small(tmp_path: Path, calm_env: None) -> Box:
    """Three cases, v1.0 and v1.1 with recordings, no baseline, no git."""
    return tiny(tmp_path / "project")


@pytest.fixture
def opened(small: Box) -> Open:
    """Opens the small project as a command does."""

    def open_it(named: tuple[str, ...] = (), **options: Any) -> Session:
        return open_session(small.root, None, RunOptions(**options), named=named)

    return open_it


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `row3 init` makes; nobody may touch it."""
    folder = tmp_path_factory.mktemp("begun")
    init(folder, "example")
    return folder


@pytest.fixture
def root(begun: Path, tmp_path: Path) -> Path:
    """A copy."""
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    return tmp_path
