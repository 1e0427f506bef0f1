"""The worth of each case: whether it tells good versions from bad, which are redundant, and which vary by chance.

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
from statistics import correlation
from typing import Literal, NamedTuple

from row3.domain.quarantine import Quarantine
from row3.domain.scores import SLACK, Metric, Threshold, Zone, zone_of
from row3.metrics.aggregate import mean_and_spread

LEAST_VERSIONS = 3
"""Fewest versions for a meaningful correlation."""
ROUGH = 10
"""With fewer versions, a correlation is rough."""
COPY = 0.6
"""Smallest share of common expectations at which two cases are redundant."""
COMMON = 100
"""Largest number of cases that may share an expectation before it is ignored."""
LEAST_ANSWERS = 3
"""Fewest values for a verdict: fewer cannot go back and forth."""
FLIPS = 0.1
"""A case is flaky if at least this share of its answer pairs disagree on passing."""
NOISE = 0.05
"""A case is flaky if an answer's standard deviation is at least this; it equals the gate's limit for a suite."""

Column = Mapping[str, float]
"""Scores under one version by case; cases that were not asked are absent."""


@dataclass(frozen=True, slots=True)
class CaseWorth:
    """The worth of one case; scores are fractions."""

    case_id: str
    versions: int
    mean: float
    spread: float
    """Standard deviation over the versions; 0 for a single one."""
    lowest: float
    highest: float
    tells: float | None
    """Correlation with the other cases, -1 to 1; None if unknown."""
    why: str = ""
    standing: Literal["never fails", "always fails", ""] = ""
    """Excellent under every version, or in the fail zone under every version."""
    quarantined: bool = False


class Redundant(NamedTuple):
    """Two cases that test the same thing."""

    first: str
    second: str
    overlap: float
    """Number of common expectations over the number of all expectations of both."""


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


def worth(
    columns: Sequence[Column], metric: Metric, limits: Threshold | None, quarantined: Collection[str] = ()
) -> list[CaseWorth]:
    """Return the worth of every case: most informative first, then unknown, then never or always failing.

    In each column, a case is compared with the mean of the others, after subtracting every case's own mean. Otherwise a
    column that lacks the hard cases would look like a good version.
    """
    scores: dict[str, list[float]] = {}
    for column in columns:
        for case_id, value in column.items():
            scores.setdefault(case_id, []).append(value)
    centres = {case_id: math.fsum(values) / len(values) for case_id, values in scores.items()}
    totals = [math.fsum(value - centres[case_id] for case_id, value in column.items()) for column in columns]
    found = []
    for case_id, values in scores.items():
        here = [i for i, column in enumerate(columns) if case_id in column and len(column) > 1]
        own = [columns[i][case_id] for i in here]
        rest = [(totals[i] - (columns[i][case_id] - centres[case_id])) / (len(columns[i]) - 1) for i in here]
        tells, why = None, ""
        if len(here) < LEAST_VERSIONS:
            why = "too few versions"
        elif _constant(own) or _constant(rest):
            why = "it never moves" if _constant(own) else "the others never move"
        else:
            tells = max(-1.0, min(1.0, correlation(own, rest)))
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


def redundant(expectations: Mapping[str, Sequence[str]]) -> list[Redundant]:
    """Return pairs of cases that test the same thing; `expectations` lists each case's demands."""
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


def _constant(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= 1e-9


@dataclass(frozen=True, slots=True)
class FlakyCase:
    """One case under unchanged prompts and model. Values are fractions."""

    case_id: str
    answers: int
    lowest: float
    highest: float
    noise: float
    """Standard deviation of an answer; 0 for a single one."""
    flip_rate: float | None
    """How often two answers disagree on passing; None without a pass mark."""
    verdict: Literal["steady", "flaky", "unknown"]


@dataclass(frozen=True, slots=True)
class FlakyReport:
    """The flakiness of a suite's cases under one setting."""

    suite: str
    metric: Metric
    setting: str
    """Prompts and model, in words."""
    own: bool
    """Whether these are the current prompts."""
    pass_mark: float | None
    cases: tuple[FlakyCase, ...]
    """Flaky cases first, then the noisiest."""
    unknown: tuple[str, ...]
    """Ids of cases without an answer under this setting."""
    others: tuple[str, ...]
    """Other settings with several answers to a case."""
    quarantine: Quarantine
    flag: str = ""
    """Options that select the suite on the command line."""

    @property
    def asked_again(self) -> bool:
        """Whether any case has two answers, without which nothing is known."""
        return any(case.answers > 1 for case in self.cases)


def flakiness(
    case_id: str, values: Sequence[float], pass_mark: float | None = None, *, higher_is_better: bool = True
) -> FlakyCase:
    """Return the spread, flip rate and verdict of one case from one or more answers to one request (fractions).

    `unknown` with fewer than `LEAST_ANSWERS` values, else `flaky` if the flip rate reaches `FLIPS` or the noise
    `NOISE`, else `steady`. For n values of which f pass (at least as good as `pass_mark`), noise is the sample standard
    deviation and the flip rate f (n - f) / (n (n - 1) / 2), the share of pairs that disagree. The thresholds are ours.
    """
    n = len(values)
    noise = mean_and_spread([*values])[1]
    rate = None
    if pass_mark is not None:
        passed = sum(value >= pass_mark if higher_is_better else value <= pass_mark for value in values)
        rate = passed * (n - passed) / max(1, n * (n - 1) // 2)
    flaky = noise >= NOISE or (rate is not None and rate >= FLIPS)
    verdict: Literal["steady", "flaky", "unknown"] = "unknown" if n < LEAST_ANSWERS else "flaky" if flaky else "steady"
    return FlakyCase(case_id, n, min(values), max(values), noise, rate, verdict)
