"""Prints `docs/commands.md` from the command tree: `python docs/_commands.py > docs/commands.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from row3.cli.app import main
from row3.cli.common import Common

WIDTH = 100
SHARED = frozenset(Common.__slots__)
INTRO = """\
# Commands

Made by `python docs/_commands.py`; `row3 COMMAND --help` says more. Results go to stdout, everything else to stderr.

| command | does | its own options |
|:--|:--|:--|
"""
SHARED_INTRO = """\

## Options of `row3` alone
"""
SHARED_MORE = """\

## Shared options

Give them before or after the command's name; `--prompt`, `--case` and `--tag` may be repeated. A case is chosen if its
id fits one `--case` and it has one `--tag`. A command refuses options it does not take (exit code 2).

`--out` replaces an earlier result of the same form and empty files. It refuses any other existing file, and a name
whose ending belongs to another form.
"""


def page() -> str:
    """Return the whole page."""
    rows = [_row(name, command) for name, command in commands() if name != "row3" and _runs(command)]
    own, shared = (_options(main, shared=shared) for shared in (False, True))
    return INTRO + "".join(rows) + SHARED_INTRO + own + SHARED_MORE + shared


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with the words that call it, in the order of the help."""
    yield "row3", main
    yield from _below("row3", main)


def own_options(command: click.Command) -> list[click.Option]:
    """Return the options of a command that are not shared, or whose help differs from the shared one."""
    usual = {each.name: each.help for each in main.params if isinstance(each, click.Option)}
    return [
        each
        for each in command.params
        if isinstance(each, click.Option)
        and not each.hidden
        and (each.name not in SHARED or each.help != usual[each.name])
    ]


def _below(name: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        yield f"{name} {each}", command
        if isinstance(command, click.Group):
            yield from _below(f"{name} {each}", command)


def _runs(command: click.Command) -> bool:
    """Return whether a command does something by itself; a group such as `row3 hook` does not."""
    return not isinstance(command, click.Group) or command.invoke_without_command


def _row(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    arguments = [each.make_metavar(context) for each in command.params if isinstance(each, click.Argument)]
    words = f"`{' '.join([name, *arguments])}`".replace("|", "\\|")
    options = ", ".join(f"`{_spelling(each)}`" for each in own_options(command))
    does = command.get_short_help_str(limit=WIDTH * 2)
    return f"| {words} | {does} | {options} |\n"


def _spelling(option: click.Option) -> str:
    return ", ".join([*option.opts, *option.secondary_opts])


def _options(command: click.Command, *, shared: bool) -> str:
    context = click.Context(command, terminal_width=WIDTH, max_content_width=WIDTH)
    chosen = [each for each in command.params if each.name in SHARED] if shared else own_options(command)
    rows = [row for each in chosen if (row := each.get_help_record(context)) is not None]
    formatter = context.make_formatter()
    formatter.write_dl(rows)
    lines = [line.rstrip() for line in formatter.getvalue().strip("\n").split("\n")]
    return "\n```\n" + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(page())
