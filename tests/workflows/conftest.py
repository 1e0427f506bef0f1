"""The small project for workflows that run in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from row3.workflows.run_suite import RunOptions
from row3.workflows.session import Session, open_session
from tests.projects import Box, clean_env, tiny

Open = Callable[..., Session]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """Three cases, v1.0 and v1.1 with recordings, no baseline, no git."""
    for name, value in clean_env(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CI", raising=False)
    return tiny(tmp_path / "project")


@pytest.fixture
def opened(small: Box) -> Open:
    """Opens the small project as a command does."""

    def open_it(named: tuple[str, ...] = (), **options: Any) -> Session:
        return open_session(small.root, None, RunOptions(**options), named=named)

    return open_it
