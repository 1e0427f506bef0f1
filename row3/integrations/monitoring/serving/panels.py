"""The dashboard's three panels (STANDARDS §7.4) as values that the page draws: all numbers and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from row3.integrations.monitoring.figures import CONDITIONS, FIGURE, Figure
from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, MINUTE_MS, moment
from row3.integrations.monitoring.tables import BINS, Connection
from row3.integrations.monitoring.totals import Totals, all_time, by_minute, hourly, total
from row3.integrations.monitoring.views import target_text, value_text
from row3.reports.numbers import compact

RECENT, MINUTES, HOURS, DAYS = 5, 60, 48, 30
"""Minutes that are "now", and how far the panels reach back."""
LATE_MS = HOUR_MS
"""If the newest record is older than this, the panels end at it."""
Step = Literal["minute", "hour", "day", "tenth"]
KNOWN = FIGURE | {
    "processed": Figure("processed", "Decompositions", "", "requests", n="requests"),
    "spent": Figure("spent", "Cost", "USD", "cost_sum", n="priced"),
}
ALARMS = {each.figure: each.threshold for each in CONDITIONS if not each.below}


class Tile(Struct, frozen=True):
    """One figure in words."""

    name: str
    value: str
    target: str
    met: bool | None
    n: int


class Chart(Struct, frozen=True):
    """One chart; `low` to `high` is drawn as a band and described by `band`."""

    key: str
    title: str
    unit: str
    step: Step
    x: list[float]
    """Beginnings of the steps in seconds since 1970 UTC; of tenths, the lowest confidence."""
    series: dict[str, list[float | None]]
    bars: bool
    low: float | None
    high: float | None
    band: str


class Panel(Struct, frozen=True):
    """Charts of one length of time, with the figures of it."""

    title: str
    about: str
    tiles: list[Tile]
    charts: list[Chart]


class Page(Struct, frozen=True):
    """All that the page shows; no panels without records."""

    newest: str | None
    """Time of the newest record that is not from the future."""
    notice: str
    panels: list[Panel]


class Seen(Struct, frozen=True):
    """What one refresh reads of the store."""

    end_ms: int
    newest_ms: int | None
    late: bool
    ever: Totals
    recent: Totals
    minutes: Mapping[int, Totals]
    hours: Mapping[int, Totals]


def look(connection: Connection, now_ms: int) -> Seen:
    """Ask the store for everything that the dashboard and `/metrics` show."""
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
    )


def page(seen: Seen) -> Page:
    """Return what the page shows."""
    newest = None if seen.newest_ms is None else f"{moment(seen.newest_ms)[:19].replace('T', ' ')} UTC"
    if not seen.ever.requests:
        return Page(newest, "No records yet: row3 monitor ingest FILE", [])
    days: dict[int, Totals] = {}
    for hour, totals in seen.hours.items():
        day = hour // DAY_MS * DAY_MS
        days[day] = days.get(day, Totals()) + totals
    minute, hour_end = seen.end_ms // MINUTE_MS * MINUTE_MS, -(-seen.end_ms // HOUR_MS) * HOUR_MS
    day_end = -(-seen.end_ms // DAY_MS) * DAY_MS
    now = replace(_window("minute", seen.minutes, minute, MINUTES, MINUTE_MS), sums=seen.recent)
    hours = _window("hour", seen.hours, hour_end, HOURS, HOUR_MS)
    month = _window("day", days, day_end, DAYS, DAY_MS)
    notice = f"No records in the last hour. The panels end at the newest record, {newest}." if seen.late else ""
    return Page(
        newest,
        notice,
        [
            now.panel(
                "Real-time",
                f"Figures of the last {RECENT} minutes; charts of the last {MINUTES}, by the minute.",
                ("requests", "latencyP50", "latencyP95", "latencyP99", "latency", "errors"),
                [
                    now.chart("requests", bars=True),
                    now.chart("latency", p50="latencyP50", p95="latencyP95", p99="latencyP99"),
                    now.chart("errors"),
                ],
            ),
            hours.panel(
                "Hourly",
                f"The last {HOURS} hours.",
                ("concepts", "relationships", "confidence"),
                [hours.chart("concepts"), hours.chart("relationships"), _confidence(hours.sums)],
            ),
            month.panel(
                "Daily",
                f"The last {DAYS} days (UTC); today so far.",
                ("processed", "spent", "cost", "verified", "ungrounded", "hallucination", "acceptable", "feedback"),
                [month.chart("processed", bars=True), month.chart("verified"), month.chart("spent", bars=True)],
            ),
        ],
    )


class _Window(Struct, frozen=True):
    """Totals of a length of time, step by step, and together."""

    step: Step
    starts: list[float]
    steps: list[Totals]
    sums: Totals

    def panel(self, title: str, about: str, tiles: tuple[str, ...], charts: list[Chart]) -> Panel:
        return Panel(title, about, [_tile(KNOWN[key], self.sums) for key in tiles], charts)

    def chart(self, key: str, *, bars: bool = False, **series: str) -> Chart:
        """Return a figure's chart, or that of other figures by their labels under its title and target."""
        figure, shown = KNOWN[key], {label: KNOWN[one] for label, one in (series or {KNOWN[key].name: key}).items()}
        values = {label: [one.value(each) for each in self.steps] for label, one in shown.items()}
        band = _band(figure, " of the average" if series else "")
        return Chart(key, _message(figure, self.sums), figure.unit, self.step, self.starts, values, bars, *band)


def _window(step: Step, found: Mapping[int, Totals], end: int, number: int, step_ms: int) -> _Window:
    """Return a number of steps before `end`, empty ones where there are no records."""
    places = range(end - number * step_ms, end, step_ms)
    steps = [replace(found.get(each, Totals()), first_ms=each, last_ms=each + step_ms) for each in places]
    return _Window(step, [each / 1000 for each in places], steps, reduce(add, steps))


def _confidence(sums: Totals) -> Chart:
    """Return how confidence is distributed, with its target along x."""
    figure = FIGURE["confidence"]
    shares = {"share of concepts": [n / sums.confidences if sums.confidences else None for n in sums.distribution]}
    tenths = [place / BINS for place in range(BINS)]
    band = _band(figure, " of the average")
    return Chart("confidence", _message(figure, sums), "%", "tenth", tenths, shares, True, *band)


def _band(figure: Figure, of: str = "") -> tuple[float | None, float | None, str]:
    """Return where a figure should be, and its description."""
    if figure.low is None and figure.high is None:
        alarm = ALARMS.get(figure.key)
        return None, alarm, "" if alarm is None else f"no alarm up to {compact(alarm)}"
    return figure.low, figure.high, f"target{of}: {target_text(figure)}"


def _tile(figure: Figure, totals: Totals) -> Tile:
    value = figure.value(totals)
    target = "" if (met := figure.met(value)) is None else target_text(figure)
    return Tile(figure.name, value_text(figure, value), target, met, figure.count(totals))


def _message(figure: Figure, totals: Totals) -> str:
    """Return what a chart says: `Average latency: 1,610 ms, target met`."""
    if (value := figure.value(totals)) is None:
        return f"{figure.name}: nothing to count"
    ends = {None: "", True: ", target met", False: ", target missed"}
    return f"{figure.name}: {value_text(figure, value)}{ends[figure.met(value)]}"
