"""The dashboard's three panels (STANDARDS §7.4): all numbers and sentences that the page draws, and `/metrics`.

`/metrics` is in Prometheus' text format 0.0.4. Counters, sums and counts cover all records and grow as records are
ingested, so rates are by the time of ingest. Quantiles of latency cover the last minutes by the records' own times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from operator import add
from typing import NamedTuple

from row3.domain.numbers import compact
from row3.integrations.monitoring.alerts import Unevaluated, unevaluated
from row3.integrations.monitoring.figures import CONDITIONS, FIGURE, Figure, target_text, value_text
from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, MINUTE_MS, moment
from row3.integrations.monitoring.tables import BINS, Connection, Totals, all_time, by_minute, hourly, total
from row3.project.integration_config import AlertsConfig

RECENT, MINUTES, HOURS, DAYS = 5, 60, 48, 30
"""Minutes that count as "now", and the length of the three panels."""
LATE_MS = HOUR_MS
"""If the newest record is older than this, the panels end at it."""
ALERT_MS = 7 * DAY_MS
"""Period of which the page says whether alerts could be evaluated: the longest window that settings allow."""
PANELS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "minute",
        "Real-time",
        f"Figures of the last {RECENT} minutes; charts of the last {MINUTES}, by the minute.",
        "requests latencyP50 latencyP95 latencyP99 latency errors",
        "requests latency errors",
    ),
    (
        "hour",
        "Hourly",
        f"The last {HOURS} hours.",
        "concepts relationships confidence",
        "concepts relationships confidence",
    ),
    (
        "day",
        "Daily",
        f"The last {DAYS} days (UTC); today so far.",
        "processed spent cost verified ungrounded hallucination acceptable feedback",
        "processed verified spent",
    ),
)
"""Step, title and span of each panel, and the keys of its figures and charts."""
KNOWN = FIGURE | {
    "processed": Figure("processed", "Decompositions", "", "requests", n="requests"),
    "spent": Figure("spent", "Cost", "USD", "cost_sum", n="priced"),
}
SERIES = {"latency": {part: f"latency{part.upper()}" for part in ("p50", "p95", "p99")}}
"""Figures that a chart draws instead of its own, which only gives title and target."""
BARS = ("requests", "processed", "spent", "confidence")
ALARM = next(each.threshold for each in CONDITIONS if each.figure == "errors")
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "row3_monitor_"
COUNTERS = {
    "decompositions": ("requests", "Production records"),
    "errors": ("errors", "Records with an error"),
    "concepts": ("concepts", "Concepts of records without an error"),
    "relationships": ("relationships", "Relationships of records without an error"),
    "cost_dollars": ("cost_sum", "Cost in US dollars"),
    "priced": ("priced", "Records with a known cost"),
    "sampled": ("sampled", "Sampled records"),
    "measured_concepts": ("measured_concepts", "Concepts of sampled records with a source text"),
    "quotes": ("quotes", "Quotes of measured concepts"),
    "verified_quotes": ("verified", "Quotes found in the source text"),
    "ungrounded_concepts": ("ungrounded", "Measured concepts that the source text does not mention"),
    "watched_concepts": ("watched_concepts", "Concepts of a domain with canaries"),
    "canaries": ("canaries", "Watched concepts that are canaries of the domain"),
    "ratings": ("ratings", "Ratings by experts"),
    "acceptable_ratings": ("acceptable", "Ratings that find a record acceptable"),
    "feedback_scores": ("scores", "Scores by users"),
    "feedback_points": ("score_sum", "Sum of users' scores, 1 to 5 each"),
}
"""Name without prefix and `_total`, field of `Totals`, and help."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure in words."""

    name: str
    value: str
    target: str
    met: bool | None
    n: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart; `low` to `high` is drawn as a band."""

    key: str
    title: str
    unit: str
    step: str
    """"minute", "hour", "day", or "tenth" of confidence."""
    x: list[float]
    """Starts of the steps: seconds since 1970 UTC, or confidence."""
    series: dict[str, list[float | None]]
    bars: bool
    low: float | None
    high: float | None
    band: str
    """Meaning of the band."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Figures and charts of one period."""

    title: str
    about: str
    tiles: list[Tile]
    charts: list[Chart]


@dataclass(frozen=True, slots=True)
class Page:
    """Content of the page; without records there are no panels."""

    newest: str | None
    notice: str
    panels: list[Panel]


@dataclass(frozen=True, slots=True)
class Seen:
    """Data of one refresh."""

    end_ms: int
    newest_ms: int | None
    """Time of the newest record that is not from the future."""
    late: bool
    ever: Totals
    recent: Totals
    minutes: Mapping[int, Totals]
    hours: Mapping[int, Totals]
    unevaluated: list[Unevaluated]
    alarm: float
    """The error rate that raises an alert."""


def read_recent(connection: Connection, now_ms: int, settings: AlertsConfig) -> Seen:
    """Query the store for everything that the dashboard and `/metrics` show."""
    newest = connection.rows("SELECT max(at_ms) FROM records WHERE at_ms <= ?", [now_ms])[0][0]
    late = newest is not None and newest < now_ms - LATE_MS
    end = (newest // MINUTE_MS + 1) * MINUTE_MS if late else now_ms
    whole, recent = end // MINUTE_MS * MINUTE_MS, end - RECENT * MINUTE_MS
    return Seen(
        end_ms=end,
        newest_ms=newest,
        late=late,
        ever=all_time(connection),
        recent=replace(total(connection, recent, end), first_ms=recent, last_ms=end),
        minutes=by_minute(connection, whole - MINUTES * MINUTE_MS, whole),
        hours=hourly(connection, end // DAY_MS * DAY_MS - (DAYS - 1) * DAY_MS, end),
        unevaluated=unevaluated(connection, settings, end - ALERT_MS, end),
        alarm=ALARM if settings.errors.threshold is None else settings.errors.threshold,
    )


def page(seen: Seen) -> Page:
    """Return the content of the page."""
    newest = None if seen.newest_ms is None else f"{moment(seen.newest_ms)[:19].replace('T', ' ')} UTC"
    if not seen.ever.requests:
        return Page(newest, "No records yet: row3 monitor ingest FILE", [])
    notices = [f"No records in the last hour. The panels end at the newest record, {newest}."] if seen.late else []
    notices += [f"Alert on {each.text}." for each in seen.unevaluated]
    days: dict[int, Totals] = {}
    for hour, totals in seen.hours.items():
        day = hour // DAY_MS * DAY_MS
        days[day] = days.get(day, Totals()) + totals
    windows = {
        "minute": _window(seen.minutes, seen.end_ms // MINUTE_MS, MINUTES, MINUTE_MS)._replace(sums=seen.recent),
        "hour": _window(seen.hours, -(-seen.end_ms // HOUR_MS), HOURS, HOUR_MS),
        "day": _window(days, -(-seen.end_ms // DAY_MS), DAYS, DAY_MS),
    }
    panels = []
    for step, title, about, figures, charts in PANELS:
        tiles = [_tile(KNOWN[key], windows[step].sums) for key in figures.split()]
        panels.append(
            Panel(title, about, tiles, [_chart(key, step, windows[step], seen.alarm) for key in charts.split()])
        )
    return Page(newest, " ".join(notices), panels)


class _Window(NamedTuple):
    starts: list[float]
    steps: list[Totals]
    sums: Totals


def _window(found: Mapping[int, Totals], end: int, number: int, step_ms: int) -> _Window:
    """Return the last `number` steps before the step `end`; steps without records are empty."""
    places = range((end - number) * step_ms, end * step_ms, step_ms)
    steps = [replace(found.get(each, Totals()), first_ms=each, last_ms=each + step_ms) for each in places]
    return _Window([each / 1000 for each in places], steps, reduce(add, steps))


def _chart(key: str, step: str, window: _Window, alarm: float) -> Chart:
    figure, unit, x, sums = KNOWN[key], KNOWN[key].unit, window.starts, window.sums
    shown = SERIES.get(key, {figure.name: key})
    series = {label: [KNOWN[one].value(each) for each in window.steps] for label, one in shown.items()}
    if key == "confidence":
        shares = [number / sums.confidences if sums.confidences else None for number in sums.distribution]
        step, unit, x, series = "tenth", "%", [place / BINS for place in range(BINS)], {"share of concepts": shares}
    low, high, band = figure.low, figure.high, f"target: {target_text(figure)}"
    if key in ("latency", "confidence"):
        band = f"target of the average: {target_text(figure)}"
    elif low is None and high is None:
        high, band = (alarm, f"no alert up to {compact(alarm)}") if key == "errors" else (None, "")
    return Chart(key, _title(figure, sums), unit, step, x, series, key in BARS, low, high, band)


def _tile(figure: Figure, totals: Totals) -> Tile:
    value = figure.value(totals)
    target = "" if (met := figure.met(value)) is None else target_text(figure)
    return Tile(figure.name, value_text(figure, value), target, met, figure.count(totals))


def _title(figure: Figure, totals: Totals) -> str:
    """Return a chart's title: `Average latency: 1,610 ms, target met`."""
    if (value := figure.value(totals)) is None:
        return f"{figure.name}: no data"
    ends = {None: "", True: ", target met", False: ", target missed"}
    return f"{figure.name}: {value_text(figure, value)}{ends[figure.met(value)]}"


def exposition(seen: Seen) -> str:
    """Return the metrics, each with its help and type."""
    return "\n".join(_lines(seen)) + "\n"


def _lines(seen: Seen) -> Iterator[str]:
    ever, recent = seen.ever, seen.recent
    for name, (field, text) in COUNTERS.items():
        yield from _head(f"{name}_total", "counter", text)
        yield f"{PREFIX}{name}_total {_steady(getattr(ever, field))}"
    yield from _head("confidence", "histogram", "Confidence of concepts; a bucket is below its bound, the last up to 1")
    for place, number in enumerate(accumulate(ever.distribution), 1):
        yield f'{PREFIX}confidence_bucket{{le="{place / BINS}"}} {number}'
    yield f'{PREFIX}confidence_bucket{{le="+Inf"}} {ever.confidences}'
    yield f"{PREFIX}confidence_sum {_steady(ever.confidence_sum)}"
    yield f"{PREFIX}confidence_count {ever.confidences}"
    yield from _head("latency_seconds", "summary", f"Latency; quantiles are of the last {RECENT} minutes")
    for part, value in (("0.5", recent.latency_p50), ("0.95", recent.latency_p95), ("0.99", recent.latency_p99)):
        yield f'{PREFIX}latency_seconds{{quantile="{part}"}} {"NaN" if value is None else value / 1000}'
    yield f"{PREFIX}latency_seconds_sum {_steady(ever.latency_sum / 1000)}"
    yield f"{PREFIX}latency_seconds_count {ever.timed}"
    if seen.newest_ms is not None:
        yield from _head("newest_record_timestamp_seconds", "gauge", "Time of the newest record, since 1970 UTC")
        yield f"{PREFIX}newest_record_timestamp_seconds {seen.newest_ms / 1000}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {PREFIX}{name} {text}."
    yield f"# TYPE {PREFIX}{name} {kind}"


def _steady(value: float) -> float:
    """Return a sum rounded so that the order of addition does not matter: a falling counter looks like a restart."""
    return round(value, 6)
