"""`row3 promote VERSION...`."""

from __future__ import annotations

from dataclasses import replace

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.formats import RUN_FORMATS
from row3.cli.show import BLOCKED, result_text
from row3.errors import UsageError


@click.command(cls=options.Command)
@click.argument("versions", metavar="VERSION...", nargs=-1, required=True)
@options.dry_run("Judge by recordings and show what would be written.")
@click.option(
    "--commit", "make_commit", is_flag=True, help="Commit the written files with the prompts and their recordings."
)
@options.no_interleave("Live: do not ask the baseline's prompts again.")
@options.max_cost("Live: stop before spending more than this.")
@options.run_options(without="case")
@options.gate_options()
@options.approve()
@options.output_options(*RUN_FORMATS)
def command(
    common: Common,
    *,
    versions: tuple[str, ...],
    dry_run: bool,
    make_commit: bool,
    no_interleave: bool,
    max_cost: float | None,
) -> int:
    """Gate the candidates as --compare does and, if they pass, make them the current versions.

    VERSION is `decompose-concepts-v1.1`, or `v1.1` for every prompt of the pipeline in that version. Writes locks,
    baseline, changelog, history and charts in one transaction; if blocked, writes nothing unless you pass
    --approve REASON. A fall of the primary metric that does not block needs a reason too.
    """
    from row3.commands.promoting.promote import AlreadyDone, promote
    from row3.gate.results import judged, ran
    from row3.reports.formats import with_first_line
    from row3.reports.promotion import promotion_document
    from row3.running.session import LiveFlags

    if dry_run:
        if common.mode in ("record", "auto"):
            what, fix = "a dry run writes no recording", "Use --mode replay or --mode live"
            raise UsageError(what, where=f"--mode {common.mode}", fix=fix)
        common = replace(common, mode="live" if (common.mode or common.project().config.mode) == "live" else "replay")
    session = common.session(LiveFlags(interleave=not no_interleave, max_cost=max_cost))
    try:
        ask = _ask if common.can_ask else None
        result = promote(session, versions, approve=common.approve, ask=ask, dry_run=dry_run, make_commit=make_commit)
    except AlreadyDone as done:
        common.show(done.text)
        return 0
    comparison = result.comparison
    if common.format in (None, "table"):
        document = promotion_document(result, verbose=common.verbose > 0, style=common.style)
        common.show(with_first_line(result.run, document, common.style))
    else:
        common.show(result_text(ran(result.run) if comparison is None else judged(comparison), common))
    for text in result.notes:
        common.say(text)
    return BLOCKED if result.refused else 0


def _ask(fall: str) -> str:
    answer: str = click.prompt(f"{fall}. Why is this acceptable?", err=True)
    return answer


@click.command(cls=options.Command)
@click.argument("prompt_name", metavar="PROMPT")
@options.option(
    "--budget", type=click.IntRange(min=1), required=True, metavar="N", help="Maximum number of answers to request."
)()
@options.random_seed("Seed of the split of the cases; default: 0.")
@options.resume()
@options.suite()
@options.trust()
@options.output_options("table", "json")
def optimize(common: Common, *, prompt_name: str, budget: int, random_seed: int | None) -> None:
    """Let a language model reword PROMPT, and write the best wording as a draft.

    Half of the golden cases give feedback, a quarter choose the wording, and a quarter that the optimiser never sees
    measure it. The draft still has to pass the gate. Needs row3[optimize].
    """
    from row3.commands.optimizing.optimize import optimize as reword
    from row3.reports.promotion import optimised_document, optimised_json

    result = reword(common.session(), prompt_name, budget=budget, seed=random_seed or 0)
    common.show_report(optimised_document(result), optimised_json(result))
