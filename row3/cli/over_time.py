"""`row3 power`, `cases`, `flaky`, `trend`: what recorded runs say about a suite."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from row3.charting.trend_chart import change_text, rescored_text
from row3.cli import options
from row3.cli.common import Common
from row3.cli.import_ import import_cases, new_case
from row3.cli.out_file import check_folder, refuse_foreign
from row3.cli.output import emit
from row3.commands.cases import find_flaky, judge_cases, plan
from row3.commands.trend import chart_name, draw_trend
from row3.comparing import lessons as lesson_workflows
from row3.comparing import quarantine as quarantining
from row3.domain.runs import Tier, tier_of
from row3.errors import UsageError
from row3.project.project import pick_suite
from row3.reports import cases as case_worth
from row3.reports import history as lesson_reports
from row3.reports.cases import changed_text, flaky_document, flaky_json
from row3.reports.power import power_document, power_json


@click.command(cls=options.Command)
@options.option(
    "--detect",
    type=options.Amount(0, 100, min_open=True),
    metavar="POINTS",
    help="Drop to plan for, in percentage points; default: the gate's limit.",
)()
@options.option("--metric", metavar="KEY", help="Only this metric; default: the headline metrics.")()
@options.run_options(without="resume", repeats="Use K recorded answers per case; default: as many as all cases have.")
@options.policy()
@options.fail()
@options.output_options("table", "json")
def power(common: Common, *, detect: float | None, metric: str | None) -> None:
    """Show how small a drop the suite detects, and whether more cases or more repeats help more.

    Plans from recordings of the baseline and the candidate. With --policy paired it plans for what blocks.
    """
    share = None if detect is None else detect / 100
    report = plan(common.session(), detect=share, metric=metric, repeats=common.repeats)
    common.show_report(power_document(report), power_json(report))


@click.group(cls=options.Group, invoke_without_command=True)
@options.suite()
@options.prompt("Only this version; default: all.")
@options.choice()
@options.output_options("table", "json")
def cases(common: Common) -> None:
    """Show which cases tell good prompts from bad ones, which are redundant and which never fail.

    Uses all recorded versions of the prompts; asks and judges nothing.
    """
    project, suite = common.project_and_suite()
    report = judge_cases(project, suite, only=common.chosen(project, suite), named=common.prompt)
    document = case_worth.cases_document(report, verbose=common.verbose > 0)
    common.show_report(document, case_worth.cases_json(report))


cases.add_command(import_cases)
cases.add_command(new_case)


@click.command(cls=options.Command)
@click.option("--weekly", is_flag=True, help="Show mean and range by ISO week.")
@options.suite()
@options.tier()
@options.option(
    "--format", type=click.Choice(["table", "json"]), help="Format of the printed result; default: table."
)()
@options.option("--out", metavar="FILE", help="Write to this .svg or .png file, or this folder, instead of charts/.")()
def trend(common: Common, *, weekly: bool, tier: Tier | None) -> None:
    """Draw the metrics over time, as an SVG or a PNG.

    With row3[trend] the chart marks the runs at which the level of the primary metric changed.
    """
    file = None if common.out is None else Path(common.out)
    if file is None:
        common.check_may_write("row3 trend", "Name a file or a folder with --out")
    project = common.project()
    suite = pick_suite(project, common.suite, tier or tier_of(project.config.mode))
    if file is not None:
        is_file = file.suffix.lower() in (".svg", ".png")
        if file.suffix and not is_file and not file.exists():
            fix = "Name a file that ends in .svg or .png, or a folder"
            raise UsageError(f"cannot write a chart as {file.suffix}", where=f"--out {file}", fix=fix)
        check_folder(common, file.parent if is_file else file, f"--out {file}")
        file = file if is_file else file / Path(chart_name(suite, weekly=weekly)).name
        refuse_foreign([file], file.suffix.lower()[1:])
    path, runs = draw_trend(project, suite, weekly=weekly, file=file, say=common.say)
    title = next(metric.title for metric in suite.kind.metrics if metric.key == suite.kind.primary)
    texts = [change_text(title, run) for run in runs if run.level is not None]
    texts += [rescored_text(run) for run in runs if run.rescored]
    value = {"schemaVersion": 1, "suite": suite.name, "files": [path.as_posix()], "changes": texts}
    emit(json.dumps(value, indent=2) if common.as_json else "\n".join([path.as_posix(), *texts]), None)


@click.group(cls=options.Group, invoke_without_command=True)
@options.suite()
@options.prompt()
@options.choice()
@options.tier()
@options.model()
@options.parameters()
@options.output_options("table", "json")
def flaky(common: Common, *, tier: Tier | None) -> None:
    """Find cases whose score varies between identical requests.

    Uses recorded repeats of the same prompts, model and parameters; asks and judges nothing.
    """
    report = find_flaky(replace(common, mode=tier).session())
    common.show_report(flaky_document(report, verbose=common.verbose > 0), flaky_json(report))


@flaky.command()
@click.argument("case_id", metavar="CASE")
@options.option(
    "--until", required=True, metavar="YYYY-MM-DD", help="Day from which it counts again, at most 90 days ahead."
)()
@options.option("--reason", required=True, metavar="TEXT", help="The reason; every scorecard shows it.")()
@options.suite()
@options.output_options()
def quarantine(common: Common, *, case_id: str, until: str, reason: str) -> None:
    """Exclude CASE from all figures until a day; it is still asked, scored and listed.

    Writes golden/<suite>/quarantine.json; commit it. At most a fifth of the cases can be in quarantine.
    """
    done = quarantining.quarantine(common.session(), case_id, until=until, reason=reason)
    common.show(changed_text(done.entry, done.file, left=done.left, released=False))


@flaky.command()
@click.argument("case_id", metavar="CASE")
@options.suite()
@options.output_options()
def release(common: Common, *, case_id: str) -> None:
    """Release CASE from quarantine; it counts from the next run."""
    done = quarantining.release(common.session(), case_id)
    common.show(changed_text(done.entry, done.file, left=done.left, released=True))


class SearchGroup(options.Group):
    """A group that treats any word other than a subcommand as a search."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand and its arguments, or the search."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "QUERY", find, [*options.given_options(ctx), *args]


SEMANTIC = options.option("--semantic", is_flag=True, help="Rank by meaning instead of words (needs row3[semantic]).")
FORMAT = options.option("--format", type=click.Choice(["table", "json"]), help="Format of the list; default: table.")
SUITE = options.option("--suite", metavar="NAME", help="Only lessons of this suite; default: all suites.")


@click.group(cls=SearchGroup, invoke_without_command=True, options_metavar="[OPTIONS] [QUERY]...")
@SEMANTIC()
@SUITE()
@FORMAT()
def lessons(common: Common, *, semantic: bool) -> None:
    """List lessons from past regressions, newest first; with QUERY, the best matches first.

    A comparison blocked by a regression saves its lesson in .row3/lessons.jsonl.
    """
    _show(common, "", semantic=semantic)


@click.command("QUERY", cls=options.Command)
@click.argument("query", nargs=-1, required=True)
@SEMANTIC()
@SUITE()
@FORMAT()
def find(common: Common, *, query: tuple[str, ...], semantic: bool) -> None:
    """List the lessons that match QUERY, best first."""
    _show(common, " ".join(query), semantic=semantic)


@lessons.command()
@click.argument("lesson_ids", metavar="[ID]...", nargs=-1)
@SUITE()
def keep(common: Common, *, lesson_ids: tuple[str, ...]) -> None:
    """Keep lessons, all or those named, for prompts that show them.

    Copies them from .row3/lessons.jsonl to lessons/<suite>.jsonl; commit it. This changes the requests of prompts that
    show lessons.
    """
    common.check_may_write("row3 lessons keep", "Keep lessons on your machine, and commit them")
    added = lesson_workflows.keep_lessons(common.project(), lesson_ids, suite=common.suite)
    lines = [f"{file}: {', '.join(each.id for each in lessons)}" for file, lessons in added.items()]
    common.show("\n".join(lines) if lines else "no new lesson to keep")


def _show(common: Common, query: str, *, semantic: bool) -> None:
    found = lesson_workflows.find_lessons(common.project(), common.suite, query, semantic=semantic)
    common.show_report(lesson_reports.lessons_text(found, query), lesson_reports.lessons_json(found))
