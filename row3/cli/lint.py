"""`row3 lint`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@options.suite("Only this suite; default: all of them.")
@options.output_options("table", "json", "github", "codequality")
def command(common: Common) -> int:
    """Check golden cases, prompts and settings.

    Exit 2 on errors, which come first; warnings do not fail, and -q leaves them out of the table. If stdout is not a
    terminal, each finding is one line.
    """
    from row3.cli.show import places_of
    from row3.reports.findings import findings_json, findings_text
    from row3.reports.issues import codequality_json, github_text, lint_issues, lint_notice
    from row3.workflows.linting.lint import lint_at

    report = lint_at(common.start, common.suite, finish=common.may_write, say=common.say)
    match common.format:
        case "json":
            common.show(findings_json(report))
        case "github":
            common.show(github_text(lint_issues(report), lint_notice(report), places_of(common)))
        case "codequality":
            common.show(codequality_json(lint_issues(report), places_of(common)))
        case _:
            width = common.width if common.on_terminal else None
            common.show(findings_text(report, width=width, errors_only=common.quiet))
    return report.exit_code
