"""`row3 investigate CASE`."""

from __future__ import annotations

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

    Fills in the investigation template of the standards; for kinds other than extraction: what was expected, answered
    and wrong. A terminal gets it laid out, a pipe or a file as Markdown; --format table or markdown chooses.
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
    if common.as_json:
        text = items_investigation_json(found) if isinstance(found, ItemsInvestigation) else as_json(found)
        return common.show(text)
    text = items_markdown(found) if isinstance(found, ItemsInvestigation) else investigation_markdown(found)
    on_terminal = common.format == "table" or (common.format is None and common.on_terminal)
    return common.show(on_screen(text, common.style) if on_terminal else text)
