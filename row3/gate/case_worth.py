"""The worth of each case: whether it tells good versions from bad, and which cases are redundant.

A table of scores has a row per case and a column per prompt version (or run). A case's worth is its item-rest
correlation: does it score high when the other cases do? Source: classical test theory, corrected item-total
correlation (Henrysson 1963, Psychometrika 28, 211-218).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from row3.domain.metrics import SLACK, Metric, Threshold, Zone, zone_of
from row3.metrics.aggregate import mean_and_spread

LEAST = 3
"""Fewest versions for a meaningful correlation."""
ROUGH = 10
"""With fewer versions a correlation is rough."""
COPY = 0.6
"""Share of expectations in common from which on two cases are redundant."""
COMMON = 100
"""An expectation that more cases share says nothing about pairs."""

Column = Mapping[str, float]
"""By case, its score under one version; a case that was not asked is absent."""


@dataclass(frozen=True, slots=True)
class CaseWorth:
    """One case over the versions; scores are fractions."""

    case_id: str
    versions: int
    mean: float
    spread: float
    """Standard deviation over the versions; 0 of a single one."""
    lowest: float
    highest: float
    tells: float | None
    """Correlation with the other cases, -1 to 1; None where it is unknown."""
    why: str = ""
    standing: Literal["never fails", "always fails", ""] = ""
    """Excellent under every version, or in the fail zone under every version."""
    quarantined: bool = False


class Redundant(NamedTuple):
    """Two cases that test the same thing."""

    first: str
    second: str
    overlap: float
    """Expectations in common over all expectations of both."""


@dataclass(frozen=True, slots=True)
class CasesReport:
    """All cases of a suite over the versions in its history."""

    suite: str
    metric: Metric
    versions: tuple[str, ...]
    cases: tuple[CaseWorth, ...]
    """Most informative first."""
    unknown: tuple[str, ...]
    redundant: tuple[Redundant, ...]
    flag: str = ""
    """Options that select the suite on the command line."""


def worth(
    columns: Sequence[Column], metric: Metric, limits: Threshold | None, quarantined: Collection[str] = ()
) -> list[CaseWorth]:
    """Return the worth of every case: the most informative first, then unknown ones, then those that cannot tell.

    A case is compared with the mean of the others in each column. Where columns lack some cases, every score is taken
    as its difference from the case's own mean first, or a column without the hard cases would look like a good version;
    with all cases in all columns that changes nothing.
    """
    means: dict[str, list[float]] = {}
    for column in columns:
        for case_id, value in column.items():
            means.setdefault(case_id, []).append(value)
    centres = {case_id: math.fsum(values) / len(values) for case_id, values in means.items()}
    totals = [math.fsum(value - centres[case_id] for case_id, value in column.items()) for column in columns]
    found = []
    for case_id, values in means.items():
        here = [i for i, column in enumerate(columns) if case_id in column and len(column) > 1]
        own = [columns[i][case_id] for i in here]
        rest = [(totals[i] - (columns[i][case_id] - centres[case_id])) / (len(columns[i]) - 1) for i in here]
        tells, why = None, ""
        if len(here) < LEAST:
            why = "too few versions"
        elif (tells := correlation(own, rest)) is None:
            why = "it never moves" if _still(own) else "the others never move"
        mean, spread = mean_and_spread(values)
        low, high = min(values), max(values)
        standing = _standing(low, high, metric, limits)
        held = case_id in quarantined
        found.append(CaseWorth(case_id, len(values), mean, spread, low, high, tells, why, standing, held))
    found.sort(key=lambda one: (2.0 + bool(one.standing) if one.tells is None else -one.tells, one.case_id))
    return found


def _standing(
    low: float, high: float, metric: Metric, limits: Threshold | None
) -> Literal["never fails", "always fails", ""]:
    worst, best = (low, high) if metric.higher_is_better else (high, low)
    if limits is None:
        return "never fails" if metric.higher_is_better and worst >= 1.0 - SLACK else ""
    if zone_of(worst, limits, higher_is_better=metric.higher_is_better) is Zone.EXCELLENT:
        return "never fails"
    return "always fails" if zone_of(best, limits, higher_is_better=metric.higher_is_better) is Zone.FAIL else ""


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's r of two lists of equal length; None of fewer than `LEAST` pairs, or where one side never moves."""
    if len(first) < LEAST or _still(first) or _still(second):
        return None
    a, b = math.fsum(first) / len(first), math.fsum(second) / len(second)
    both = math.fsum((x - a) * (y - b) for x, y in zip(first, second, strict=True))
    r = both / math.sqrt(math.fsum((x - a) ** 2 for x in first) * math.fsum((y - b) ** 2 for y in second))
    return max(-1.0, min(1.0, r))


def redundant(expectations: Mapping[str, Sequence[str]]) -> list[Redundant]:
    """Pairs of cases that ask for the same; `expectations` has a line for everything a case demands."""
    holders: dict[str, list[str]] = {}
    for case_id in sorted(expectations):
        for line in set(expectations[case_id]):
            holders.setdefault(line, []).append(case_id)
    shared = Counter(
        pair for cases in holders.values() if len(cases) <= COMMON for pair in itertools.combinations(cases, 2)
    )
    sizes = {case_id: len(set(lines)) for case_id, lines in expectations.items()}
    found = [Redundant(a, b, both / (sizes[a] + sizes[b] - both)) for (a, b), both in shared.items()]
    return sorted((pair for pair in found if pair.overlap >= COPY), key=lambda pair: (-pair.overlap, pair))


def _still(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= 1e-9
