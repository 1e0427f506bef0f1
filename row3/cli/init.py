"""`row3 init`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@options.output_options()
def command(common: Common) -> None:
    """Make a row3 project here, with a starter suite. Nothing is overwritten."""
    from row3.workflows.init import init, next_steps

    made = init(common.start)
    lines = [f"  {item.what:<9} {item.path}" for item in made]
    common.show(common.fitted("\n".join([*lines, "", *next_steps(made)])))
