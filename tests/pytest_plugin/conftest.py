"""A small project, and pytest run in it as a process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.projects import Box, Done, copy_of, run, tiny

Pytest = Callable[..., Done]


@pytest.fixture(autouse=True)
def calm(calm_env: None) -> None:
    """What runs in this process sees the same environment as the commands do."""


@pytest.fixture(scope="session")
def promoted(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The small project with v1.0 promoted and v1.1 a candidate, committed."""
    box = tiny(tmp_path_factory.mktemp("tiny") / "project")
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    shutil.rmtree(box.path(".row3/runs"))  # so that a test sees the runs that it made
    return box


box = copy_of("promoted")


@pytest.fixture
def in_box(box: Box) -> Pytest:
    """`in_box(*arguments, code=…)`: pytest in the project, 80 columns wide, with no settings of ours."""
    return lambda *args, **how: run_pytest(box, *args, **how)


def run_pytest(box: Box, *args: str, code: int | None = None, plugins: Sequence[str] | None = ()) -> Done:
    """Run pytest in a project; no traceback may be shown.

    Of all plugins that are installed only ours is loaded, and those named; all of them with None. To load them takes
    most of two seconds, since pytest compiles each again where no bytecode is kept.
    """
    env = {name: value for name, value in box.env.items() if not name.startswith(("PYTEST_", "COV_"))}
    env |= {"COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}
    # Where others run, it would spend minutes on removing what they left.
    env["PYTEST_DEBUG_TEMPROOT"] = str(box.root.parent)
    chosen = ["no:cacheprovider"]
    if plugins is not None:
        env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        chosen += ["row3.pytest_plugin", *plugins]
    loaded = [word for name in chosen for word in ("-p", name)]
    done = run(sys.executable, "-m", "pytest", *loaded, *args, cwd=box.root, env=env)
    assert code is None or done.code == code, done
    assert "Traceback" not in done.out + done.err, done
    assert "INTERNALERROR" not in done.out + done.err, done
    return done


def cases_of(file: Path) -> dict[str, ElementTree.Element]:
    """The test cases of a JUnit file by name."""
    return {str(case.get("name")): case for case in ElementTree.parse(file).getroot().iter("testcase")}


def logs(box: Box) -> list[str]:
    """The runs that row3 made in the project."""
    folder = box.root / ".row3" / "runs"
    return sorted(os.listdir(folder)) if folder.is_dir() else []
