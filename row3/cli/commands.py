"""Click classes for commands and groups: shared options, their order, and suggestions for typing errors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from row3.cli import options
from row3.cli.common import Common
from row3.cli.out_file import check_out
from row3.domain.words import nearest

SAME_ANSWERS = frozenset(
    (
        *(
            "suite",
            "jobs",
            "executor",
            "ray_address",
            "format",
            "out",
            "directory",
            "approve",
            "trust",
            "policy",
            "inconclusive",
            "fail",
        ),
        *("verbose", "quiet", "no_color", "resume", "max_cost", "make_commit", "confirm", "adaptive", "batch"),
    )
)
"""Options that select no answers: a run continues one of the same command, whatever these are."""

COMMON_OPTIONS = (
    options.Option(["-C", "directory"], metavar="DIR", help="The project's folder; default: this one or a parent."),
    click.Option(["-v", "--verbose"], count=True, help="Show more: all cases, what they missed, the whole diff."),
    click.Option(["-q", "--quiet"], is_flag=True, help="No notes, no progress."),
    click.Option(["--no-color"], is_flag=True, help="No colour (or set NO_COLOR)."),
)
MISTAKEN_FOR_COMMANDS = ("baseline", "compare")
"""Options of `row3` that users type as commands."""


class Command(click.Command):
    """A command with -C, -v, -q and --no-color; its function gets the shared options as `common`."""

    def __init__(self, *args: Any, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.params += COMMON_OPTIONS

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function unless a subcommand follows; raises `UsageError` if --out is unusable."""
        if ctx.invoked_subcommand is not None:
            return None
        typed = sorted((name, str(value)) for name, value in ctx.params.items() if name not in SAME_ANSWERS)
        shared = {name: ctx.params.pop(name) for name in Common.__slots__ if name in ctx.params}
        command, asks = f"{ctx.command_path} {typed}", "mode" not in shared
        ctx.params["common"] = common = Common(**shared, base=ctx.params.get("against"), command=command, asks=asks)
        for each in self.params:
            if isinstance(each, options.OutFile):
                check_out(common, self.forms)
        return common.ended(partial(super().invoke, ctx))

    @property
    def forms(self) -> tuple[str, ...]:
        """Formats of the result, the default first."""
        choices = (each.type for each in self.params if each.name == "format")
        return next((tuple(each.choices) for each in choices if isinstance(each, click.Choice)), ("table",))


class Group(click.Group, Command):
    """Passes options before a subcommand's name on to it; suggests names for unknown subcommands."""

    command_class = Command
    described = 1_000
    """How many commands the help describes; the others are only named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; a group without any shows its help on stderr."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand and its arguments; raises `UsageError` for an unknown one."""
        name, command, rest = args[0], self.get_command(ctx, args[0]), args[1:]
        if command is None:
            words = {each: each for each in self.list_commands(ctx)}
            if ctx.parent is None:
                words |= {each: f"--{each}" for each in MISTAKEN_FOR_COMMANDS}
            near = nearest(name, words)
            hint = f"Did you mean `{words[near]}`?" if near else f"See `{ctx.command_path} --help`."
            raise click.UsageError(f"there is no command `{name}`. {hint}")
        below = isinstance(command, click.Group) and rest and rest[0] in command.commands
        at = 1 if below else 0
        return name, command, [*rest[:at], *given_options(ctx), *rest[at:]]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Describe the first commands by the first sentence of their help, and name the others."""
        first, others = (names := self.list_commands(ctx))[: self.described], names[self.described :]
        commands = [(name, self.get_command(ctx, name)) for name in first]
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(limit=1000)) for name, each in commands if each])
        if others:
            with formatter.section("More commands"):
                formatter.write_text(", ".join(others))


def given_options(ctx: click.Context) -> Iterator[str]:
    """Yield the options given on the command line, ready to be parsed again."""
    for each in ctx.command.params:
        if not isinstance(each, click.Option) or ctx.get_parameter_source(each.name) != ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[each.name]
        if each.is_flag or each.count:
            yield from [each.opts[0]] * int(value)
        else:
            for one in value if isinstance(value, tuple) else (value,):
                yield from (each.opts[0], str(one))
