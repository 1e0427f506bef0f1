"""Groups of commands."""

from __future__ import annotations

import click


class Group(click.Group):
    """Lists its commands with the whole first sentence of each."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments; without any, the help says which commands there are, and that is no message of an error."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names and what they do, wrapped and never clipped."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            assert command is not None
            rows.append((name, command.get_short_help_str(limit=1000)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
