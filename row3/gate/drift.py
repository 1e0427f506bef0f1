"""Did the provider change, or did I? The baseline's own prompts, asked again, beside what they answered then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from row3.domain.changes import MetricChange
from row3.domain.counts import count
from row3.domain.intervals import Interval, cut
from row3.domain.metrics import Metric
from row3.domain.requests import digest_text
from row3.gate.comparison import worse_by
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.sensitivity import sensitivity
from row3.gate.zones import SLACK

FEWEST, MOST = 10, 20
"""A sample has all cases up to the first, and never more than the second unless that is asked for."""

DriftState = Literal["moved", "steady", "open"]


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the baseline's prompts answer otherwise than they did, over the cases that could be compared."""

    metrics: tuple[MetricChange, ...]
    """`baseline` is then and `current` is now; their verdicts mean nothing."""
    states: Mapping[str, DriftState]
    """By metric: it moved, it is shown not to have moved beyond the gate's limit, or neither."""
    about: str
    """The metric that is told of: the primary one, unless another blocks."""
    title: str
    cases: int
    same: int
    """Cases whose answers are word for word as they were."""
    sees: float | None
    """The smallest move of the primary metric that is seen four times in five; a fraction. None: unknown."""

    @property
    def state(self) -> DriftState:
        """Of the metric that is told of."""
        return self.states.get(self.about, "open")

    @property
    def change(self) -> MetricChange | None:
        """The move of the metric that is told of."""
        return next((change for change in self.metrics if change.key == self.about), None)

    def of(self, metric: Metric) -> Drift:
        """The same, told of another metric."""
        return replace(self, about=metric.key, title=metric.title)

    def worst_of(self, metrics: Sequence[Metric]) -> Drift:
        """Told of that headline metric which moved most, where the kind has no composite that would show it.

        The primary metric stays where it moved itself, or none of the others did.
        """
        composite = any(metric.weight for metric in metrics)
        headline = {metric.key: metric for metric in metrics if not metric.companion}
        moved = {
            change.key: abs(change.delta)
            for change in self.metrics
            if change.key in headline and change.delta is not None and self.states.get(change.key) == "moved"
        }
        if composite or self.about in moved or not moved:
            return self
        return self.of(headline[max(moved, key=lambda key: moved[key])])


class CaseThen(NamedTuple):
    """One case that was asked again."""

    case_id: str
    then: float | None
    """The primary metric; None where the two cannot be compared."""
    now: float | None
    same: bool
    """Its answers are word for word as they were."""


def sample_size(cases: int) -> int:
    """How many cases are asked again: all up to 10, then half of them, from 10 to 20."""
    return cases if cases <= FEWEST else min(MOST, max(FEWEST, cases // 2))


def sample_of(ids: Iterable[str], wanted: int, seed: int) -> list[str]:
    """So many of the ids, by chance and always the same for a seed, in the order in which they came."""
    ids = list(ids)
    chosen = set(sorted(ids, key=lambda case_id: digest_text(f"{seed}:{case_id}"))[:wanted])
    return [case_id for case_id in ids if case_id in chosen]


def drift_of(pairs: Pairs, metrics: Sequence[Metric], policy: GatePolicy, primary: str, *, same: int) -> Drift:
    """What pairs of then and now show.

    A metric has moved where its paired 95 % interval leaves out 0 and the move is one that the gate would look into, be
    it up or down. It is steady where the interval leaves out every move beyond the gate's limit. With fewer than two
    independent cases it is open.
    """
    then, now = pairs.means()
    changes = tuple(
        compare_metrics(then, now, metrics, GatePolicy(unit=policy.unit, policy="fixed"), pairs, primary=primary)
    )
    by_key = {metric.key: metric for metric in metrics}
    seen = sensitivity(pairs, primary, GatePolicy(policy="fixed"), wanted=max(policy.limit(primary) / 100.0, 0.01))
    return Drift(
        changes,
        {change.key: _state(change, by_key[change.key], policy) for change in changes},
        primary,
        by_key[primary].title,
        pairs.counts().get(primary, 0),
        same,
        None if seen is None else seen.sees,
    )


def _state(change: MetricChange, metric: Metric, policy: GatePolicy) -> DriftState:
    known, then = change.interval, change.baseline
    if known is None or then is None or change.delta is None:
        return "open"

    def size(delta: float) -> float:
        return abs(worse_by(then, then + delta, higher_is_better=metric.higher_is_better, unit=policy.unit))

    slack = 100.0 * SLACK
    if (known.low > SLACK or known.high < -SLACK) and size(change.delta) >= policy.investigate - slack:
        return "moved"
    return "steady" if max(size(known.low), size(known.high)) <= policy.limit(metric.key) + slack else "open"


def moved_text(drift: Drift, since: str = "its baseline") -> str:
    """`fell by 6.1 points since its baseline (95%: −8.0 to −4.2, 15 cases)`."""
    change = drift.change
    if change is None or change.delta is None:
        return "could not be compared"
    way = "fell" if change.delta < 0.0 else "rose"
    size, of = abs(100.0 * change.delta), f" of {drift.title}"
    return f"{way} by {size:.1f} points{of} since {since} ({known_text(change.interval, drift.cases)})"


def steady_text(drift: Drift, since: str = "its baseline") -> str:
    """`−0.3 points of Overall since its baseline (95%: −1.0 to +0.4, 15 cases)`."""
    change = drift.change
    if change is None or change.delta is None:
        return "they could not be compared"
    known = known_text(change.interval, drift.cases)
    return f"{signed(change.delta)} points of {drift.title} since {since} ({known})"


def known_text(interval: Interval | None, cases: int) -> str:
    """`95%: −1.0 to +0.4, 15 cases`."""
    over = count(cases, "case")
    if interval is None:
        return over
    low, high = cut(interval.low, interval.high)
    return f"95%: {signed(low)} to {signed(high)}, {over}"


def signed(delta: float) -> str:
    """A difference of fractions in points, with its sign."""
    text = f"{100.0 * delta:+.1f}".replace("-", "−")
    return "0.0" if text in ("+0.0", "−0.0") else text


def others(drift: Drift, least: float = 0.01) -> Mapping[str, float]:
    """Further metrics that moved by at least so much; fractions, largest first."""
    moved = {
        change.key: change.delta
        for change in drift.metrics
        if change.key != drift.about and change.delta is not None and abs(change.delta) >= least
    }
    return dict(sorted(moved.items(), key=lambda item: -abs(item[1])))
