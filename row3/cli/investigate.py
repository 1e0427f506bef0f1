"""`row3 investigate CASE`."""

from __future__ import annotations

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@click.argument("case_id", metavar="CASE")
@common_options("row3 investigate")
def command(case_id: str, common: Common) -> None:
    """Explain a case: what was missed, unexpected, misdirected or unquoted, and where.

    Writes the investigation template of the standards, filled in; of kinds other than extraction what was expected,
    answered and wrong. A terminal gets it laid out, a pipe or a file as Markdown; --format table or markdown chooses.
    """
    from row3.reports.investigations.investigation import as_json, investigation_markdown
    from row3.reports.investigations.items_investigation import (
        ItemsInvestigation,
        items_investigation_json,
        items_markdown,
    )
    from row3.reports.markdowns.markdown_screen import on_screen
    from row3.workflows.investigating.investigate import investigate

    session = common.session()
    found = investigate(session.project, session.suite, case_id, session.options, named=session.named)
    if common.format == "json":
        emit(items_investigation_json(found) if isinstance(found, ItemsInvestigation) else as_json(found), common.out)
        return
    text = items_markdown(found) if isinstance(found, ItemsInvestigation) else investigation_markdown(found)
    if common.format == "table" or (common.format is None and common.on_terminal):
        text = on_screen(text, common.style)
    emit(text, common.out)
