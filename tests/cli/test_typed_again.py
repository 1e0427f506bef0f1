"""Commands that row3 prints can be typed as they stand: they are about the suite that the output is about."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from tests.projects import CASES, SUITE, Box, Done, copy_of, first, flawless, tiny, worse

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


box = copy_of("beside")


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


ASIDE = [
    (["--model", "other one"], " --model 'other one'"),
    (["--max-tokens", "400", "--temperature", "0.5", "--seed", "0"], " --temperature 0.5 --seed 0 --max-tokens 400"),
]


def steps(done: Done) -> list[str]:
    """The commands that a comparison ends with, a line each, as they are to be typed."""
    told = re.split(r" (?:Next|Then): ", " ".join(done.out.split()))[1:]
    return [text[text.index("row3 ") :] for text in told]


def typed(box: Box, command: str) -> Done:
    """What is printed, given to a shell's rules."""
    return box.row3(*shlex.split(re.split(r" (?:again\b|asks\b)|; ", command)[0])[1:])


def recorded_by(box: Box, *args: str) -> None:
    """Answers under other parameters: worse ones, of every case, to v1.1."""
    few = [first(flawless(case), 1) for case in CASES.values()]
    lines = [
        {"caseId": case_id, "prompt": "extract-v1.1", "response": json.dumps(answer)}
        for case_id, answer in zip(CASES, few, strict=True)
    ]
    box.write("answers.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    named = ["--suite", SUITE, "--prompt", "extract-v1.1"]
    box.row3("recordings", "import", "answers.jsonl", *named, *args, code=0)


@pytest.mark.parametrize(("args", "again"), ASIDE)
def test_the_steps_look_at_the_answers_that_were_compared(box: Box, args: list[str], again: str) -> None:
    recorded_by(box, *args)
    done = box.row3("--compare", "--suite", SUITE, "--prompt", "extract-v1.1", *args, code=1)
    confirm, look, compare = steps(done)
    flags = f" --suite {SUITE} --prompt extract-v1.1{again}"
    assert confirm.startswith(f"row3 --compare --mode auto --confirm 4{flags} asks"), done
    assert look.startswith(f"row3 investigate{flags} "), done
    assert compare.startswith(f"row3 --compare{flags} again"), done
    assert "missed" in typed(box, look).out.lower()
    assert typed(box, compare).out == done.out


def test_the_steps_name_the_version_that_was_compared(box: Box) -> None:
    done = box.row3("--compare", "--suite", SUITE, "--prompt", "extract-v1.1", code=0)
    assert steps(done) == [f"row3 promote --suite {SUITE} extract-v1.1"]
    done = box.row3("--compare", "--suite", SUITE, "--prompt", "extract-v1.1", "--fail", "overall:2", code=0)
    assert steps(done) == [f"row3 promote --suite {SUITE} --fail overall:2 extract-v1.1"]


def test_an_incomplete_run_names_what_has_to_be_asked(box: Box) -> None:
    done = box.row3("--compare", "--suite", SUITE, "--prompt", "extract-v1.1", "--model", "stranger", code=3)
    (step,) = steps(done)
    assert step.startswith(f"row3 --compare --suite {SUITE} --prompt extract-v1.1 --model stranger --mode auto asks")


def test_no_baseline(box: Box) -> None:
    box.path(f"baselines/{SUITE}.json").unlink()
    done = box.row3("--compare", "--suite", SUITE, "--prompt", "extract-v1.1", "--seed", "3", code=2)
    assert f"`row3 --baseline --suite {SUITE} --seed 3`" in done.err


def test_an_investigation_goes_on_with_the_same_answers(box: Box) -> None:
    done = box.row3("investigate", "oven", "--suite", SUITE, "--prompt", "extract-v1.0", code=0)
    again = f"--compare --suite {SUITE} --prompt extract-v1.0 --mode auto`"
    assert f"`row3 {again}" in done.out and f"`row3 --case oven {again}" in done.out


def test_from_another_folder(box: Box) -> None:
    inside = Box(box.path("golden"), box.env)
    done = inside.row3("-C", "..", "--compare", "--suite", SUITE, code=1)
    *_, look, compare = steps(done)
    assert look.startswith(f"row3 investigate --suite {SUITE} -C .. ")
    assert typed(inside, compare).out == done.out


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
