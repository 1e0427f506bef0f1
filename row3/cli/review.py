"""`row3 review`: what production says of a week, a month or a quarter."""

from __future__ import annotations

import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.monitor import until
from row3.cli.out_file import ENDINGS, refuse_foreign
from row3.errors import UsageError


class ByEnding(Command):
    """Takes the format from the ending of --out's file, where --format does not name one."""

    def invoke(self, ctx: click.Context) -> Any:
        """See `Command`."""
        if ctx.params["format"] is None and ctx.params["out"] is not None:
            ending = Path(ctx.params["out"]).suffix.lower()
            ctx.params["format"] = next((form for form in self.forms if ending in ENDINGS[form]), None)
        return super().invoke(ctx)


@click.command(cls=ByEnding)
@click.argument("period", type=click.Choice(["weekly", "monthly", "quarterly"]))
@until("End before this time; default: today, in UTC.")
@options.output_options(
    "table", "markdown", "html", "json", form="Format; default: by the ending of --out, else table."
)
def command(period: str, common: Common, *, to_ms: int | None) -> None:
    """Review what `row3 monitor` has ingested over 7, 31 or 92 days; changes nothing.

    weekly: trends, the worst of the sample, feedback and errors, on one page. monthly: golden cases and canaries to
    add, cases to review, what goes with satisfaction. quarterly: versions, targets, weights of the composite.
    """
    from row3.integrations.monitoring.records import DAY_MS
    from row3.integrations.monitoring.storage import open_store
    from row3.integrations.reviews.report import review_document, review_json
    from row3.reports.document import Plot
    from row3.reports.html.page import document_html
    from row3.store.files import write_atomic

    if to_ms is not None and to_ms < 0:
        raise UsageError("a review ends after 1970", where="--until", fix="Name a later day")
    project = common.project()
    end_ms = int(time.time() * 1000) // DAY_MS * DAY_MS if to_ms is None else to_ms
    make = getattr(import_module(f"row3.integrations.reviews.{period}"), period)
    with open_store(project, os.environ).open() as connection:
        review = make(project, connection, end_ms)
    if common.as_json:
        return common.show_json(review_json(review))
    out = None if common.out is None else Path(common.out)
    drawn = common.format == "html" or (common.format == "markdown" and out is not None)
    document = review_document(review, charts=(period if out is None else out.stem) if drawn else None)
    if common.format == "html":
        return common.show(document_html(f"{period.capitalize()} review", document))
    if out is not None:
        files = {out.with_name(each.file): each.svg for each in document.blocks if isinstance(each, Plot)}
        refuse_foreign(files, "svg")
        for file, svg in files.items():
            write_atomic(file, [svg], where=str(file))
    return common.show_document(document)
