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
    from row3.domain.investigations import ItemsInvestigation
    from row3.reports.investigations.extraction import investigation_document, investigation_json
    from row3.reports.investigations.items import items_document, items_json_text
    from row3.reports.markdown import markdown_text
    from row3.reports.terminal import terminal_text
    from row3.workflows.investigating.investigate import investigate

    session = common.session()
    found = investigate(session.project, session.suite, case_id, session.options, named=session.named)
    if common.format == "json":
        emit(items_json_text(found) if isinstance(found, ItemsInvestigation) else investigation_json(found), common.out)
        return
    document = items_document(found) if isinstance(found, ItemsInvestigation) else investigation_document(found)
    on_screen = common.format == "table" or (common.format is None and common.on_terminal)
    emit(terminal_text(document, common.style) if on_screen else markdown_text(document), common.out)
