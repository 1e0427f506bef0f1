"""`row3 trend`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.out_file import check_folder, refuse_foreign_charts
from row3.cli.output import emit


@click.command(cls=Command)
@click.option("--weekly", is_flag=True, help="Mean and range of each ISO week along real time.")
@options.suite()
@options.mode("live or record: the runs of the live tier; default: row3.toml's.")
@options.option("--format", type=click.Choice(["table", "json"]), help="Form of the list of files; default: table.")()
@options.option("--out", metavar="FOLDER", help="Draw there instead of in charts/.")()
def command(common: Common, *, weekly: bool) -> None:
    """Draw the metrics over time (SVG and PNG).

    They go into charts/, or into the folder that --out names.
    """
    from row3.domain.tiers import tier_of
    from row3.errors import UsageError
    from row3.store.suites import pick_suite
    from row3.workflows.history.trend import chart_name, draw_trend

    folder = None if common.out is None else Path(common.out)
    if folder is None and not common.may_write:
        what = "a run in CI writes no tracked file"
        raise UsageError(what, where="row3 trend", fix="Name a folder with --out")
    project = common.project()
    suite = pick_suite(project, common.suite, tier_of(common.mode or project.config.mode))
    if folder is not None:
        check_folder(common, folder, f"--out {folder}")
        refuse_foreign_charts(folder / Path(chart_name(suite, weekly=weekly)).name)
    names = [path.as_posix() for path in draw_trend(project, suite, weekly=weekly, folder=folder)]
    value = {"schemaVersion": 1, "suite": suite.name, "files": names}
    emit(json.dumps(value, indent=2) if common.as_json else "\n".join(names), None)
