"""Prints `docs/commands.md` from the command tree: `python docs/_commands.py > docs/commands.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from row3.cli.app import main
from row3.cli.common import Common

WIDTH = 80
SHARED = frozenset(Common.__slots__)
INTRO = """\
# Commands

Made from `row3 COMMAND --help` by `python docs/_commands.py`. The result goes to stdout, everything else to stderr.
"""
SHARED_INTRO = """\
## Shared options

Give them before or after the command's name, once; `--prompt`, `--case` and `--tag` may be repeated. A case is chosen
if its id fits one `--case` and it has one `--tag`. `row3 COMMAND --help` shows those a command takes; it refuses the
others (exit code 2). `-C`, `-q`, `-v` and `--no-color` go with every command.

`--out` replaces an earlier result of the same form and empty files. It refuses any other existing file, and a name
whose ending belongs to another form.
"""


def page() -> str:
    """The whole page."""
    parts = [INTRO, _section("row3", main), SHARED_INTRO + "\n" + _block(_options("row3", main, shared=True))]
    parts += [_section(name, command) for name, command in commands() if name != "row3"]
    return "\n".join(parts)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it, in the order of the help."""
    yield "row3", main
    yield from _below("row3", main)


def own_options(command: click.Command) -> list[click.Parameter]:
    """The options of a command that are not shared, or that say something else there."""
    usual = {each.name: each.help for each in main.params if isinstance(each, click.Option)}
    return [
        each
        for each in command.params
        if isinstance(each, click.Option) and (each.name not in SHARED or each.help != usual[each.name])
    ]


def _below(name: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        yield f"{name} {each}", command
        if isinstance(command, click.Group):
            yield from _below(f"{name} {each}", command)


def _section(name: str, command: click.Command) -> str:
    return f"## `{name}`\n\n{_block(_head(name, command) + _options(name, command, shared=False))}"


def _context(name: str, command: click.Command) -> click.Context:
    return click.Context(command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)


def _head(name: str, command: click.Command) -> str:
    context = _context(name, command)
    formatter = context.make_formatter()
    command.format_usage(context, formatter)
    command.format_help_text(context, formatter)
    return formatter.getvalue()


def _options(name: str, command: click.Command, *, shared: bool) -> str:
    context = _context(name, command)
    chosen = [each for each in command.params if each.name in SHARED] if shared else own_options(command)
    rows = [row for each in chosen if (row := each.get_help_record(context)) is not None]
    if not rows:
        return ""
    formatter = context.make_formatter()
    with formatter.section("Options"):
        formatter.write_dl(rows)
    return ("" if shared else "\n") + formatter.getvalue().lstrip("\n")


def _block(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    return "```\n" + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(page())
