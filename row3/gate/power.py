"""How small a drop this many cases and repeats can detect, and what more of either would buy.

More cases shrink both parts of the variance (`variance`), more repeats only the noise of the answers: what cases
differ by remains however often one asks.

Source: Miller 2024, arXiv 2411.00640, power analysis, with t instead of normal quantiles throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from row3.gate.power_factor import detection_factor, least_factor
from row3.gate.variance import DifferenceVariance

MOST_REPEATS = 1000
MOST_CASES = 1_000_000


def smallest_drop(
    variance: DifferenceVariance,
    cases: int,
    repeats: float,
    *,
    margin: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
) -> float | None:
    """The smallest true drop that a comparison of that size detects with that power; a fraction.

    margin + k SE, where "detected" means that the two-sided interval of `level` lies wholly below -margin: with
    margin 0 that a drop is seen at all, with the gate's limit that it blocks. k is
    `power_factor.detection_factor`, which allows for the variance itself being an estimate, so that few cases do
    not promise too much. Differences that spread as they were seen to are assumed: a change that hits a few cases hard
    spreads more, and is detected less often.

    None where it is unknown: fewer than two cases, no spread seen at all, or other repeats than observed and parts
    that are not told apart.
    Raises ValueError for repeats < 1, level or power out of range.
    """
    if repeats < 1.0:
        raise ValueError(f"repeats must be at least 1, not {repeats}")
    known = variance.at(repeats)
    df = _df(variance, cases)
    if known is None or known[0] == 0.0 or cases < 2 or df <= 0.0:
        return None
    factor = detection_factor(df, known_df=known[1], power=power, level=level)
    return margin + factor * math.sqrt(known[0] / cases)


def _df(variance: DifferenceVariance, cases: int) -> float:
    # Clusters: n cases are worth fewer units, and they stay as many to a unit when cases are added.
    return (variance.df + 1.0) * cases / variance.cases - 1.0


@dataclass(frozen=True, slots=True)
class Needed:
    """How many cases or repeats; without a number, why there is none."""

    count: int | None
    why: Literal["", "unknown", "never"] = ""
    """`unknown`: no spread was seen, or cases and repeats were not told apart as no case was asked twice. `never`: no
    number up to `MOST_CASES` or `MOST_REPEATS` can be promised to be enough: the drop is not beyond the margin, or the
    cases differ too much or by too little known an amount."""


def cases_needed(
    variance: DifferenceVariance,
    drop: float,
    *,
    repeats: float | None = None,
    margin: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
) -> Needed:
    """How many cases detect a drop (a fraction > 0), with as many repeats as observed unless said otherwise.

    Raises ValueError as `smallest_drop`.
    """
    repeats = variance.repeats if repeats is None else repeats
    known = variance.at(repeats)
    if known is None or known[0] == 0.0:
        return Needed(None, "unknown")

    def enough(cases: int) -> bool:
        df = _df(variance, cases)
        if df > 0.0 and drop < margin + least_factor(df, known_df=known[1], **asked) * math.sqrt(known[0] / cases):
            return False
        found = smallest_drop(variance, cases, repeats, margin=margin, power=power, level=level)
        return found is not None and found <= drop

    asked = {"power": power, "level": level}
    if drop <= margin:
        return Needed(None, "never")
    seen = smallest_drop(variance, variance.cases, repeats, margin=margin, power=power, level=level)
    guess = 2 if seen is None else variance.cases * ((seen - margin) / (drop - margin)) ** 2
    return _fewest(enough, 2, MOST_CASES, guess=guess)


def repeats_needed(
    variance: DifferenceVariance,
    drop: float,
    *,
    cases: int | None = None,
    margin: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
) -> Needed:
    """How many answers a case and side detect a drop, with as many cases as observed unless said otherwise.

    `never` where omega^2 / n alone is too much, or cannot be told from too much. Raises ValueError as `smallest_drop`.
    """
    cases = variance.cases if cases is None else cases
    if variance.repeat_variance is None or variance.total == variance.repeat_variance == 0.0:
        return Needed(None, "unknown")

    def enough(repeats: int) -> bool:
        found = smallest_drop(variance, cases, repeats, margin=margin, power=power, level=level)
        return found is not None and found <= drop

    return _fewest(enough, 1, MOST_REPEATS) if drop > margin else Needed(None, "never")


@dataclass(frozen=True, slots=True)
class Purchase:
    """What the same number of additional requests buys: the smallest detectable drop now and after, fractions."""

    now: float
    more_cases: float
    more_repeats: float
    better: Literal["cases", "repeats"]


def better_buy(
    variance: DifferenceVariance,
    *,
    factor: int = 2,
    margin: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
    worth: float = 0.75,
) -> Purchase | None:
    """Whether `factor` times the requests are better spent on more cases or on more repeats.

    A request for a request, more cases never lose: (omega^2 + 2 sigma^2 / K) / (f n) is at most (omega^2 + 2
    sigma^2 / (f K)) / n, with equality where omega^2 is 0. But a case must be found and labelled and a repeat
    need not, so repeats are the better buy where they bring at least the share `worth` of what cases bring. None
    where cases and repeats were never told apart. Raises ValueError as `smallest_drop`.
    """

    def detects(cases: int, repeats: float) -> float | None:
        return smallest_drop(variance, cases, repeats, margin=margin, power=power, level=level)

    now = detects(variance.cases, variance.repeats)
    by_cases = detects(factor * variance.cases, variance.repeats)
    by_repeats = detects(variance.cases, factor * variance.repeats)
    if now is None or by_cases is None or by_repeats is None:
        return None
    enough = now - by_repeats >= worth * (now - by_cases)
    return Purchase(now, by_cases, by_repeats, "repeats" if enough else "cases")


def _fewest(enough: Callable[[int], bool], least: int, most: int, *, guess: float = 0.0) -> Needed:
    """The smallest number that is enough: away from a guess in growing steps, then by halving."""
    step = 1
    high = min(max(least, math.ceil(guess)), most)
    low = least - 1
    if enough(high):
        while high > least and enough(lower := max(least, high - step)):
            high, step = lower, 2 * step
        low = max(low, high - step)
    else:
        while not enough(high):
            if high == most:
                return Needed(None, "never")
            low, high, step = high, min(high + max(step, high - low), most), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Needed(high)
