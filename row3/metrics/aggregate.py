"""From cases to a suite: the mean (headline), the pooled value, and counts of what became of items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from row3.domain.scores import Tally
from row3.metrics.ratios import f1, ratio

PAIR = "\t"
"""Between the two names of a tally's label that stands for a pair; neither has one."""
MOST_LABELS = 2_000
"""Labels kept of a tally's group: a model can invent any number of names, and a run has any number of cases."""
OTHERS = "…"
"""The label of those beyond."""


class Seen(NamedTuple):
    """In how many cases, and in how many independent units, a metric's numerator was above 0."""

    seen: int
    cases: int
    units_seen: int
    units: int
    """Sources where cases share one, else cases."""


class Aggregate:
    """Running totals over the cases of a run.

    The mean counts every case the same (macro). The pooled value divides the summed counts (micro).
    """

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}
        self._counts: dict[str, list[int]] = {}
        self._sources: dict[str, dict[str, list[bool]]] = {}
        """By metric and source, whether the numerator of each of its cases was above 0."""
        self._sourced: dict[str, list[str]] = {}
        """By metric, the source of each case that has one."""

    def add(
        self, metrics: Mapping[str, float], counts: Mapping[str, tuple[int, int]], source: str | None = None
    ) -> None:
        """Take in one scored case; cases with one `source` are not independent."""
        for key, value in metrics.items():
            self._values.setdefault(key, []).append(value)
            if source is not None:
                self._sourced.setdefault(key, []).append(source)
        for key, (part, whole) in counts.items():
            total = self._counts.setdefault(key, [0, 0, 0, 0])
            total[0] += part
            total[1] += whole
            total[2] += part > 0
            total[3] += 1
            if source is not None:
                self._sources.setdefault(key, {}).setdefault(source, []).append(part > 0)

    def means(self) -> dict[str, float]:
        """Return the mean over the cases to which each metric applies, exactly summed."""
        return {key: math.fsum(values) / len(values) for key, values in self._values.items()}

    def denominators(self) -> dict[str, int]:
        """Return the number of cases behind each mean."""
        return {key: len(values) for key, values in self._values.items()}

    def units(self) -> dict[str, int]:
        """Return the number of independent units behind each mean: sources where cases share one, else cases."""
        shared = {key: len(sources) - len(set(sources)) for key, sources in self._sourced.items()}
        return {key: len(values) - shared.get(key, 0) for key, values in self._values.items()}

    def seen_in(self) -> dict[str, Seen]:
        """Return for each metric in how many cases and units its numerator was above 0."""
        found = {}
        for key, (_, _, seen, cases) in self._counts.items():
            shared = self._sources.get(key, {}).values()
            # A source counts once, whatever its cases.
            units_seen = seen - sum(map(sum, shared)) + sum(map(any, shared))
            found[key] = Seen(seen, cases, units_seen, cases - sum(map(len, shared)) + len(shared))
        return found

    def pooled(self) -> dict[str, float]:
        """Return micro values: summed numerators over summed denominators."""
        values = {key: ratio(part, whole) for key, (part, whole, *_) in self._counts.items()}
        for prefix in ("", "entity_"):
            precision, recall = values.get(f"{prefix}precision"), values.get(f"{prefix}recall")
            if precision is not None and recall is not None:
                values[f"{prefix}f1"] = f1(precision, recall)
        return values


class Tallies(dict[str, dict[str, int]]):
    """Sums of tallies, itself one."""

    def add(self, tally: Tally) -> None:
        """Take in one tally."""
        for group, counts in tally.items():
            held = self.setdefault(group, {})
            for label, count in counts.items():
                kept = label if label in held or len(held) < MOST_LABELS else OTHERS
                held[kept] = held.get(kept, 0) + count


def counted(labels: Iterable[str]) -> dict[str, int]:
    """Return how often each label occurs; for a few dozen in a third of the time that `collections.Counter` takes."""
    counts: dict[str, int] = {}
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    return counts


def split(label: str) -> tuple[str, str]:
    """Return what was said and what was expected; the second empty where the label names one thing."""
    said, _, meant = label.partition(PAIR)
    return said, meant


def percentile(values: Iterable[float], share: float) -> float | None:
    """Return the value below which `share` of the values lie, linearly interpolated; None of nothing.

    The definition of numpy's default (Hyndman and Fan 1996, type 7).
    """
    ordered = sorted(values)
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def mean_and_spread(values: list[float]) -> tuple[float, float]:
    """Return mean and sample standard deviation (n - 1); the deviation of a single value is 0."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
