"""What a comparison would say without the cases whose answers cannot be used: what follows from these alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from row3.domain.metrics import Threshold, Zone
from row3.domain.verdicts import Verdict
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.zones import zones_of
from row3.kinds.base import Kind


class Sound(NamedTuple):
    """The other cases alone."""

    unmoved: frozenset[str]
    """Metrics of which the policy would say nothing."""
    zones: Mapping[str, Zone]
    shared_zones: Mapping[str, Zone]
    """Over the cases that the baseline has too."""


def sound(
    pairs: Pairs,
    kind: Kind,
    policy: GatePolicy,
    *,
    thresholds: Mapping[str, Threshold],
    values: Mapping[str, float],
    denominators: Mapping[str, int],
) -> Sound | None:
    """What the cases say that did not break, which is what `pairs` has not set apart; None where none broke.

    Args:
        values, denominators: of the whole run, with what broke.
    """
    if pairs.apart is None:
        return None
    others = pairs.others()
    before, after = others.means()
    changes = compare_metrics(before, after, kind.metrics, policy, others, primary=kind.primary)
    spoken = {change.key for change in changes if change.verdict is not Verdict.PROCEED}
    gone, counts = pairs.apart.means()[1], pairs.apart.counts()
    rest = {}
    for key, value in values.items():
        left = denominators.get(key, 0) - counts.get(key, 0)
        if left > 0:
            rest[key] = (value * denominators[key] - gone.get(key, 0.0) * counts.get(key, 0)) / left
    return Sound(
        frozenset(metric.key for metric in kind.metrics if metric.key not in spoken),
        zones_of(rest, kind.metrics, thresholds),
        zones_of(others.figures(), kind.metrics, thresholds),
    )
