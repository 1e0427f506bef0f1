"""Commands that row3 prints can be typed as they stand: they are about the suite that the output is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.projects import SUITE, Box, tiny, worse

OF_A_SUITE = (
    r"row3 (?:-v|--(?:compare|baseline|mode|repeats|case)|promote|investigate|trend|flaky|power|history|drift|"
    r"recordings (?:prune|verify|list)|aliases review)\b[^`,.;]*"
)
"""A command that takes the default suite where none is named, up to the end of its clause."""
DAY = "2999-01-01"


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The small suite beside another one that is the default; it has a baseline, and v1.2 is worse."""
    box = tiny(tmp_path_factory.mktemp("beside") / "project")
    worse(box)
    box.replace("row3.toml", f'suite = "{SUITE}"', 'suite = "rolls"')
    box.write("golden/rolls/rye.gold.json", box.read(f"golden/{SUITE}/rye.gold.json"))
    box.init()
    box.row3("promote", "v1.0", "--suite", SUITE, code=0)
    box.commit("v1.0")
    return box


@pytest.fixture
def box(beside: Box, tmp_path: Path) -> Box:
    """A copy."""
    return beside.copy(tmp_path / "project")


def told(box: Box, *args: str) -> list[str]:
    """The commands that a command prints, on both streams."""
    done = box.row3(*args, "--suite", SUITE)
    return re.findall(OF_A_SUITE, " ".join(f"{done.out}\n{done.err}".split()))


@pytest.mark.parametrize(
    "args",
    [
        ["--compare"],
        ["--compare", "--prompt", "extract-v1.1"],
        ["--compare", "--case", "rye"],
        ["--compare", "--approve", "wanted"],
        ["--compare", "--model", "stranger"],
        ["--compare", "--format", "markdown"],
        [],
        ["promote", "v1.2"],
        ["promote", "v1.0"],
        ["investigate", "oven"],
        ["flaky"],
        ["flaky", "quarantine", "nobody", "--until", DAY, "--reason", "wavers"],
        ["power"],
        ["cases"],
    ],
)
def test_a_printed_command_names_the_suite(box: Box, args: list[str]) -> None:
    commands = told(box, *args)
    assert [command for command in commands if f"--suite {SUITE}" not in command] == []


@pytest.mark.parametrize("prompt", ["extract-v1.1", "extract-v1.2"])
def test_the_next_step_does_what_it_says(box: Box, prompt: str) -> None:
    done = box.row3("--compare", "--suite", SUITE, "--prompt", prompt)
    step = re.search(r"Next: row3 ([^\n]+)", done.out)
    assert step is not None, done
    again = box.row3(*step[1].split())
    assert again.code == 0, again
    assert prompt.replace("-v", " v") in again.out


@pytest.mark.parametrize("args", [["--compare"], ["power"], ["flaky"]])
def test_the_default_suite_needs_no_name(box: Box, args: list[str]) -> None:
    box.replace("row3.toml", 'suite = "rolls"', f'suite = "{SUITE}"')
    commands = told(box, *args)
    assert commands
    assert not any("--suite" in command for command in commands)


def test_without_a_baseline_or_an_answer(box: Box) -> None:
    box.path(f"baselines/{SUITE}.json").unlink()
    assert f"`row3 --baseline --suite {SUITE}`" in " ".join(box.row3("--compare", "--suite", SUITE, code=2).err.split())
    for path in box.path(f"recordings/{SUITE}").glob("*.jsonl"):
        path.unlink()
    box.path("metrics-history.json").unlink()
    for args in (["flaky"], ["power"], ["trend"], ["history"], ["aliases", "review", "--list"]):
        commands = told(box, *args)
        assert commands, args
        assert [command for command in commands if f"--suite {SUITE}" not in command] == [], args


def test_a_name_that_a_shell_would_take_apart(box: Box) -> None:
    box.path(f"golden/{SUITE}").rename(box.path("golden/fine bread"))
    done = box.row3("--compare", "--suite", "fine bread", code=2)
    assert "`row3 --baseline --suite 'fine bread'`" in " ".join(done.err.split())
