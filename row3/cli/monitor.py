"""`row3 monitor`: production's records, their figures and dashboard, and the sample for experts."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import click

from row3.cli import options
from row3.cli.commands import Group
from row3.cli.common import Common
from row3.domain.counts import count
from row3.errors import InvalidFile

EVER_MS = 1 << 60
UNIT_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
AGO = re.compile(r"(\d{1,6})([mhd])")
"""So many minutes, hours or days ago."""


class When(click.ParamType[int]):
    """A day, a time with its offset or one so long ago; its value is milliseconds since 1970 UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the milliseconds; click reports a bad one."""
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


@click.group(cls=Group)
def command() -> None:
    """Ingest and watch production records."""


@command.command()
@click.argument("file")
def ingest(file: str, common: Common) -> None:
    """Ingest records, ratings and feedback from FILE, or from stdin with `-`.

    FILE is JSON Lines, OTLP JSON or an export of LangFuse traces. Ingesting a
    file twice changes nothing.
    """
    from row3.integrations.monitoring.files import ASIDE, ingest_file
    from row3.integrations.monitoring.views import ingested_notes, ingested_text

    done = ingest_file(common.project(), file, os.environ, now_ms=_now_ms())
    for note in ingested_notes(done, f".row3/{ASIDE}"):
        common.say(note)
    if done.only_bad:
        raise InvalidFile("no line could be taken in", where=file, fix="`row3 docs monitoring` shows what a line holds")
    common.show(ingested_text(done))


@command.command()
@since()
@until()
@options.output_options("table", "json")
def figures(common: Common, *, from_ms: int | None, to_ms: int | None) -> None:
    """Show production metrics with their targets, by default over all records."""
    from row3.integrations.monitoring.storage import open_store
    from row3.integrations.monitoring.totals import total
    from row3.integrations.monitoring.views import figures_document, figures_json

    with open_store(common.project(), os.environ).open() as connection:
        totals = total(connection, *_span(from_ms, to_ms))
    common.show_report(figures_document(totals), figures_json(totals))


@command.command()
@options.option("--out", required=True, metavar="FILE", help="A new file, JSON Lines.")()
@since()
@until()
def sample(common: Common, *, from_ms: int | None, to_ms: int | None) -> None:
    """Write the sampled records that are not rated yet.

    Set `acceptable` to true or false in each line, then take the file in with `row3 monitor ingest`.
    """
    from row3.integrations.monitoring.files import export_sample

    assert common.out is not None
    start, end = _span(from_ms, to_ms)
    project, now_ms = common.project(), _now_ms()
    number = export_sample(project, common.out, os.environ, from_ms=start, to_ms=end, now_ms=now_ms)
    common.say(f"{number:,} records to rate are in {common.out}")


@command.command()
@since()
@until()
@click.option("--open", "issue", is_flag=True, help="Print the body of an issue.")
@click.option("--notify", "posts", is_flag=True, help="Post what began and what is over to the webhook, once each.")
@options.output_options("table", "markdown", "json")
def alerts(common: Common, *, from_ms: int | None, to_ms: int | None, issue: bool, posts: bool) -> int:
    """Show when production was beyond its thresholds, one alert for each time; exit 1 if one is critical.

    Default: over all records; `--since 24h` looks at the last day. Rates alert when they are no chance (95%).
    """
    from row3.integrations.monitoring.alerts import alerts as alerts_in
    from row3.integrations.monitoring.notices import alerts_document, alerts_issue, notify
    from row3.integrations.monitoring.storage import open_store

    project = common.project()
    with open_store(project, os.environ).open() as connection:
        found = alerts_in(connection, project.config.monitor.alerts, *_span(from_ms, to_ms))
    if common.as_json:
        common.show_json([alert.plain() for alert in found])
    else:
        shown = replace(common, format="markdown") if issue else common
        shown.show_document((alerts_issue if issue else alerts_document)(found))
    if posts and (number := notify(project, found, os.environ)):
        common.say(f"the webhook was told of {count(number, 'change')}")
    return 1 if any(alert.condition.severity == "critical" for alert in found) else 0


@command.command()
@options.option("--host", metavar="HOST", help="Address to listen on; default: this machine only.")()
@options.option("--port", type=click.IntRange(0, 65535), metavar="PORT", help="Default: 8321; 0 takes a free one.")()
def serve(common: Common, *, host: str | None, port: int | None) -> None:
    """Serve a live dashboard, and /metrics for Prometheus.

    Another HOST needs a token in $ROW3_MONITOR_TOKEN.
    """
    from row3.integrations.monitoring.serving.server import serve as run

    run(common.project(), os.environ, host or "127.0.0.1", 8321 if port is None else port, common.say)


@command.command()
def grafana(common: Common) -> None:
    """Print a Grafana dashboard over the figures that `row3 monitor serve` has for Prometheus."""
    from importlib.resources import files

    folder = files("row3.integrations.monitoring.serving")
    common.show((folder / "static" / "grafana.json").read_text("utf-8"))


def _span(from_ms: int | None, to_ms: int | None) -> tuple[int, int]:
    return -EVER_MS if from_ms is None else from_ms, EVER_MS if to_ms is None else to_ms


def _now_ms() -> int:
    return int(time.time() * 1000)
