"""Alerts: periods in which a figure was beyond its threshold (STANDARDS §7.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from row3.gate.exact import upper_bound
from row3.integrations.monitoring.figures import CONDITIONS, FIGURE, Condition
from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, MINUTE_MS, moment
from row3.integrations.monitoring.tables import Connection
from row3.integrations.monitoring.totals import Totals, by_minute, hourly
from row3.project.integration_config import AlertConfig, AlertsConfig

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
