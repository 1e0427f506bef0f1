"""What a start costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects import Box, clean_env
from tests.rows import every_row

HEAVY = ("httpx2", "matplotlib", "git", "numpy", "genai_prices", "openai")
SHOW = f"; import sys; print(sorted({{n.partition('.')[0] for n in sys.modules}} & set({(*HEAVY, 'pydantic')!r})))"


def loaded(code: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code + SHOW], cwd=cwd, env=clean_env(cwd), capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


@every_row(
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


@pytest.mark.parametrize("args", [[], ["--baseline"], ["--compare"], ["--compare", "--format", "github"], ["lint"]])
def test_a_replay_loads_neither_http_nor_charts_nor_gitpython(args: list[str], box: Box) -> None:
    """Also one that passes, unless a golden case, a rule or a prompt of the base was edited."""
    box.path(".row3").mkdir(exist_ok=True)  # then git is asked whether it tracks the folder
    code = f"from row3.cli.app import main; main({args!r}, standalone_mode=False)"
    assert not set(HEAVY) & set(eval(loaded(code, box.root)))


def test_a_commit_is_read_by_gitpython(box: Box) -> None:
    code = "from row3.cli.app import main; main(['--compare', '--against', 'HEAD'], standalone_mode=False)"
    assert set(eval(loaded(code, box.root))) & set(HEAVY) == {"git"}


@pytest.mark.parametrize("arguments", [["--compare"], ["--mode", "auto"], ["--dry-run", "--mode", "record"]])
def test_a_run_that_asks_nothing_loads_neither_client_nor_charts(box: Box, arguments: list[str]) -> None:
    code = f"from row3.cli.app import main; main({arguments}, standalone_mode=False)"
    assert not {"openai", "matplotlib", "numpy"} & set(eval(loaded(code, box.root)))


def test_the_module_and_the_function_are_the_same_program(tmp_path: Path) -> None:
    env = clean_env(tmp_path)
    for command in ([sys.executable, "-m", "row3"], [str(Path(sys.executable).with_name("row3"))]):
        done = subprocess.run(
            [*command, "--version"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("row3 0.")


# What a run imports anew: all modules, those of row3, and the patterns that are compiled by then. The counts leave a
# little room, for versions of Python and of packages.
COUNTS = {
    "--help": (185, 27, 42),
    "--version": (210, 21, 58),
    "history": (480, 136, 190),
    "lint": (550, 180, 340),
    "--compare": (670, 207, 245),
    "hook run": (270, 38, 95),
}
NEVER = {"matplotlib", "openai", "numpy", "httpx2"}
# pydantic itself imports email and zipfile, to look for plug-ins; filelock imports asyncio, where a command writes.
FORBIDDEN = {
    "--help": {"asyncio", "email", "pydantic", "rapidfuzz"},
    "--version": {"asyncio", "pydantic", "rapidfuzz"},
    "history": {"asyncio", "filelock", "git", "jinja2"},
    "lint": {"asyncio", "filelock", "git", "tabulate"},
    "--compare": {"git"},
    "hook run": {"asyncio", "filelock", "jinja2", "tabulate"},
}
COUNTED = """
import re._compiler, sys
compiled, compile_ = [], re._compiler.compile
re._compiler.compile = lambda *args, **kwargs: compiled.append(args) or compile_(*args, **kwargs)
from row3.cli.app import main
main({args!r}, standalone_mode=False)
names = list(sys.modules)
packages = sorted({{name.partition(".")[0] for name in names}})
print([len(names), sum(name.startswith("row3.") for name in names), len(compiled), packages])
"""


@pytest.mark.parametrize("command", COUNTS)
def test_a_command_imports_and_compiles_only_what_it_needs(command: str, box: Box) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED.format(args=command.split())],
        cwd=box.root, env=clean_env(box.root), capture_output=True, text=True, check=True,
    )  # fmt: skip
    *counts, packages = eval(done.stdout.splitlines()[-1])
    assert all(count <= most for count, most in zip(counts, COUNTS[command], strict=True)), counts
    assert not (NEVER | FORBIDDEN[command]) & set(packages)


def test_the_end_of_a_command_searches_no_module_for_cycles(tmp_path: Path) -> None:
    """The program leaves what it imported to the interpreter's end, which would traverse all of it."""
    code = "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count(), len(gc.get_objects())))\n"
    code += "sys.argv = ['row3', '--version']\nfrom row3.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=clean_env(tmp_path), capture_output=True, text=True, check=True
    )
    frozen, left = map(int, done.stdout.split()[-2:])
    assert frozen > 10_000 > 1_000 > left
