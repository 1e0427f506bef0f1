"""From cases to a suite: means (headline), pooled values, tallies."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from row3.domain.predicates import fold_predicate
from row3.domain.scores import Tally
from row3.domain.words import nearest
from row3.metrics.ratios import f1, ratio

PAIR = "\t"
"""Separates the two names in a tally label for a pair; no name contains it."""
MOST_LABELS = 2_000
"""Labels kept per tally group, because a model can invent any number of names."""
UNKNOWN = "unknownPredicates"
OTHERS = "…"
"""Label that counts the rest."""
MOST_SUMMED = 256
"""Values of a sum before they are folded."""


def add_exactly(sums: array[float], value: float) -> None:
    """Add a value to those of a sum, which stay few: they are folded to others that have exactly the same sum."""
    sums.append(value)
    if len(sums) == MOST_SUMMED:
        folded = array("d")
        while rest := math.fsum((*sums, *(-part for part in folded))):
            folded.append(rest)
        sums[:] = folded


class Seen(NamedTuple):
    """In how many cases and independent units a metric's numerator was above 0."""

    seen: int
    cases: int
    units_seen: int
    units: int
    """Cases; those that share a source are one unit."""


class _Units:
    """Counts cases, and independent units: cases that share a source are one."""

    __slots__ = ("alone", "cases", "sources")

    def __init__(self) -> None:
        self.cases = self.alone = 0
        self.sources: set[str] = set()

    def add(self, source: str | None) -> None:
        self.cases += 1
        if source is None:
            self.alone += 1
        else:
            self.sources.add(source)

    @property
    def count(self) -> int:
        return self.alone + len(self.sources)


class _Counts:
    """Sums a metric's numerators and denominators, and counts the cases with a numerator above 0."""

    __slots__ = ("all", "part", "seen", "whole")

    def __init__(self) -> None:
        self.part = self.whole = 0
        self.all, self.seen = _Units(), _Units()

    def add(self, part: int, whole: int, source: str | None) -> None:
        self.part += part
        self.whole += whole
        self.all.add(source)
        if part > 0:
            self.seen.add(source)


class Aggregate:
    """Collects the cases of a run.

    The mean weighs every case equally (macro). The pooled value divides the summed counts (micro).
    """

    def __init__(self) -> None:
        self._values: dict[str, tuple[array[float], _Units]] = {}
        """Values with the sum of all cases', and the cases, by metric."""
        self._counts: dict[str, _Counts] = {}

    def add(
        self, metrics: Mapping[str, float], counts: Mapping[str, tuple[int, int]], source: str | None = None
    ) -> None:
        """Add a scored case; cases that share a `source` are not independent."""
        for key, value in metrics.items():
            if key not in self._values:
                self._values[key] = array("d"), _Units()
            values, units = self._values[key]
            add_exactly(values, value)
            units.add(source)
        for key, (part, whole) in counts.items():
            if key not in self._counts:
                self._counts[key] = _Counts()
            self._counts[key].add(part, whole, source)

    def means(self) -> dict[str, float]:
        """Return each metric's mean over the cases it applies to, exactly summed."""
        return {key: math.fsum(values) / units.cases for key, (values, units) in self._values.items()}

    def denominators(self) -> dict[str, int]:
        """Return the number of cases behind each mean."""
        return {key: units.cases for key, (_, units) in self._values.items()}

    def units(self) -> dict[str, int]:
        """Return the number of independent units behind each mean; cases that share a source are one unit."""
        return {key: units.count for key, (_, units) in self._values.items()}

    def seen_in(self) -> dict[str, Seen]:
        """Return in how many cases and units each metric's numerator was above 0."""
        return {
            key: Seen(each.seen.cases, each.all.cases, each.seen.count, each.all.count)
            for key, each in self._counts.items()
        }

    def pooled(self) -> dict[str, float]:
        """Return micro values: summed numerators over summed denominators."""
        values = {key: ratio(counts.part, counts.whole) for key, counts in self._counts.items()}
        for prefix in ("", "entity_"):
            precision, recall = values.get(f"{prefix}precision"), values.get(f"{prefix}recall")
            if precision is not None and recall is not None:
                values[f"{prefix}f1"] = f1(precision, recall)
        return values


class Tallies(dict[str, dict[str, int]]):
    """A sum of tallies."""

    def add(self, tally: Tally) -> None:
        """Add a tally."""
        for group, counts in tally.items():
            totals = self.setdefault(group, {})
            for label, count in counts.items():
                key = label if label in totals or len(totals) < MOST_LABELS else OTHERS
                totals[key] = totals.get(key, 0) + count


def counted(labels: Iterable[str]) -> dict[str, int]:
    """Count the labels; for a few dozen, three times as fast as `collections.Counter`."""
    counts: dict[str, int] = {}
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    return counts


def split_label(label: str) -> tuple[str, str]:
    """Return the actual and the expected name in a tally label; the second is empty unless the label is a pair."""
    actual, _, expected = label.partition(PAIR)
    return actual, expected


def tally_json(tally: Tally, predicates: Sequence[str]) -> dict[str, Any]:
    """Return counts by state; substitutions as objects, most frequent first."""
    value: dict[str, Any] = {}
    for group, counts in tally.items():
        if group == UNKNOWN:
            value[group] = [
                {"said": name, "count": counts[name], "nearest": nearest_predicate(name, predicates)}
                for name in _by_frequency(counts)
            ]
        elif any(PAIR in label for label in counts):
            value[group] = [
                dict(zip(("said", "expected"), split_label(label), strict=True)) | {"count": counts[label]}
                for label in _by_frequency(counts)
            ]
        else:
            value[group] = dict(counts)
    return value


def _by_frequency(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda label: (-counts[label], label))


def nearest_predicate(name: str, predicates: Sequence[str]) -> str | None:
    """Return the known predicate that a name may be a misspelling of."""
    known = {fold_predicate(predicate): predicate for predicate in predicates}
    return known.get(nearest(fold_predicate(name), known, cutoff=0.7))


def percentile(values: Iterable[float], share: float) -> float | None:
    """Return the percentile `share` (in [0, 1]), linearly interpolated as in numpy (Hyndman and Fan 1996, type 7).

    None without values.
    """
    ordered = sorted(values)
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def mean_and_spread(values: list[float]) -> tuple[float, float]:
    """Return mean and sample standard deviation (n - 1), which is 0 for a single value."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
