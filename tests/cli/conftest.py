"""Projects for the command line, built once a session and copied for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.projects import Box, add_worse_draft, copy_of, shipped, tiny
from tests.suites import with_baselines


@pytest.fixture(autouse=True)
def calm(calm_env: None) -> None:
    """What runs in this process sees the same environment as the commands do."""


@pytest.fixture(scope="session")
def tiny_promoted(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The small project with v1.0 promoted and v1.1 a candidate, committed."""
    box = tiny(tmp_path_factory.mktemp("tiny") / "project")
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    return box


@pytest.fixture(scope="session")
def tiny_second(tiny_promoted: Box, tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The small project with v1.1 promoted and committed on main, on the branch `work`."""
    box = tiny_promoted.copy(tmp_path_factory.mktemp("tiny-second") / "project")
    box.row3("promote", "v1.1", "--commit", code=0)
    box.git("checkout", "-q", "-b", "work")
    return box


@pytest.fixture(scope="session")
def shipped_first(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The shipped project as it was with v1.0 promoted and v1.2 a candidate, committed."""
    box = shipped(tmp_path_factory.mktemp("shipped-first") / "project")
    box.init()
    # It is in the fail zone, as first versions are.
    first = ("decompose-concepts-v1.0", "--prompt", "map-ontology-v1.0", "--approve", "a first version")
    box.row3("promote", *first, code=0)
    box.commit("v1.0")
    return box


@pytest.fixture(scope="session")
def shipped_second(shipped_first: Box, tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The same with v1.2 promoted and the hooks installed; the branch `tidy` has the worse draft."""
    box = shipped_first.copy(tmp_path_factory.mktemp("shipped-second") / "project")
    box.row3("promote", "decompose-concepts-v1.2", "--prompt", "map-ontology-v1.2", code=0)
    box.commit("v1.2")
    box.row3("hook", "install", code=0)
    box.git("checkout", "-q", "-b", "tidy")
    add_worse_draft(box)
    box.commit("worse")
    box.git("checkout", "-q", "main")
    return box


@pytest.fixture(scope="session")
def suites_once(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Four suites with their baselines, committed."""
    return with_baselines(tmp_path_factory.mktemp("several") / "project")


@pytest.fixture
def suites(suites_once: Box, tmp_path: Path) -> Box:
    """A copy of the four suites."""
    return suites_once.copy(tmp_path / "suites")


box = copy_of("tiny_promoted")
"""A copy of the small project."""


first = copy_of("shipped_first")
"""A copy of the shipped project, v1.2 a candidate."""


second = copy_of("shipped_second")
"""A copy of the shipped project, v1.2 promoted; its hooks are those of the copy."""


work = copy_of("tiny_second")
"""On a branch from a main that has v1.1 promoted."""
