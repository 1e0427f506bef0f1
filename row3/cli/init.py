"""`row3 init`."""

from __future__ import annotations

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@common_options("row3 init")
def command(common: Common) -> None:
    """Make a row3 project here, with a starter suite. Nothing is overwritten."""
    from row3.workflows.init import init, next_steps

    made = init(common.start)
    lines = [f"  {item.what:<9} {item.path}" for item in made]
    emit(common.fitted("\n".join([*lines, "", *next_steps(made)])), common.out)
