"""Options that do nothing for a command are refused, wherever they stand, and help shows those that do something."""

from __future__ import annotations

import re

import click
import pytest

from row3.cli.app import COMMANDS, Commands, main
from row3.cli.common import Common
from row3.cli.takes import ALWAYS, LONGER, TAKES, spelled
from row3.domain.given import LIVE, REPEATED, REQUEST
from tests.projects import Box

VALUES = {
    "suite": "bread",
    "prompt": "extract-v1.0",
    "case": "r*",
    "mode": "live",
    "model": "baker-1",
    "temperature": "0",
    "seed": "0",
    "max_tokens": "9",
    "repeats": "2",
    "format": "json",
    "out": "out.txt",
    "approve": "why",
    "policy": "fixed",
    "inconclusive": "block",
    "fail": "overall:5",
}
ARGUMENTS = {
    "row3 promote": ["v1.1"],
    "row3 hook run": ["pre-commit"],
    "row3 new-version": ["extract"],
    "row3 score": ["bread", "--outputs", "none.jsonl"],
    "row3 diff": ["v1.0", "v1.1"],
    "row3 investigate": ["rye"],
    "row3 flaky quarantine": ["rye", "--until", "2030-01-01", "--reason", "x"],
    "row3 flaky release": ["rye"],
    "row3 recordings import": ["none.jsonl"],
}


OWN_OPTIONS = LIVE | {"C"}
"""Options of printed commands that are not shared."""


@pytest.mark.parametrize("command", REPEATED)
def test_a_printed_command_takes_what_it_is_given_again(command: str) -> None:
    shared = {spelled(name).lstrip("-") for name in TAKES[command.partition(" --")[0]].all}
    assert REPEATED[command] - OWN_OPTIONS <= shared
    left = {"prompt"} if command == "row3 --baseline" else set()  # it runs the promoted versions
    assert (REQUEST & shared) - REPEATED[command] == left


@pytest.mark.parametrize("group", ["hook", "aliases", "recordings"])
def test_a_group_alone_shows_its_help(tiny_promoted: Box, group: str) -> None:
    done = tiny_promoted.row3(group, code=2)
    assert (done.errors, done.out) == ([], "")
    assert done.err == tiny_promoted.row3(group, "--help", code=0).out


def leaves() -> list[str]:
    """The words that call each command."""
    assert isinstance(main, Commands)
    found, context = ["row3"], click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        inner = [f"row3 {name} {each}" for each in command.commands] if isinstance(command, click.Group) else []
        found += inner if name != "flaky" else ["row3 flaky", *inner]
        found += [] if inner else [f"row3 {name}"]
    return found


def idle() -> list[tuple[str, str]]:
    return [
        (command, name)
        for command, takes in TAKES.items()
        for name in VALUES
        if name not in takes.all | takes.told | LONGER
    ]


def test_every_command_says_what_it_takes() -> None:
    assert sorted(TAKES) == sorted(leaves())
    assert {*VALUES, *ALWAYS, *LONGER, "jobs"} == set(Common.__slots__)


@pytest.mark.parametrize(
    "command", ["lint", "history", "trend", "recordings list", "recordings verify", "schema", "cases"]
)
def test_what_a_command_does_anyway_may_be_said(tiny_promoted: Box, command: str) -> None:
    said = ["--mode", "replay", "--repeats", "1", "--jobs", "2"]
    done = tiny_promoted.row3(*said, *command.split())
    assert "does nothing" not in done.err
    assert "do nothing" not in done.err
    assert done.code == tiny_promoted.row3(*command.split()).code


@pytest.mark.parametrize(("command", "name"), idle(), ids=lambda value: value.replace(" ", "-"))
def test_an_option_that_does_nothing_is_refused(tiny_promoted: Box, command: str, name: str) -> None:
    words = command.split()[1:]
    given, flag = [spelled(name), VALUES[name]], spelled(name)
    for args in ([*words, *ARGUMENTS.get(command, []), *given], [*given, *words, *ARGUMENTS.get(command, [])]):
        (error,) = tiny_promoted.row3(*args, code=2).errors
        assert error.startswith(f"error: {command}: {flag} does nothing here. Leave it out. ")
        assert "goes with " in error or "is its argument" in error
        assert (
            f"`{command.removeprefix('row3 ')}`"
            not in error.partition("goes with ")[2].partition("all commands but")[0]
        )


def test_several_are_told_in_one_message(tiny_promoted: Box) -> None:
    (error,) = tiny_promoted.row3("--approve", "x", "history", "--model", "y", code=2).errors
    assert error == (
        "error: row3 history: --model and --approve do nothing here. Leave them out. --model goes with `row3`, "
        "`promote`, `diff`, `investigate`, `power`, `flaky`, `recordings import`, `report` and `comment`. --approve "
        "goes with `row3` and `promote`."
    )


def test_what_a_command_takes_is_taken_before_its_name_too(box: Box) -> None:
    after = box.row3("cases", "--case", "rye", "--format", "json", code=0).json
    assert box.row3("--case", "rye", "--format", "json", "cases", code=0).json == after
    box.row3("-v", "-q", "--no-color", "-C", ".", "recordings", "list", code=0)


def test_a_form_that_a_command_has_not_is_refused_before_anything_is_done(box: Box) -> None:
    for args in (["flaky", "--format", "junit"], ["--format", "html", "flaky"], ["--format", "github", "power"]):
        (error,) = box.row3(*args, code=2).errors
        assert error.endswith(": this command has no such form. Use table or json.")
    assert "'table', 'json'" in box.row3("flaky", "--format", "yaml", code=2).err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--against", "main", "report"], "write it after: row3 report … --against"),
        (["--all", "recordings", "drift"], "write it after: row3 recordings … --all"),
        (["--compare", "history"], "--compare does not go with `history`; it goes with `row3` without a command"),
        (["--policy", "paired"], "--policy is about what the gate says: it goes with --compare"),
        (["--baseline", "--fail", "overall:5"], "--fail is about what the gate says"),
        (["--compare", "--dry-run", "--against", "main"], "--dry-run judges nothing"),
        (["--compare", "--dry-run", "--approve", "x"], "--dry-run judges nothing"),
        (["leaderboard", "--dry-run", "--chart"], "--dry-run ranks nothing"),
        (["leaderboard", "--max-cost", "1"], "without --mode live nothing is; add --mode live"),
        (["--compare", "--mode", "replay", "--max-cost", "1"], "--max-cost is about asking a provider"),
        (["--compare", "--mode", "replay", "--no-interleave"], "--no-interleave is about asking a provider"),
    ],
)
def test_options_of_row3_alone_and_those_that_contradict(tiny_promoted: Box, args: list[str], says: str) -> None:
    (error,) = tiny_promoted.row3(*args, code=2).errors
    assert says in error


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--compare", "--approve", "--format", "json"], "--approve: `--format` begins like an option, so the REASON"),
        (["promote", "v1.1", "--approve", "--commit"], "--approve: `--commit` begins like an option"),
        (["--out", "--compare"], "--out: `--compare` begins like an option, so the FILE"),
        (["--model", ""], "--model: the value is empty. Write --model NAME, or leave --model out"),
        (["--prompt", " "], "--prompt: the value is empty"),
        (["--compare", "--model", "MODEL"], "--model: `MODEL` stands for the name of a model. Write the model's own"),
        (["flaky", "quarantine", "rye", "--until", "2030-01-01", "--reason", "- wavers"], None),
        (["flaky", "quarantine", "rye", "--until", "2030-01-01", "--reason", "--out"], "--reason: `--out` begins"),
    ],
)
def test_an_option_is_not_taken_for_the_value_before_it(box: Box, args: list[str], says: str | None) -> None:
    before = box.tree()
    done = box.row3(*args, code=2)
    assert (says or "--until") in done.errors[0]
    assert box.tree() == before


TWICE = [
    ["--compare", "--against", "main"],
    ["comment", "--against", "main"],
    ["report", "--against", "main"],
    ["recordings", "verify", "--against", "main"],
    ["flaky", "quarantine", "rye", "--until", "2030-01-01", "--reason", "The model wavers"],
    *(["--compare", spelled(name), value] for name, value in VALUES.items() if name != "prompt"),
]


@pytest.mark.parametrize("args", TWICE, ids=" ".join)
def test_of_two_values_none_silently_wins(tiny_promoted: Box, args: list[str]) -> None:
    before = tiny_promoted.tree()
    (error,) = tiny_promoted.row3(*args, *args[-2:], code=2).errors
    assert error.startswith(f"error: {args[-2]} is given 2 times: `{args[-1]}")
    assert error.endswith("; leave out all but one")
    assert tiny_promoted.tree() == before


def test_what_stands_after_the_name_goes_before_what_stands_before_it(box: Box) -> None:
    after = box.row3("--case", "oats", "cases", "--case", "rye", "--format", "json", code=0).json
    assert after == box.row3("cases", "--case", "rye", "--format", "json", code=0).json


@pytest.mark.parametrize("command", leaves())
def test_help_shows_what_is_taken_and_clips_nothing(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([*command.split()[1:], "--help"], standalone_mode=False, terminal_width=80)
    text = capsys.readouterr().out
    shown = set(re.findall(r"(?m)^ +(?:-\w, )?(-C|--[a-z-]+)", text.partition("Options:")[2]))
    shared = {spelled(name) for name in Common.__slots__}
    assert shown & shared - {"--prompts"} == {spelled(name) for name in TAKES[command].all}
    for meant in ("[ARGUMENTS]...", "[ARGS]...", "REF..."):
        text = text.replace(meant, "")
    assert "..." not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "RANGE" not in text
    assert "INTEGER" not in text


@pytest.mark.parametrize("group", ["hook", "recordings", "aliases", "flaky"])
def test_groups_list_their_commands_whole(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([group, "--help"], standalone_mode=False, terminal_width=80)
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]
