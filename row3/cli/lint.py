"""`row3 lint`."""

from __future__ import annotations

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@common_options("row3 lint")
@click.pass_context
def command(ctx: click.Context, common: Common) -> None:
    """Check golden cases, prompts and settings.

    Exit 2 on errors, which come first; warnings do not fail. Where stdout is no terminal, each finding is one line.
    """
    from row3.cli.show import places_of
    from row3.reports.findings import findings_json, findings_text
    from row3.reports.issues import codequality_json, github_text, lint_issues, lint_notice
    from row3.workflows.linting.lint import lint_at

    report = lint_at(common.start, common.suite, finish=common.may_write, say=common.say)
    if common.format == "json":
        emit(findings_json(report), common.out)
    elif common.format == "github":
        places = places_of(common)
        emit(github_text(lint_issues(report), lint_notice(report), places), common.out)
    elif common.format == "codequality":
        emit(codequality_json(lint_issues(report), places_of(common)), common.out)
    else:
        width = common.width if common.on_terminal else None
        emit(findings_text(report, width=width, errors_only=common.quiet), common.out)
    ctx.exit(report.exit_code)
