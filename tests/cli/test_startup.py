"""What a start costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects import Box, clean_env

HEAVY = ("httpx2", "matplotlib", "git", "numpy", "genai_prices")
SHOW = f"; import sys; print(sorted({{n.partition('.')[0] for n in sys.modules}} & set({(*HEAVY, 'pydantic')!r})))"


def loaded(code: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code + SHOW], cwd=cwd, env=clean_env(cwd), capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "code",
    [
        "import row3",
        "from row3.cli.app import main; main(['--help'], standalone_mode=False)",
        "from row3.cli.app import main; main(['--version'], standalone_mode=False)",
        "from row3.cli.app import main; main(['promote', '--help'], standalone_mode=False)",
    ],
)
def test_help_and_import_load_nothing_heavy(code: str, tmp_path: Path) -> None:
    assert loaded(code, tmp_path) == "[]"


def test_a_replayed_comparison_loads_neither_http_nor_charts(box: Box) -> None:
    code = "import os; from row3.cli.app import main; main(['--compare'], standalone_mode=False)"
    assert not {"httpx2", "matplotlib", "numpy", "genai_prices"} & set(eval(loaded(code, box.root)))


def test_the_module_and_the_function_are_the_same_program(tmp_path: Path) -> None:
    env = clean_env(tmp_path)
    for command in ([sys.executable, "-m", "row3"], [str(Path(sys.executable).with_name("row3"))]):
        done = subprocess.run(
            [*command, "--version"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("row3 0.")
