"""A command takes the options it lists, before and after its name, and refuses all others."""

from __future__ import annotations

import click
import pytest

from row3.cli.app import COMMANDS, main
from row3.cli.common import Common
from tests.projects import Box
from tests.rows import every_row

VALUES = {
    "suite": "bread", "case": "r*", "mode": "live", "model": "baker-1", "temperature": "0", "seed": "0",
    "max_tokens": "9", "repeats": "2", "format": "json", "out": "out.txt", "approve": "why", "policy": "fixed",
    "inconclusive": "block", "fail": "overall:5",
}  # fmt: skip


def leaves() -> dict[str, click.Command]:
    """The commands by the words that call them."""
    found: dict[str, click.Command] = {"": main}
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {each}": inner for each, inner in command.commands.items()}
    return found


def test_the_help_describes_six_commands_and_names_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"], standalone_mode=False, terminal_width=80)
    described, others = capsys.readouterr().out.split("\nCommands:\n")[1].split("\nMore commands:\n")
    names = [line.split()[0] for line in described.splitlines() if line[:3].strip()]
    assert names == ["init", "lint", "new-version", "investigate", "promote", "hook"]
    assert [*names, *others.replace(",", "").split()] == list(COMMANDS)


@every_row("words", leaves())
def test_help_clips_nothing_and_every_shared_option_has_one_type(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*words.split(), "--help"], standalone_mode=False, terminal_width=80)
    text = capsys.readouterr().out
    several = "[ARGUMENTS] [ARGS] [QUERY] [ID] [CASE] REF VERSION RUN"
    for meant in (f"{name}..." for name in several.split()):
        text = text.replace(meant, "")
    assert "..." not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "RANGE" not in text
    assert "INTEGER" not in text
    command = leaves()[words]
    names = [each.name for each in command.params]
    assert len(names) == len(set(names))
    usual = {each.name: each for each in main.params}
    for each in command.params:
        if each.name in Common.__slots__ and each.name != "format":
            assert type(each.type) is type(usual[each.name].type)


@pytest.mark.parametrize("group", ["hook", "aliases", "recordings"])
def test_a_group_alone_shows_its_help(tiny_promoted: Box, group: str) -> None:
    done = tiny_promoted.row3(group, code=2)
    assert (done.errors, done.out) == ([], "")
    assert done.err == tiny_promoted.row3(group, "--help", code=0).out


@every_row(
    ("args", "says"),
    [
        (["history", "--model", "y"], "`row3 history` has no option `--model`. See `row3 history --help`."),
        (["--model", "y", "history"], "`row3 history` has no option `--model`. See `row3 history --help`."),
        (["--compare", "history"], "`row3 history` has no option `--compare`. Did you mean `--action compare`?"),
        (
            ["--approve", "x", "recordings", "list"],
            "`row3 recordings list` has no option `--approve`. See `row3 recordings list --help`.",
        ),
        (["diff", "v1.0", "v1.1", "--modle", "x"], "Did you mean `--model`?"),
        (["histroy"], "there is no command `histroy`. Did you mean `history`?"),
        (["compare"], "there is no command `compare`. Did you mean `--compare`?"),
        (["recordings", "lst"], "there is no command `lst`. Did you mean `list`?"),
        (["flaky", "relase", "x"], "there is no command `relase`. Did you mean `release`?"),
        (["flaky", "--format", "junit"], "'junit' is not one of 'table', 'json'"),
    ],
)
def test_what_a_command_does_not_know_is_refused(tiny_promoted: Box, args: list[str], says: str) -> None:
    (error,) = tiny_promoted.row3(*args, code=2).errors
    assert says in error


def test_what_a_command_takes_is_taken_before_its_name_too(box: Box) -> None:
    after = box.row3("cases", "--case", "rye", "--format", "json", code=0).json
    assert box.row3("--case", "rye", "--format", "json", "cases", code=0).json == after
    box.row3("-v", "-q", "--no-color", "-C", ".", "recordings", "list", code=0)
    listed = box.row3("recordings", "list", "--suite", "bread", "--format", "json", code=0).json
    assert box.row3("--suite", "bread", "recordings", "list", "--format", "json", code=0).json == listed
    (error,) = box.row3("--suite", "none", "flaky", "release", "rye", code=2).errors
    assert "suite `none` does not exist" in error


@every_row(
    ("args", "says"),
    [
        (["--policy", "paired"], "--policy needs --compare"),
        (["--baseline", "--fail", "overall:5"], "--fail needs --compare"),
        (["--compare", "--dry-run", "--against", "main"], "--dry-run gives no verdict"),
        (["--compare", "--dry-run", "--approve", "x"], "--dry-run gives no verdict"),
        (["leaderboard", "--max-cost", "1"], "--max-cost limits live requests; add --mode live"),
        (["--compare", "--mode", "replay", "--max-cost", "1"], "--max-cost has no effect in --mode replay"),
        (["--compare", "--mode", "replay", "--no-interleave"], "--no-interleave has no effect in --mode replay"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tiny_promoted: Box, args: list[str], says: str) -> None:
    (error,) = tiny_promoted.row3(*args, code=2).errors
    assert says in error


@every_row(
    ("args", "says"),
    [
        (["--compare", "--approve", "--format", "json"], "--approve: `--format` looks like an option, so REASON"),
        (["promote", "v1.1", "--approve", "--commit"], "--approve: `--commit` looks like an option"),
        (["--out", "--compare"], "--out: `--compare` looks like an option, so FILE"),
        (["--model", ""], "--model: the value is empty. Write --model NAME, or leave --model out"),
        (["--prompt", " "], "--prompt: the value is empty"),
        (["--compare", "--model", "MODEL"], "--model: `MODEL` is a placeholder. Write the name"),
        (["flaky", "quarantine", "rye", "--until", "2030-01-01", "--reason", "- wavers"], "--until"),
        (["flaky", "quarantine", "rye", "--until", "2030-01-01", "--reason", "--out"], "--reason: `--out` looks like"),
    ],
)
def test_an_option_is_not_taken_for_the_value_before_it(box: Box, args: list[str], says: str) -> None:
    before = box.tree()
    assert says in box.row3(*args, code=2).errors[0]
    assert box.tree() == before


TWICE = [
    ["comment", "--against", "main"],
    ["recordings", "verify", "--against", "main"],
    ["flaky", "quarantine", "rye", "--until", "2030-01-01", "--reason", "The model wavers"],
    *(["--compare", f"--{name.replace('_', '-')}", value] for name, value in VALUES.items() if name != "case"),
]


@every_row("args", TWICE)
def test_of_two_values_none_silently_wins(tiny_promoted: Box, args: list[str]) -> None:
    before = tiny_promoted.tree()
    (error,) = tiny_promoted.row3(*args, *args[-2:], code=2).errors
    assert error.startswith(f"error: {args[-2]} is given 2 times: `{args[-1]}")
    assert error.endswith("; leave out all but one")
    assert tiny_promoted.tree() == before


def test_an_option_before_and_after_the_name_is_given_twice(tiny_promoted: Box) -> None:
    (error,) = tiny_promoted.row3("--suite", "oats", "cases", "--suite", "rye", code=2).errors
    assert error == "error: --suite is given 2 times: `oats`, `rye`; leave out all but one"


def test_of_what_may_be_repeated_both_count(tiny_promoted: Box) -> None:
    done = tiny_promoted.row3("--case", "oven", "cases", "--case", "rye", "--format", "json", code=0)
    assert {case["id"] for case in done.json["cases"]} == {"oven", "rye"}


def test_a_word_means_the_same_in_every_command() -> None:
    values: dict[str, set[object]] = {}
    repeated: dict[str, set[bool]] = {}
    for command in leaves().values():
        for option in command.params:
            if isinstance(option, click.Option):
                value = "flag" if option.is_flag or option.count else option.metavar or type(option.type)
                values.setdefault(option.opts[0], set()).add(value)
                repeated.setdefault(option.opts[0], set()).add(getattr(option, "collects", False))
    several = {name: found for name, found in values.items() if len(found) > 1}
    assert several == {"--out": {"FILE", "FOLDER"}, "--until": {"TIME", "YYYY-MM-DD"}}
    # A run has one model; a leaderboard ranks several.
    assert {name for name, found in repeated.items() if len(found) > 1} == {"--model"}
    assert all(repeated[name] == {True} for name in ("--case", "--tag", "--prompt"))


@every_row(
    ("args", "meant"),
    [
        (("leaderboard", "--models", "x"), "--model"),
        (("score", "--suite", "bread"), "row3 score SUITE"),
        (("investigate", "--case", "rye"), "row3 investigate CASE"),
        (("lint", "--json"), "--format json"),
        (("--live",), "--mode live"),
    ],
)
def test_an_unknown_option_names_the_one_that_was_meant(box: Box, args: tuple[str, ...], meant: str) -> None:
    (error,) = box.row3(*args, code=2).errors
    assert f"Did you mean `{meant}`?" in error
