"""Prints `docs/commands.md` from the command tree: `python docs/_commands.py > docs/commands.md`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator

import click

from row3.cli.app import main
from row3.cli.commands import EVERYWHERE
from row3.cli.common import Common
from row3.cli.options import FORMATS

WIDTH = 80
INTRO = """\
# Commands

Made from the program's own help by `python docs/_commands.py`; `row3 COMMAND --help` shows the same. The result goes to
stdout, everything else to stderr. Every command takes `-C`, `-v`, `-q`, `--no-color`, `-h` and `--help`.
"""
SHARED_INTRO = """\
## Shared options

Each command names those that it takes, and refuses all others with exit code 2. They may also stand before the
command's name. An option with a value is given once, `--prompt` once for each prompt.

`--out` overwrites an earlier result in the same form, whoever made it, and an empty file, so that a job can write the
same path every time. It refuses any other existing file, and a name whose ending belongs to another form: `.txt` or
`.log` for `table` and `github`, `.json` for `json` and `codequality`, `.md`, `.markdown` or `.txt` for `markdown` and
`comment`, `.xml` for `junit`, `.html` or `.htm` for `html`, `.tsv` for `row3 aliases review --list`. Any other ending,
and `.txt`, fits every form. Charts, schemas and the pages of `row3 report --all` follow the same rules, and go into no
folder that row3 reads its own data from (`golden`, `corpus`, `prompts`, `recordings`, `baselines`).
"""


def page() -> str:
    """Return the whole page."""
    shared = [each for each in main.params if each.name in SHARED]
    parts = [INTRO, _section("row3", main), f"{SHARED_INTRO}\n{_block(_options('row3', main, shared).lstrip())}"]
    parts += [_section(name, command) for name, command in commands() if name != "row3"]
    return "\n".join(parts)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with the words that call it, in the order of the help."""
    yield "row3", main
    yield from _below("row3", main)


def own_options(command: click.Command) -> list[click.Parameter]:
    """Return the options of a command that are not shared, or have another meaning there."""
    usual = {each.name: each.help for each in main.params if isinstance(each, click.Option)}
    return [
        each
        for each in command.params
        if isinstance(each, click.Option) and (each.name not in SHARED or each.help != usual[each.name])
    ]


SHARED = frozenset(each.name for each in main.params if each.name in Common.__slots__)


def _below(name: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        yield f"{name} {each}", command
        if isinstance(command, click.Group):
            yield from _below(f"{name} {each}", command)


def _section(name: str, command: click.Command) -> str:
    own = own_options(command)
    text = f"## `{name}`\n\n{_block(_head(name, command) + _options(name, command, own))}"
    shared = [each for each in command.params if each.name in SHARED and each not in own and each not in EVERYWHERE]
    if name == "row3" or not shared:
        return text
    listed = ", ".join(f"`{each.opts[0]}`{_forms(each)}" for each in shared)
    return "\n".join([text, *textwrap.wrap(f"Shared: {listed}.", 120, break_on_hyphens=False), ""])


def _forms(option: click.Parameter) -> str:
    """Return the forms of a result, if they are not those of `row3`."""
    fewer = option.name == "format" and isinstance(option.type, click.Choice) and option.type.choices != FORMATS
    return f" ({', '.join(option.type.choices)})" if fewer else ""  # type: ignore[attr-defined]


def _context(name: str, command: click.Command) -> click.Context:
    return click.Context(command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)


def _head(name: str, command: click.Command) -> str:
    context = _context(name, command)
    formatter = context.make_formatter()
    command.format_usage(context, formatter)
    command.format_help_text(context, formatter)
    if isinstance(command, click.Group):
        command.format_commands(context, formatter)
    return formatter.getvalue()


def _options(name: str, command: click.Command, options: Iterable[click.Parameter]) -> str:
    context = _context(name, command)
    rows = [row for each in options if (row := each.get_help_record(context)) is not None]
    if not rows:
        return ""
    formatter = context.make_formatter()
    with formatter.section("Options"):
        formatter.write_dl(rows)
    return "\n" + formatter.getvalue().lstrip("\n")


def _block(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    return "```\n" + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(page())
