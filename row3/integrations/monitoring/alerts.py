"""Alerts: periods in which a figure was beyond its threshold (STANDARDS §7.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from row3.domain.models import CamelModel, Reply
from row3.domain.words import count
from row3.errors import InvalidFile, UsageError
from row3.gate.exact import upper_bound
from row3.integrations.http import Service, address
from row3.integrations.monitoring.figures import CONDITIONS, FIGURE, Condition, value_text
from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, MINUTE_MS, moment
from row3.integrations.monitoring.tables import Connection, Totals, by_minute, hourly
from row3.project.files import write_atomic
from row3.project.integration_config import AlertConfig, AlertsConfig
from row3.project.local_state import in_local, local_folder
from row3.project.project import Project
from row3.project.transaction import locked
from row3.reports.document import Block, Document, Items, Note, Span, Table, Task, Text, Title

POSTED = "monitor/told.json"
"""File in `.row3/` for the alerts that the webhook has received."""
LEVEL = 0.95
"""Confidence with which a rate must be beyond its threshold to begin an alert."""
END_LEVEL = 0.9
"""Confidence with which a rate must be below its threshold to end an alert."""


class Alert(NamedTuple):
    """A period in which a figure was beyond its threshold, until a full day was shown not to be."""

    condition: Condition
    threshold: float
    from_ms: int
    to_ms: int | None
    """End of the first period of a day or more that is shown not to be beyond the threshold; None until then."""
    value: float
    """The figure until that period."""

    def plain(self) -> dict[str, Any]:
        """Return the alert as JSON; times are RFC 3339, rates fractions of 1."""
        return {
            "condition": self.condition.figure,
            "severity": self.condition.severity,
            "action": self.condition.action,
            "from": moment(self.from_ms),
            "to": None if self.to_ms is None else moment(self.to_ms),
            "value": self.value,
            "threshold": self.threshold,
        }


class Unevaluated(NamedTuple):
    """A condition with too few records to be evaluated."""

    condition: Condition
    records: int
    needed: int

    @property
    def text(self) -> str:
        """The figure, and how many records it has."""
        return f"{FIGURE[self.condition.figure].name}: not evaluated: {self.records} of {self.needed} records"

    def plain(self) -> dict[str, Any]:
        """Return the condition as JSON."""
        number = f"{self.records} of {self.needed} records"
        return {"condition": self.condition.figure, "severity": self.condition.severity, "notEvaluated": number}


def alerts(connection: Connection, settings: AlertsConfig, from_ms: int, to_ms: int) -> list[Alert]:
    """Return the alerts of a period, sorted by their start; whether one is open depends on all records before it."""
    found = [
        alert
        for condition, setting, windows in _watched(connection, settings, 0, to_ms)
        for alert in alerts_of(condition, setting, windows)
        if alert.to_ms is None or alert.to_ms > from_ms
    ]
    return sorted(found, key=lambda alert: alert.from_ms)


def unevaluated(connection: Connection, settings: AlertsConfig, from_ms: int, to_ms: int) -> list[Unevaluated]:
    """Return the conditions that were not evaluated in the last day with records of a period."""
    watched = _watched(connection, settings, from_ms, to_ms)
    return [few for each in watched if (few := unevaluated_of(*each)) is not None]


def unevaluated_of(condition: Condition, setting: AlertConfig, windows: Iterable[Window]) -> Unevaluated | None:
    """Return the condition if it was not evaluated in the last day, with its records since the last time."""
    records, evaluated_ms, end_ms = 0, -DAY_MS, 0
    for window in _joined(condition, setting.min_records, windows):
        records, end_ms = _records(condition, window.totals), window.to_ms
        evaluated_ms = end_ms if records >= setting.min_records else evaluated_ms
    return Unevaluated(condition, records, setting.min_records) if end_ms - evaluated_ms >= DAY_MS else None


class Window(NamedTuple):
    """The totals of a period."""

    from_ms: int
    to_ms: int
    totals: Totals


def _watched(
    connection: Connection, settings: AlertsConfig, from_ms: int, to_ms: int
) -> Iterator[tuple[Condition, AlertConfig, Sequence[Window]]]:
    """Yield each condition with its setting and its windows."""
    windows = cache(lambda minutes: windows_of(connection, minutes * MINUTE_MS, from_ms, to_ms))
    for condition in CONDITIONS:
        setting: AlertConfig = getattr(settings, condition.figure)
        yield condition, setting, windows(setting.window_minutes)


def windows_of(connection: Connection, length_ms: int, from_ms: int, to_ms: int) -> list[Window]:
    """Return the windows with records, oldest first; they start at multiples of their length."""
    parts = (by_minute if length_ms % HOUR_MS else hourly)(connection, from_ms, to_ms)
    joined: dict[int, Totals] = {}
    for begin, totals in parts.items():
        key = begin // length_ms * length_ms
        joined[key] = joined[key] + totals if key in joined else totals
    return [Window(begin, begin + length_ms, totals) for begin, totals in joined.items()]


def alerts_of(condition: Condition, setting: AlertConfig, windows: Iterable[Window]) -> Iterator[Alert]:
    """Yield the alerts of one condition.

    An alert begins with neighbouring windows beyond the threshold that together are beyond it by more than chance, and
    ends with the first full day after them that has no more of these and as a whole is below the threshold by more than
    chance. A day with too few records to show that is extended, and windows with too few are joined with those that
    follow.
    """
    figure = FIGURE[condition.figure]
    threshold = condition.threshold if setting.threshold is None else setting.threshold

    def is_beyond(totals: Totals) -> bool:
        value = figure.value(totals)
        return value is not None and (value < threshold if condition.below else value > threshold)

    run: Window | None = None  # of neighbours beyond the threshold
    alert: Window | None = None
    since: Window | None = None  # all after the alert
    for window in _joined(condition, setting.min_records, windows):
        if _records(condition, window.totals) < setting.min_records:
            continue
        run = _merged(run, window) if is_beyond(window.totals) else None
        since = None if alert is None else _merged(since, window)
        if run is not None and _is_shown(condition, run.totals, threshold, beyond=True):
            alert, since = run if since is None else _merged(alert, since), None
        elif alert is not None and since is not None and since.to_ms - since.from_ms >= DAY_MS:
            if is_beyond(since.totals):
                alert, since = _merged(alert, since), None
            elif _is_shown(condition, since.totals, threshold, beyond=False):
                yield Alert(condition, threshold, alert.from_ms, since.to_ms, figure.value(alert.totals) or 0.0)
                alert = run = None
    if alert is not None:
        yield Alert(condition, threshold, alert.from_ms, None, figure.value(alert.totals) or 0.0)


def _records(condition: Condition, totals: Totals) -> int:
    """Return how many records the figure has."""
    return 0 if FIGURE[condition.figure].value(totals) is None else getattr(totals, condition.records)


def _joined(condition: Condition, min_records: int, windows: Iterable[Window]) -> Iterator[Window]:
    """Yield the windows, the smaller ones merged with those that follow, for up to a day."""
    waiting: Window | None = None
    for window in windows:
        if waiting is not None and window.to_ms - waiting.from_ms > DAY_MS:
            yield waiting
            waiting = None
        waiting = _merged(waiting, window)
        if _records(condition, waiting.totals) >= min_records:
            yield waiting
            waiting = None
    if waiting is not None:
        yield waiting


def _merged(first: Window | None, second: Window) -> Window:
    return second if first is None else Window(first.from_ms, second.to_ms, first.totals + second.totals)


def _is_shown(condition: Condition, totals: Totals, threshold: float, *, beyond: bool) -> bool:
    """Return whether a rate's one-sided exact bound is beyond the threshold, too, or within it; a mean has no bound."""
    figure = FIGURE[condition.figure]
    if figure.unit != "%":
        return True
    trials, seen = figure.count(totals), int(getattr(totals, figure.of))
    if beyond:
        return 1.0 - upper_bound(trials - seen, trials, LEVEL) > threshold
    return upper_bound(seen, trials, END_LEVEL) <= threshold


def alerts_document(found: Sequence[Alert], few: Sequence[Unevaluated], *, issue: bool = False) -> Document:
    """Return the alerts as a table, in the body of an issue with what to do, and what could not be evaluated."""
    critical = sum(alert.condition.severity == "critical" for alert in found)
    head = f"Production · {count(len(found), 'alert')}, {critical} critical" if found else "Production · no alerts"
    blocks: list[Block] = [Title("Alerts in production", 2) if found and issue else Note([head])]
    blocks += [_table(found)] if found else []
    if found and issue:
        actions = dict.fromkeys(f"{FIGURE[alert.condition.figure].name}: {alert.condition.action}" for alert in found)
        blocks += [Title("To do"), Items([Task(action, done=False) for action in actions])]
    return Document([*blocks, Note([each.text for each in few])])


def _table(found: Sequence[Alert]) -> Table:
    rows: list[list[Text]] = []
    for alert in found:
        condition, figure = alert.condition, FIGURE[alert.condition.figure]
        severity = Span(condition.severity, "bad" if condition.severity == "critical" else "warning")
        sign = "below" if condition.below else "above"
        value = f"{value_text(figure, alert.value)}, {sign} {value_text(figure, alert.threshold)}"
        end = "ongoing" if alert.to_ms is None else moment(alert.to_ms)
        rows.append([figure.name, severity, value, moment(alert.from_ms), end, condition.action])
    return Table(("figure", "", "value", "from", "to", "action"), rows, "llllll")


class _Posted(Reply):
    condition: str
    from_ms: int
    to_ms: int | None = None


class _File(CamelModel):
    schema_version: int
    told: list[_Posted]


def notify(project: Project, found: Sequence[Alert], environ: Mapping[str, str]) -> int:
    """Post the alerts that began or ended since the last post; return their number.

    The body is `{"began": [alert, …], "over": [alert, …]}`. Raises `UsageError` without a webhook, `InvalidFile` for a
    damaged list of posted alerts, and `Undelivered`, after which the next call posts the same again.
    """
    settings = project.config.monitor.alerts
    if settings.webhook_variable is None:
        where = "row3.toml field monitor.alerts.webhook_variable"
        raise UsageError("no webhook is set", where=where, fix="Name the environment variable that holds its URL")
    url = address(settings.webhook_variable, allow_http=settings.allow_http, table="monitor.alerts", query=True)
    path = in_local(local_folder(project.local), POSTED)
    lock = locked(project.root, "monitor.alerts", timeout_s=60.0)
    if lock is None:
        raise UsageError("another row3 is posting alerts", where=f".row3/{POSTED}", fix="Run it again later")
    with lock:
        posted = _read(project) if path.exists() else []
        began = [alert for alert in found if not any(_is_same(each, alert) for each in posted)]
        over = [
            alert
            for alert in found
            if alert.to_ms is not None and any(_is_same(each, alert) and each.to_ms is None for each in posted)
        ]
        if not began and not over:
            return 0
        body = {"began": [alert.plain() for alert in began], "over": [alert.plain() for alert in over]}
        Service(url, {}, key_variable=settings.webhook_variable).send("POST", "", body)
        kept = [each for each in posted if not any(_is_same(each, alert) for alert in found)]
        kept += [_Posted(condition=alert.condition.figure, from_ms=alert.from_ms, to_ms=alert.to_ms) for alert in found]
        path.parent.mkdir(exist_ok=True)
        write_atomic(
            path, _File(schema_version=1, told=kept).model_dump_json(exclude_none=True), where=f".row3/{POSTED}"
        )
    return len(began) + len(over)


def _read(project: Project) -> list[_Posted]:
    try:
        return _File.model_validate_json(in_local(project.local, POSTED).read_bytes()).told
    except (ValidationError, OSError):
        fix = "Delete it; all alerts will be posted again"
        raise InvalidFile("the list of posted alerts is damaged", where=f".row3/{POSTED}", fix=fix) from None


def _is_same(posted: _Posted, alert: Alert) -> bool:
    """Return whether a posted alert is this one: same condition, overlapping time."""
    return (
        posted.condition == alert.condition.figure
        and (alert.to_ms is None or posted.from_ms < alert.to_ms)
        and (posted.to_ms is None or alert.from_ms < posted.to_ms)
    )
