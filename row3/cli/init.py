"""`row3 init`."""

from __future__ import annotations

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@common_options
def command(common: Common) -> None:
    """Make a row3 project here, with a starter suite. Nothing is overwritten."""
    from row3.workflows.init import init

    made = init(common.start)
    lines = [f"  {item.outcome:<9} {item.path}" for item in made]
    lines += [
        "",
        "Next: look at golden/starter and prompts, check them with `row3 lint`, and ask a model:",
        "  row3 --baseline --mode record --model MODEL     a key in OPENAI_API_KEY, or another preset in row3.toml",
        "  pip install 'row3[local]'                       a small model without a key: preset = \"local\"",
    ]
    emit("\n".join(lines), common.out)
