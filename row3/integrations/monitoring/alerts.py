"""Alerts: periods in which a figure was beyond its threshold (STANDARDS §7.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from row3.domain.counts import count
from row3.domain.models import CamelModel, Reply
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
"""Confidence with which a rate must be beyond its threshold."""
LONGEST_MS = DAY_MS
"""Maximum length of joined windows."""


class Alert(NamedTuple):
    """A period in which a figure was beyond its threshold."""

    condition: Condition
    threshold: float
    from_ms: int
    to_ms: int | None
    """End of the last window beyond the threshold; None while it lasts."""
    value: float
    """The figure over the whole period."""

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


def alerts(connection: Connection, settings: AlertsConfig, from_ms: int, to_ms: int) -> list[Alert]:
    """Return the alerts of a period, sorted by their start."""
    found: list[Alert] = []
    windows: dict[int, list[Window]] = {}
    for condition in CONDITIONS:
        setting: AlertConfig = getattr(settings, condition.figure)
        length = setting.window_minutes
        if length not in windows:
            windows[length] = list(windows_of(connection, length * MINUTE_MS, from_ms, to_ms))
        found += alerts_of(condition, setting, windows[length])
    return sorted(found, key=lambda alert: alert.from_ms)


class Window(NamedTuple):
    """The totals of a period."""

    from_ms: int
    to_ms: int
    totals: Totals


def windows_of(connection: Connection, length_ms: int, from_ms: int, to_ms: int) -> Iterator[Window]:
    """Yield the windows with records, oldest first; they start at multiples of their length."""
    parts = (by_minute if length_ms % HOUR_MS else hourly)(connection, from_ms, to_ms)
    joined: dict[int, Totals] = {}
    for begin, totals in parts.items():
        key = begin // length_ms * length_ms
        joined[key] = joined[key] + totals if key in joined else totals
    for begin, totals in joined.items():
        yield Window(begin, begin + length_ms, totals)


def alerts_of(condition: Condition, setting: AlertConfig, windows: Iterable[Window]) -> Iterator[Alert]:
    """Yield the alerts of one condition.

    An alert covers neighbouring windows beyond the threshold that together are beyond it by more than chance. Windows
    with too few records are joined with those that follow.
    """
    figure = FIGURE[condition.figure]
    threshold = condition.threshold if setting.threshold is None else setting.threshold
    beyond: Window | None = None
    significant = False
    for window in _joined(condition, setting.min_records, windows):
        value = figure.value(window.totals)
        if value is None:
            continue
        if value < threshold if condition.below else value > threshold:
            beyond = window if beyond is None else _merged(beyond, window)
            significant = significant or _is_significant(condition, beyond.totals, threshold)
            continue
        if beyond is not None and significant:
            yield _alert(condition, threshold, beyond, over=True)
        beyond, significant = None, False
    if beyond is not None and significant:
        yield _alert(condition, threshold, beyond, over=False)


def _joined(condition: Condition, min_records: int, windows: Iterable[Window]) -> Iterator[Window]:
    """Yield the windows with enough records, each merged with the smaller ones before it."""
    waiting: Window | None = None
    for window in windows:
        if waiting is not None and window.to_ms - waiting.from_ms <= LONGEST_MS:
            waiting = _merged(waiting, window)
        else:
            waiting = window
        if getattr(waiting.totals, condition.records) >= min_records:
            yield waiting
            waiting = None


def _merged(first: Window, second: Window) -> Window:
    return Window(first.from_ms, second.to_ms, first.totals + second.totals)


def _is_significant(condition: Condition, totals: Totals, threshold: float) -> bool:
    """Return whether a rate's one-sided exact bound is beyond the threshold; a mean needs only enough records."""
    figure = FIGURE[condition.figure]
    if figure.unit != "%":
        return True
    trials = figure.count(totals)
    return 1.0 - upper_bound(trials - int(getattr(totals, figure.of)), trials, LEVEL) > threshold


def _alert(condition: Condition, threshold: float, window: Window, *, over: bool) -> Alert:
    value = FIGURE[condition.figure].value(window.totals)
    assert value is not None
    return Alert(condition, threshold, window.from_ms, window.to_ms if over else None, value)


def alerts_document(found: Sequence[Alert]) -> Document:
    """Return the alerts as a table."""
    if not found:
        return Document([Note(["Production · no alerts"])])
    critical = sum(alert.condition.severity == "critical" for alert in found)
    head = f"Production · {count(len(found), 'alert')}, {critical} critical"
    return Document([Note([head]), _table(found)])


def alerts_issue(found: Sequence[Alert]) -> Document:
    """Return the body of an issue: the alerts, and what to do."""
    if not found:
        return alerts_document(found)
    actions = dict.fromkeys(f"{FIGURE[alert.condition.figure].name}: {alert.condition.action}" for alert in found)
    blocks: list[Block] = [Title("Alerts in production", 2), _table(found), Title("To do")]
    return Document([*blocks, Items([Task(action, done=False) for action in actions])])


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
