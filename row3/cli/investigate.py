"""`row3 investigate CASE`."""

from __future__ import annotations

from dataclasses import replace

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@click.argument("case_id", metavar="CASE")
@options.suite()
@options.prompt()
@options.mode("Where the answer comes from; default: replay.")
@options.model()
@options.parameters()
@options.fail("What counts as a fall, by metric, before row3.toml.")
@options.output_options(
    "markdown", "table", "json", form="Form of the result; default: table on a terminal, else markdown."
)
def command(case_id: str, common: Common) -> None:
    """Explain a case: what was missed, unexpected, misdirected or unquoted, and where.

    Fills in the investigation template of the standards, for extraction with its checklist. A terminal gets it laid
    out, a pipe or a file as Markdown; --format table or markdown chooses.
    """
    from row3.reports.investigations.report import investigation_document, investigation_json
    from row3.workflows.investigate import investigate

    session = common.session()
    found = investigate(session.project, session.suite, case_id, session.options, named=session.named)
    if common.as_json:
        common.show_json(investigation_json(found))
        return
    form = common.format or ("table" if common.on_terminal else "markdown")
    replace(common, format=form).show_document(investigation_document(found))
