"""`row3 report`."""

from __future__ import annotations

from dataclasses import replace

import click

from row3.cli.once import once
from row3.cli.options import Common, common_options
from row3.cli.out_file import check_out
from row3.cli.show import INCOMPLETE, show_comparison
from row3.cli.takes import HTML, TAKES


@click.command()
@once(
    "--against",
    metavar="REF",
    help="Judge by the baseline, cases and thresholds of this git ref; REF... is where HEAD left it.",
)
@click.option("--all", "all_suites", is_flag=True, help="Every suite: one text, or a folder of pages with an index.")
@common_options("row3 report")
@click.pass_context
def command(ctx: click.Context, common: Common, *, against: str | None, all_suites: bool) -> None:
    """Write a comparison as a report: Markdown, or a page for a browser.

    The page is one file that loads nothing: `--out report.html`, or `--format html`. Compares like `row3 --compare`,
    but writes no history and does not judge: exit 0, or 3 where a case has no answer. With --all and `--out FOLDER`
    there is a page for each suite and `index.html` beside them.
    """
    if all_suites:
        from row3.cli.report_all import report_all

        ctx.exit(report_all(common, against=against))
    from row3.workflows.comparing.compare import compare
    from row3.workflows.history.trend import suite_history
    from row3.workflows.snapshots import find_base

    common = replace(common, format=common.format or _format_of(common.out))
    check_out(common, TAKES["row3 report"])
    session = common.session()
    pages = common.format == HTML
    history = suite_history(session.project, session.suite) if pages else []
    base = None if against is None else find_base(session.project, against)
    comparison = compare(session, base=base, pages=pages)
    code = show_comparison(comparison, common, history=history)
    if common.out is not None:
        common.say(f"{common.out} tells of suite {session.suite.name}")
    ctx.exit(INCOMPLETE if code == INCOMPLETE else 0)


def _format_of(out: str | None) -> str:
    """What the ending of the file asks for."""
    return HTML if out is not None and out.lower().endswith((".html", ".htm")) else "markdown"
