"""Prints `docs/commands.md` from the command tree: `python docs/_commands.py > docs/commands.md`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator

import click

from row3.cli.app import main
from row3.cli.common import Common

WIDTH = 120
SHARED = frozenset(Common.__slots__)
INTRO = """\
# Commands

Each command with its own options; `row3 COMMAND --help` says more. Results go to stdout, everything else to stderr.

"""
SHARED_OPTIONS = """\

## Shared options

`row3 --help` explains {options}.

Give them before or after the command's name; `--prompt`, `--case` and `--tag` may be repeated. A case is chosen if its
id matches one `--case` and it has one `--tag`. A command refuses options it does not take (exit code 2).

`--out` replaces an earlier result of the same format and empty files. It refuses any other existing file, and a name
whose ending belongs to another format.
"""


def page() -> str:
    """Return the whole page."""
    items = [_item(name, command) for name, command in commands() if _runs(command)]
    shared = (each for each in main.params if isinstance(each, click.Option) and each.name in SHARED)
    return INTRO + "".join(items) + fill(SHARED_OPTIONS.format(options=_spelled(shared)))


def fill(text: str) -> str:
    """Wrap the lines of a text that are too long."""
    lines = (textwrap.fill(line, WIDTH, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join(lines)


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


def _item(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    arguments = [each.make_metavar(context) for each in command.params if isinstance(each, click.Argument)]
    text = f"- `{' '.join([name, *arguments])}`: {command.get_short_help_str(limit=200)}"
    if options := _spelled(own_options(command)):
        text += f" {options}."
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False) + "\n"


def _spelled(several: Iterable[click.Option]) -> str:
    return ", ".join(f"`{_spelling(each)}`" for each in several)


def _spelling(option: click.Option) -> str:
    return ", ".join([*option.opts, *option.secondary_opts])


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(page())
