"""Provider drift: the baseline's prompts, asked again and compared with their earlier answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from row3.domain.judgements import MetricChange
from row3.domain.requests import digest_text
from row3.domain.scores import SLACK, CaseScore, Metric, Usage
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy, exceeds, reaches
from row3.gate.power import sensitivity, smallest_drop
from row3.kinds.base import Kind

FEWEST, MOST = 10, 20
"""Suites up to the first size are asked whole; by default a sample never exceeds the second."""
NOTEWORTHY = 0.01
"""Smallest move, as a fraction, for which another metric is reported."""
DriftState = Literal["moved", "steady", "open"]


class Drift(NamedTuple):
    """How far the answers to the baseline's prompts have moved, over the comparable cases."""

    metrics: tuple[MetricChange, ...]
    """`baseline` is then, `current` is now; ignore the verdicts."""
    about: Metric
    """The primary metric; for a kind without a composite, the headline metric that moved most, if any did."""
    state: DriftState
    """Whether the metric moved, stayed within the gate's limit, or neither is shown."""
    cases: int
    same: int
    """Cases whose answers are word for word the same."""
    smallest_drop: float | None
    """The smallest move of the primary metric detected four times in five, a fraction; None if unknown."""

    @property
    def change(self) -> MetricChange | None:
        """The change of the reported metric."""
        return next((change for change in self.metrics if change.key == self.about.key), None)


class CaseDrift(NamedTuple):
    """One case that was asked again."""

    case_id: str
    then: float | None
    """The primary metric; None if the two answers cannot be compared."""
    now: float | None
    same: bool


class DriftCheck(NamedTuple):
    """The baseline's prompts, asked again and compared."""

    drift: Drift
    cases: tuple[CaseDrift, ...]
    failed: Mapping[str, str]
    usage: Usage


def sample_size(cases: int) -> int:
    """Return how many cases to ask again: all up to 10, then half of them, between 10 and 20."""
    return cases if cases <= FEWEST else min(MOST, max(FEWEST, cases // 2))


def sample_of(ids: Iterable[str], wanted: int, seed: int) -> list[str]:
    """Return a random sample of the ids in their given order; the seed determines it."""
    ids = list(ids)
    chosen = set(sorted(ids, key=lambda case_id: digest_text(f"{seed}:{case_id}"))[:wanted])
    return [case_id for case_id in ids if case_id in chosen]


def drift_between(then: Mapping[str, CaseScore], now: Mapping[str, CaseScore], kind: Kind, policy: GatePolicy) -> Drift:
    """Return how far the base's answers have drifted, over the cases that have a score then and now."""
    pairs, same = Pairs(kind), 0
    for case_id, old in then.items():
        new = now.get(case_id)
        if new is None or "failed" in (old.status, new.status):
            continue
        same += old.answers == new.answers
        pairs.add(old.metrics, new.metrics, repeats=(old.repeats, new.repeats), spreads=(old.spread, new.spread))
    return drift_of(pairs, kind.metrics, policy, kind.primary, same=same)


def drift_of(pairs: Pairs, metrics: Sequence[Metric], policy: GatePolicy, primary: str, *, same: int) -> Drift:
    """Return the drift between the earlier and the new answers.

    A metric has moved if its paired 95 % interval excludes 0 and the move, up or down, is large enough for the gate to
    investigate. It is steady if the interval excludes every move beyond the gate's limit, and otherwise open, as with
    fewer than two independent cases.
    """
    then, now = pairs.means()
    changes = tuple(
        compare_metrics(
            then, now, metrics, GatePolicy(unit=policy.unit, policy="fixed"), pairs, primary=primary, intervals="seen"
        )
    )
    by_key = {metric.key: metric for metric in metrics}
    states = {change.key: _state(change, by_key[change.key], policy) for change in changes}
    about = primary
    if states.get(primary) != "moved" and not any(metric.weight for metric in metrics):
        headline = {change.key: abs(change.delta or 0.0) for change in changes if not by_key[change.key].companion}
        moved = [key for key in headline if states[key] == "moved"]
        about = max(moved, key=headline.__getitem__, default=primary)
    seen = sensitivity(pairs, by_key[primary], GatePolicy(policy="paired", limits={primary: 0.0}), primary=primary)
    return Drift(
        changes,
        by_key[about],
        states.get(about, "open"),
        pairs.counts().get(about, 0),
        same,
        None if seen is None else smallest_drop(seen.variance, seen.finding),
    )


def _state(change: MetricChange, metric: Metric, policy: GatePolicy) -> DriftState:
    known, then = change.interval, change.baseline
    if known is None or then is None or change.delta is None:
        return "open"

    def size(delta: float) -> float:
        return abs(policy.worse_by(metric, then, then + delta))

    if (known.low > SLACK or known.high < -SLACK) and reaches(size(change.delta), policy.investigate):
        return "moved"
    return "open" if exceeds(max(size(known.low), size(known.high)), policy.limit(metric.key)) else "steady"


def other_moves(drift: Drift) -> Mapping[str, float]:
    """Return the other metrics that moved noticeably; fractions, largest first."""
    moved = {
        change.key: change.delta
        for change in drift.metrics
        if change.key != drift.about.key and change.delta is not None and abs(change.delta) >= NOTEWORTHY
    }
    return dict(sorted(moved.items(), key=lambda item: -abs(item[1])))
