"""`row3 monitor` and `row3 review`: production records, their metrics, dashboard, expert sample and reviews."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.formats import FORMS
from row3.cli.out_file import refuse_foreign
from row3.domain.words import count
from row3.errors import InvalidFile, UsageError
from row3.integrations.monitoring import alerts as monitoring_alerts
from row3.integrations.monitoring.figures import figures_document, figures_json
from row3.integrations.monitoring.ingest import ingest_file
from row3.integrations.monitoring.records import DAY_MS
from row3.integrations.monitoring.rows import export_sample
from row3.integrations.monitoring.storage import open_store
from row3.integrations.monitoring.tables import total
from row3.integrations.reviews.report import review_document, review_json
from row3.project.files import write_atomic
from row3.reports.document import Document, Note, Plot
from row3.reports.html.page import document_html
from row3.running.execute import cluster_at

EVER_MS = 1 << 60
UNIT_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
AGO = re.compile(r"(\d{1,6})([mhd])")
"""A time as minutes, hours or days ago."""


class When(click.ParamType[int]):
    """A day, a time with offset, or a time ago such as `24h`; converts to milliseconds since 1970 UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the milliseconds; click reports an invalid time."""
        if isinstance(value, int):
            return value
        if (ago := AGO.fullmatch(value)) is not None:
            return _now_ms() - int(ago[1]) * UNIT_MS[ago[2]]
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"`{value}` is not a time. Write 2026-11-24, 2026-11-24T09:00:00Z or 24h", param, ctx)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)


since = options.option(
    "--since", "from_ms", type=When(), metavar="TIME", help="From this day or time on (UTC), or from 24h or 7d ago."
)
until = options.option("--until", "to_ms", type=When(), metavar="TIME", help="Before this time.")


@click.group(cls=options.Group)
def monitor() -> None:
    """Ingest and watch production records."""


@monitor.command()
@click.argument("file")
@options.executors()
def ingest(file: str, common: Common) -> None:
    """Ingest records, ratings and feedback from FILE, or from stdin with `-`.

    FILE is JSON Lines, OTLP JSON or an export of LangFuse traces. Ingesting a file twice changes nothing.
    """
    done = ingest_file(common.project(), file, os.environ, now_ms=_now_ms(), ray=common.ray)
    for note in done.notes():
        common.say(note)
    if done.only_bad:
        raise InvalidFile("no line is a valid record", where=file, fix="`row3 docs monitoring` shows the format")
    common.show(done.text())


@monitor.command()
@since()
@until()
@options.output_options("table", "json")
def figures(common: Common, *, from_ms: int | None, to_ms: int | None) -> None:
    """Show production metrics with their targets, by default over all records."""
    project, span = common.project(), _span(from_ms, to_ms)
    with open_store(project, os.environ).open() as connection:
        totals = total(connection, *span)
        few = monitoring_alerts.unevaluated(connection, project.config.monitor.alerts, *span)
    document = figures_document(totals)
    report = figures_json(totals) | {"alerts": [each.plain() for each in few]}
    common.show_report(Document([*document.blocks, Note([f"Alert on {each.text}" for each in few])]), report)


@monitor.command()
@options.option("--out", required=True, metavar="FILE", help="A new file, JSON Lines.")()
@since()
@until()
def sample(common: Common, *, from_ms: int | None, to_ms: int | None) -> None:
    """Write the sampled records that are not yet rated.

    Set `acceptable` to true or false in each line, then ingest the file with `row3 monitor ingest`.
    """
    assert common.out is not None
    start, end = _span(from_ms, to_ms)
    project, now_ms = common.project(), _now_ms()
    number = export_sample(project, common.out, os.environ, from_ms=start, to_ms=end, now_ms=now_ms)
    common.say(f"{number:,} records to rate are in {common.out}")


@monitor.command()
@since()
@until()
@click.option("--open", "issue", is_flag=True, help="Print the body of an issue.")
@click.option("--notify", "posts", is_flag=True, help="Post new and resolved alerts to the webhook, once each.")
@options.output_options("table", "markdown", "json")
def alerts(common: Common, *, from_ms: int | None, to_ms: int | None, issue: bool, posts: bool) -> int:
    """List the times when production exceeded its thresholds; exit 1 if one alert is critical.

    Lists all by default, `--since 24h` those open in the last day. Rates alert only if chance is ruled out (95%).
    """
    project = common.project()
    with open_store(project, os.environ).open() as connection:
        asked = (connection, project.config.monitor.alerts, *_span(from_ms, to_ms))
        found, few = monitoring_alerts.alerts(*asked), monitoring_alerts.unevaluated(*asked)
    if common.as_json:
        common.show_json([*(each.plain() for each in found), *(each.plain() for each in few)])
    else:
        shown = replace(common, format="markdown") if issue else common
        shown.show_document(monitoring_alerts.alerts_document(found, few, issue=issue))
    if posts and (number := monitoring_alerts.notify(project, found, os.environ)):
        common.say(f"posted {count(number, 'change')} to the webhook")
    return 1 if any(alert.condition.severity == "critical" for alert in found) else 0


@monitor.command()
@options.option("--host", metavar="HOST", help="Address to listen on; default: this machine only.")()
@options.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT", help="Port; default: 8321; 0 picks a free one."
)()
def serve(common: Common, *, host: str | None, port: int | None) -> None:
    """Serve a live dashboard, and /metrics for Prometheus.

    Listening beyond this machine needs a token in $ROW3_MONITOR_TOKEN.
    """
    from row3.integrations.monitoring.serving.server import serve as run

    run(common.project(), os.environ, host or "127.0.0.1", 8321 if port is None else port, common.say)


@monitor.command()
def grafana(common: Common) -> None:
    """Print a Grafana dashboard for the metrics that `row3 monitor serve` exports to Prometheus."""
    folder = resources.files("row3.integrations.monitoring.serving")
    common.show((folder / "static" / "grafana.json").read_text("utf-8"))


class ByEnding(options.Command):
    """Without --format, derives it from the ending of --out."""

    def invoke(self, ctx: click.Context) -> Any:
        """Set the format, then run the command."""
        if ctx.params["format"] is None and ctx.params["out"] is not None:
            ending = Path(ctx.params["out"]).suffix.lower()
            ctx.params["format"] = next((form for form in self.forms if ending in FORMS[form].endings), None)
        return super().invoke(ctx)


@click.command(cls=ByEnding)
@click.argument("period", type=click.Choice(["weekly", "monthly", "quarterly"]))
@until("End before this time; default: today, in UTC.")
@options.executors()
@options.output_options(
    "table", "markdown", "html", "json", form="Format; default: by the ending of --out, else table."
)
def review(period: str, common: Common, *, to_ms: int | None) -> None:
    """Review the records of `row3 monitor` over 7, 31 or 92 days; changes nothing.

    weekly: trends, the worst sampled records, feedback and errors, on one page. monthly: golden cases and canaries to
    add, cases to review, correlations with satisfaction. quarterly: versions, targets, weights of the composite.
    """
    if to_ms is not None and to_ms < 0:
        raise UsageError("a review cannot end before 1970", where="--until", fix="Name a later day")
    project = common.project()
    end_ms = _now_ms() // DAY_MS * DAY_MS if to_ms is None else to_ms
    make = getattr(import_module(f"row3.integrations.reviews.{period}"), period)
    with open_store(project, os.environ).open() as connection:
        found = make(project, connection, end_ms, cluster_at(common.ray))
    if common.as_json:
        return common.show_json(review_json(found))
    out = None if common.out is None else Path(common.out)
    drawn = common.format == "html" or (common.format == "markdown" and out is not None)
    document = review_document(found, charts=(period if out is None else out.stem) if drawn else None)
    if common.format == "html":
        return common.show(document_html(f"{period.capitalize()} review", document))
    if out is not None:
        plots = {out.with_name(each.file): each.svg for each in document.blocks if isinstance(each, Plot)}
        refuse_foreign(plots, "svg")
        for file, svg in plots.items():
            write_atomic(file, [svg], where=str(file))
    return common.show_document(document)


def _span(from_ms: int | None, to_ms: int | None) -> tuple[int, int]:
    """Return the period, in milliseconds since 1970 UTC. Raises `UsageError` for an empty one."""
    if from_ms is not None and to_ms is not None and from_ms >= to_ms:
        raise UsageError("the period ends before it begins", where="--since and --until", fix="Name an earlier --since")
    return -EVER_MS if from_ms is None else from_ms, EVER_MS if to_ms is None else to_ms


def _now_ms() -> int:
    return int(time.time() * 1000)
