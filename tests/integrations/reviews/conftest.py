"""Stores of both kinds, as for monitoring, and a project with golden cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.project.project import Project, open_project
from tests.integrations.monitoring.conftest import postgres_url, store
from tests.projects import tiny

__all__ = ["postgres_url", "store"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Three golden cases of kind extraction; `rye` has the topic "Rye bread" and a domain."""
    box = tiny(tmp_path / "project")
    path = "golden/bread/rye.gold.json"
    more = '"topic": "Rye bread", "domain": "ecological", "created": "2026-01-05", '
    box.write(path, box.read(path).replace("{", "{" + more, 1))
    return open_project(box.root)
