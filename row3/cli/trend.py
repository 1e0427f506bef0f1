"""`row3 trend`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from row3.cli.options import Common, common_options
from row3.cli.out_file import refuse_foreign_charts, refuse_own
from row3.cli.output import emit


@click.command()
@click.option("--weekly", is_flag=True, help="Mean and range of each ISO week along real time.")
@common_options("row3 trend")
def command(common: Common, *, weekly: bool) -> None:
    """Draw the metrics over time (SVG and PNG).

    They go into charts/, or into the folder that --out names.
    """
    from row3.domain.tiers import tier_of
    from row3.errors import UsageError
    from row3.store.suites import pick_suite
    from row3.workflows.history.trend import chart_name, draw_trend

    if not common.may_write and common.out is None:
        what = "a run in CI writes no tracked file"
        raise UsageError(what, where="row3 trend", fix="Name a folder with --out")
    project = common.project()
    suite = pick_suite(project, common.suite, tier_of(common.mode or project.config.mode))
    if common.out is not None:
        if Path(common.out).exists() and not Path(common.out).is_dir():
            where = f"--out {common.out}"
            raise UsageError("this is no folder, and charts go into one", where=where, fix="Name a folder")
        refuse_own(common, Path(common.out), where=f"--out {common.out}")
        name = Path(common.out, Path(chart_name(suite, weekly=weekly)).name)
        refuse_foreign_charts(name)
    files = draw_trend(project, suite, weekly=weekly, folder=None if common.out is None else Path(common.out))
    names = [_short(path, project.root).as_posix() for path in files]
    if common.as_json:
        emit(json.dumps({"schemaVersion": 1, "suite": suite.name, "files": names}, indent=2), None)
    else:
        emit("\n".join(names), None)


def _short(path: Path, root: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path
