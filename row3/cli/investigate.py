"""`row3 investigate CASE`."""

from __future__ import annotations

import click

from row3.cli.options import CI_FORMATS, Common, common_options
from row3.cli.output import emit


@click.command()
@click.argument("case_id", metavar="CASE")
@common_options
def command(case_id: str, common: Common) -> None:
    """Explain a case: what was missed, invented, misdirected or unquoted, and where.

    Writes the investigation template of the standards, filled in, as Markdown; of kinds other than extraction
    what was expected, answered and wrong.
    """
    from row3.errors import UsageError
    from row3.reports.investigation import as_json, investigation_markdown
    from row3.reports.items_investigation import ItemsInvestigation, items_investigation_json, items_markdown
    from row3.workflows.investigate import investigate

    if common.format in CI_FORMATS:
        what, where = "this command has no such form", f"--format {common.format}"
        raise UsageError(what, where=where, fix="Use markdown or json")
    session = common.session()
    found = investigate(session.project, session.suite, case_id, session.options, named=session.named)
    if isinstance(found, ItemsInvestigation):
        emit(items_investigation_json(found) if common.format == "json" else items_markdown(found), common.out)
    elif common.format == "json":
        emit(as_json(found), common.out)
    else:
        emit(investigation_markdown(found), common.out)
