"""What the tests of runs share."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.clusters import NODE, new_cluster
from tests.projects import Box, tiny
from tests.systems.wanted import missing


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A head and two more nodes, each a process with one processor."""
    if find_spec("ray") is None:
        missing("ray, of the extra row3[ray]")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = new_cluster()
        for _ in range(2):
            made.add_node(**NODE)
        yield made
        made.shutdown()


@pytest.fixture
def box(calm_env: None, tmp_path: Path) -> Box:
    """Three cases in git."""
    made = tiny(tmp_path / "project")
    made.init()
    return made
