"""`row3 optimize`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@click.argument("prompt_name", metavar="PROMPT")
@options.option(
    "--budget", type=click.IntRange(min=1), required=True, metavar="N", help="Maximum number of answers to request."
)()
@options.random_seed("Seed of the split of the cases; default: 0.")
@options.suite()
@options.trust()
@options.output_options("table", "json")
def command(common: Common, *, prompt_name: str, budget: int, random_seed: int | None) -> None:
    """Let a language model reword PROMPT and write the best wording as a draft.

    Half of the golden cases give feedback, a quarter choose the wording, and a quarter that the optimiser never sees
    measure it. The draft still has to pass the gate. Needs row3[optimize].
    """
    from row3.reports.optimised import optimised_document, optimised_json
    from row3.workflows.optimizing.optimize import optimize

    result = optimize(common.session(), prompt_name, budget=budget, seed=random_seed or 0)
    common.show_report(optimised_document(result), optimised_json(result))
