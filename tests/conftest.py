"""What holds for all tests."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from row3.commands.init import init
from row3.running.run_options import RunOptions
from row3.running.session import Session, open_session
from tests.chat_server import FakeModel, FakeReply
from tests.projects import Box, clean_env, tiny

# The same examples in every run, so that a change is blamed for what it did; other ones with HYPOTHESIS_PROFILE=random.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


# Thousands of small projects, each file of which is forced to disk: in memory they take a fraction of the time.
MEMORY, ROOM = Path("/dev/shm"), 2 << 30
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


# What tests keep for projects outside git is no business of the user's.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="row3-tests-state-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)


def pytest_configure(config: pytest.Config) -> None:
    """Hear Ctrl-C, which a shell turns off for what it runs in the background.

    Every process that a test starts inherits that, and a test that interrupts one would wait for it in vain.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two a processor: half of their time tests wait for processes, servers and time-outs."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests of browsers and local models as slow; local models share one worker, for their threads compete."""
    for item in items:
        local_model = item.get_closest_marker("local_model") is not None
        if local_model:
            item.add_marker(pytest.mark.xdist_group("local model"))
        if local_model or "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def calm_env(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment of a `Box` for what runs in this process: nothing of the machine's, no CI, no git hook's."""
    for name, value in clean_env(tmp_path).items():
        monkeypatch.setenv(name, value)
    for name in ("CI", "GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)


Open = Callable[..., Session]


@pytest.fixture
def small(tmp_path: Path, calm_env: None) -> Box:
    """Three cases, v1.0 and v1.1 with recordings, no baseline, no git."""
    return tiny(tmp_path / "project")


@pytest.fixture
def opened(small: Box) -> Open:
    """Opens the small project as a command does."""

    def open_it(named: tuple[str, ...] = (), **options: Any) -> Session:
        return open_session(small.root, None, RunOptions(named=named, **options))

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


@pytest.fixture
def model() -> Iterator[Callable[[Callable[[str, int], FakeReply]], FakeModel]]:
    """Makes fake models, and ends them."""
    started: list[FakeModel] = []

    def start(choose: Callable[[str, int], FakeReply]) -> FakeModel:
        started.append(FakeModel(choose))
        return started[-1]

    yield start
    for one in started:
        one.stop()
