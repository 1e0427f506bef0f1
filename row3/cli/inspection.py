"""`row3 score`, `diff`, `leaderboard` and `investigate`: show results without judging them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.formats import RUN_FORMATS
from row3.cli.show import INCOMPLETE, show_result


@click.command(cls=options.Command)
@click.argument("name", metavar="SUITE")
@options.option("--outputs", required=True, metavar="FILE", help='JSON Lines: {"caseId": …, "output": {…}}.')()
@options.choice()
@options.mode("Where embeddings come from, if the suite matches by meaning.")
@options.jobs("Processes.")
@options.executors()
@options.results()
@options.shard()
@options.trust()
@options.output_options(*RUN_FORMATS)
def score(name: str, outputs: str, common: Common) -> int:
    """Score outputs made elsewhere, without a provider.

    FILE has one line per golden case of SUITE. Judges nothing: exit 0, or 3 if a case has no output.
    """
    from row3.gate.results import ran
    from row3.project.project import pick_suite
    from row3.running.score import BY_SCORE, score_outputs
    from row3.running.session import note_misnamed, save_log
    from row3.running.suite_run import declining_runs

    project = common.project()
    suite = pick_suite(project, name)
    run_options = common.run_options(common.chosen(project, suite, BY_SCORE))
    note_misnamed(project, suite, common.say)
    run = score_outputs(project, suite, Path(outputs), run_options)
    # Saved like every run, so that `row3 diff` can name it.
    save_log(project, run, common.say)
    return show_result(ran(run, declining_runs(project.history, None, run.suite).runs), common)


@click.command(cls=options.Command)
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@options.output_options(*RUN_FORMATS)
def merge(names: tuple[str, ...], common: Common) -> int:
    """Join the shards of a run into one, with the same result as a run of all cases.

    RUN is the id of a run with --shard, or its file in `.row3/shards/`, which may come from another machine. Exit 3 if
    a case has no answer.
    """
    from row3.gate.results import ran
    from row3.running.session import save_log
    from row3.running.shards import merge_shards
    from row3.running.suite_run import declining_runs

    project = common.project()
    run = merge_shards(project, names)
    save_log(project, run, common.say)
    judged = run if run.header.prompts else None
    return show_result(ran(run, declining_runs(project.history, judged, run.suite).runs), common)


@click.command(cls=options.Command)
@click.argument("before", metavar="A")
@click.argument("after", metavar="[B]", default="latest")
@options.run_options(without=("mode", "resume"), jobs="Processes.")
@options.output_options("table", "json", "markdown")
def diff(common: Common, before: str, after: str) -> int:
    """Compare two prompt versions, runs, baselines, git refs or models without judging.

    A and B are each a prompt version (v1.0, decompose-concepts-v1.0), a saved run (`latest`, a run id or its beginning,
    a file), a baseline (`baseline`, or an archived one's name), a git ref (main, HEAD~3), model:NAME or a parameter
    (effort:low). B defaults to `latest`. If a name is ambiguous, add its type: prompt:v1.0, run:ID, baseline:NAME,
    git:REF.

    Versions, models and refs are replayed from recordings; a ref uses its own prompts, golden cases and recordings.
    --prompt sets the version for a model or ref. Exit 3 if recordings are missing.
    """
    from row3.comparing.diff import diff as compare
    from row3.reports.diff import diff_document, diff_json

    project, suite = common.project_and_suite()
    only = common.chosen(project, suite)
    result = compare(project, suite, before, after, lambda: common.run_options(only), named=common.prompt, only=only)
    common.show_report(diff_document(result, suite.kind.metrics, verbose=common.verbose > 0), diff_json(result))
    return INCOMPLETE if result.unanswered else 0


@click.command(cls=options.Command)
@options.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="Only this model; may be repeated. Default: all recorded models and the configured one.",
)()
@options.option(
    "--prompt",
    "prompts",
    multiple=True,
    metavar="NAME-vX.Y",
    help="Only this version; vX.Y alone selects it in every prompt. May be repeated. Default: all.",
)()
@options.max_cost()
@options.run_options(
    without=("model", "prompt"),
    mode="live or auto: ask for missing answers; default: replay.",
    parameters="A parameter of the models, such as reasoning_effort=low; several values of one are compared.",
)
@options.output_options("table", "json", "markdown")
def leaderboard(common: Common, *, models: tuple[str, ...], prompts: tuple[str, ...], max_cost: float | None) -> int:
    """Rank models × prompt versions on a suite by score, cost and latency.

    Replays recorded answers and lists combinations that lack some. --mode live asks for the missing answers and records
    them: `--model A --model B --prompt v1.1 --mode live`. Exit 3 if no combination is complete, or if answers are still
    missing after --mode live.
    """
    from row3.comparing.leaderboard import leaderboard as rank
    from row3.reports.leaderboard import leaderboard_document, leaderboard_json
    from row3.running.session import LiveFlags

    common.check_mode(common.mode or "replay")
    if max_cost is not None and common.mode in (None, "replay"):
        raise click.UsageError("--max-cost limits live requests; add --mode live")
    session = common.session(LiveFlags(max_cost=max_cost))
    board = rank(session, prompts=prompts, models=models, settings=common.parameters)
    common.show_report(leaderboard_document(board, verbose=common.verbose > 0), leaderboard_json(board))
    missing = not board.placed or (board.mode != "replay" and board.incomplete)
    return INCOMPLETE if missing else 0


@click.command(cls=options.Command)
@click.argument("cases", metavar="[CASE]...", nargs=-1)
@click.option("--open", "issue", is_flag=True, help="Print the body of an issue: the template of the standards.")
@options.suite()
@options.prompt()
@options.mode("Where the answer comes from; default: replay.")
@options.model()
@options.parameters()
@options.fail("Drop that counts, by metric; overrides row3.toml.")
@options.trust()
@options.output_options("markdown", "table", "json", form="Format of the result; default: table, in a file markdown.")
def investigate(cases: tuple[str, ...], common: Common, *, issue: bool) -> int:
    """Explain cases, by default all that fail: what went wrong and why, compared with the last good run.

    The last good run is the baseline, else the newest saved run that passed. -v and Markdown show every item, with its
    place in the text, and the full checklist of the standards. Exit 3 if a case has no answer.
    """
    from row3.commands.investigate import investigate as explain
    from row3.reports.investigation import investigation_document, investigation_json, investigation_page

    session = common.session()
    found = explain(session.project, session.suite, cases, session.options, named=session.options.named)
    form = common.format or ("markdown" if issue or common.out else "table")
    if common.as_json:
        common.show_json(investigation_json(found))
    elif form == "markdown" or common.verbose:
        width = 0 if form == "markdown" else common.width
        replace(common, format=form).show_document(investigation_document(found, items=not issue, width=width))
    else:
        replace(common, format=form).show_document(investigation_page(found, common.style))
    return INCOMPLETE if found.unanswered else 0
