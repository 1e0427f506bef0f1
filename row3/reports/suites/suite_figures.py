"""The one metric that a suite is told by among others, and what became of it, for whatever shows all suites."""

from __future__ import annotations

from typing import NamedTuple

from row3.domain.counts import count
from row3.domain.metrics import Metric, Zone
from row3.reports import numbers
from row3.reports.model import RunView
from row3.reports.suites.suites_model import Judged, Ran, SuiteResult

NONE = "–"
"""In the place of a number that there is not."""


class Figures(NamedTuple):
    """A suite's metric, as it is shown."""

    metric: Metric
    now: str
    delta: float | None
    """Fraction since the baseline."""
    interval: str
    """Of the change."""
    zone: Zone | None
    cases: str
    """How many."""
    noun: str
    """`case` or `cases`."""

    @property
    def points(self) -> str:
        """The change in percentage points."""
        return NONE if self.delta is None else numbers.points(self.delta)


def run_of(result: SuiteResult) -> RunView | None:
    """The run of a suite that could be run."""
    if isinstance(result, Judged):
        return result.comparison.run
    return result.run if isinstance(result, Ran) else None


def figures_of(result: SuiteResult) -> Figures | None:
    """The figures of a suite; None where it could not be run."""
    run = run_of(result)
    if run is None:
        return None
    metric = next(metric for metric in run.suite.kind.metrics if metric.key == run.suite.kind.primary)
    value = run.header.metrics.get(metric.key)
    limits = numbers.limits_of(run.suite.rules.thresholds.get(metric.key))
    changes = result.comparison.metrics if isinstance(result, Judged) else ()
    change = next((change for change in changes if change.key == metric.key), None)
    known = None if change is None else change.interval
    return Figures(
        metric,
        NONE if value is None else numbers.percent(value, beside=limits),
        None if change is None else change.delta,
        NONE if known is None else numbers.interval(known.low, known.high),
        run.zones.get(metric.key),
        *count(run.cases, "case").split(" "),
    )
