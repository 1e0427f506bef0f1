"""Did the provider change, or did I? The baseline's own prompts, asked again, beside what they answered then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric
from row3.domain.requests import digest_text
from row3.gate.comparison import worse_by
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.power import sensitivity
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
    seen = sensitivity(pairs, primary, GatePolicy(policy="paired", limits={primary: 0.0}), primary=primary)
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


def others(drift: Drift, least: float = 0.01) -> Mapping[str, float]:
    """Further metrics that moved by at least so much; fractions, largest first."""
    moved = {
        change.key: change.delta
        for change in drift.metrics
        if change.key != drift.about and change.delta is not None and abs(change.delta) >= least
    }
    return dict(sorted(moved.items(), key=lambda item: -abs(item[1])))
