"""Looking after every case and stopping when it is clear, without the false alarms that peeking brings.

A t interval looked at after every case errs far more often than its level says. A confidence sequence
holds for all n at once, so a run may stop the first time it says enough. The price is width.

Two are here, and only the first may stop a run:

- `capital` and `betting_sequence` are valid for any bounded differences at every n, whatever their distribution.
  They are slow where differences are small against their range: 30 drops of 10 points each cannot show a loss,
  and nothing honest can, as differences that are mostly -0.1 and now and then +1 have mean 0 and look just so.
- `asymptotic_sequence` is narrower, and right only for many cases of a tame distribution. Simulated false alarms at
  5 %, peeking after every case up to 200: normal differences from the 2nd case on 24 %, from the 10th 6 %, from the
  30th 3 %; with one large difference in 20 and small ones of the other sign, from the 30th 25 %. For display.

Both need cases in an order that does not depend on their outcomes: shuffled with a seed, or the file's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

BOLDNESS = 0.9
"""The most of the capital that one case may cost. Any value below 1 is valid; bold bets suit small differences."""
FINENESS = 1e-5
"""Bounds are found to within this share of the range, and rounded outwards."""


def capital(
    differences: Sequence[float],
    *,
    null: float = 0.0,
    lowest: float = -1.0,
    highest: float = 1.0,
    level: float = 0.95,
    planned: int = 30,
    bets: Sequence[float] | None = None,
) -> list[tuple[float, float]]:
    """How much a gambler starting with 1 has won after each case by betting against "the mean is `null`".

    Each case yields two fortunes: of betting that the mean is above the null, and that it is below. If every
    difference has mean `null` given the ones before, the probability that either ever reaches 2 / (1 - level) is
    at most 1 - level; if the mean is not above it, the probability that the first ever reaches 1 / (1 - level) is
    at most 1 - level, and the same holds of the second if the mean is not below it. So "stop when the second
    reaches 20 with null = -limit" shows a loss beyond the limit with at most 5 % false alarms, at whichever case
    it stops.

    With x scaled to [0, 1], m the scaled null, c = `BOLDNESS` and bets made before x_t is seen:

        K+_t = K+_{t-1} (1 + min(b_t, c/m) (x_t - m)),   K-_t = K-_{t-1} (1 - min(b_t, c/(1-m)) (x_t - m))
        b_t = sqrt(2 ln(2/(1-level)) / (planned var_{t-1})), var with one pseudo-observation of 1/4 at 1/2

    Args:
        differences: in the order of the cases; each from `lowest` to `highest`.
        planned: how many cases the bets are tuned for; more or fewer are as valid.
        bets: in place of b_t, one a difference, at least 0 and on the scale of x; each made before its difference was
            seen, or the promise does not hold.
    Returns:
        (K+, K-) after each case, at least 0, possibly infinity.
    Raises:
        ValueError: a difference outside the range, null not inside it, or level or planned out of range.
    Source: Waudby-Smith and Ramdas 2024, JRSS B 86, 1-27, arXiv 2010.09686, hedged capital process; Ville 1939.
    """
    if not lowest < null < highest:
        raise ValueError(f"the null value {null} must be between {lowest} and {highest}")
    scaled = _scaled(differences, lowest, highest, level, planned)
    bets = _bets(scaled, level, planned) if bets is None else bets
    middle = (null - lowest) / (highest - lowest)
    ups = accumulate(_gains(scaled, bets, middle))
    downs = accumulate(_gains([1.0 - x for x in scaled], bets, 1.0 - middle))
    return [(_exp(up), _exp(down)) for up, down in zip(ups, downs, strict=True)]


def betting_sequence(
    differences: Sequence[float],
    *,
    lowest: float = -1.0,
    highest: float = 1.0,
    level: float = 0.95,
    planned: int = 30,
) -> list[tuple[float, float]]:
    """Bounds on the mean difference after each case, which all hold at once with probability `level`.

    The means that `capital` has not yet won 2 / (1 - level) against. Later bounds are never wider than earlier
    ones (running intersection); should they contradict each other, a point between them is returned.

    Args, raises and source as `capital`. Returns (low, high) a case, within [lowest, highest].
    """
    scaled = _scaled(differences, lowest, highest, level, planned)
    bets = _bets(scaled, level, planned)
    goal = math.log(2.0 / (1.0 - level))
    width = highest - lowest
    lows = _lower_bounds(scaled, bets, goal)
    highs = [1.0 - low for low in _lower_bounds([1.0 - x for x in scaled], bets, goal)]
    bounds = []
    for low, high in zip(lows, highs, strict=True):
        # Contradicting bounds are a miss that the level allows for; an interval is still owed.
        ends = (low, high) if low <= high else (0.5 * (low + high),) * 2
        bounds.append((lowest + width * ends[0], lowest + width * ends[1]))
    return bounds


def asymptotic_sequence(
    differences: Sequence[float], *, level: float = 0.95, planned: int = 30, first_look: int = 30
) -> list[tuple[float, float] | None]:
    """Bounds on the mean difference after each case, valid in the limit of many cases; see the module.

    mean_t -+ s_t sqrt(2 (t r^2 + 1) / (t^2 r^2) ln(sqrt(t r^2 + 1) / alpha)) with s_t the standard deviation so far
    (n - 1) and r^2 = (x - 1) / planned, x - ln x = 1 - 2 ln alpha, which makes it narrowest at t = planned.

    Args:
        differences: any finite numbers, in the order of the cases.
        first_look: None is returned for fewer cases; below 20 even normal differences alarm falsely too often.
    Returns:
        (low, high) a case, or None.
    Raises:
        ValueError: a difference is not finite, or level, planned or first_look out of range.
    Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Annals of Statistics 52, arXiv 2103.06476.
    """
    _check(level, planned)
    if first_look < 2 or not all(map(math.isfinite, differences)):
        raise ValueError("finite differences and a first look from the second case on are wanted")
    alpha = 1.0 - level
    r2 = _best_mixture(alpha) / planned
    bounds: list[tuple[float, float] | None] = []
    mean = squares = 0.0
    for t, value in enumerate(differences, 1):
        away = value - mean
        mean += away / t
        squares += away * (value - mean)
        spread = math.sqrt(squares / (t - 1)) if t > 1 else 0.0
        tilted = t * r2 + 1.0
        reach = spread * math.sqrt(2.0 * tilted / (t * t * r2) * (0.5 * math.log(tilted) - math.log(alpha)))
        bounds.append((mean - reach, mean + reach) if t >= first_look else None)
    return bounds


def _best_mixture(alpha: float) -> float:
    """x - 1 for the larger root of x - ln x = 1 - 2 ln alpha, a branch of Lambert's W.

    The iteration contracts by 1 / x, and x is above 1.
    """
    start = 1.0 - 2.0 * math.log(alpha)
    x = start
    for _ in range(100):
        x = start + math.log(x)
    return x - 1.0


def _scaled(differences: Sequence[float], lowest: float, highest: float, level: float, planned: int) -> list[float]:
    """The differences scaled to [0, 1]."""
    _check(level, planned)
    slack = 1e-9 * (highest - lowest)
    if not all(lowest - slack <= value <= highest + slack for value in differences):
        raise ValueError(f"a difference is not between {lowest} and {highest}")
    return [min(1.0, max(0.0, (value - lowest) / (highest - lowest))) for value in differences]


def _bets(scaled: Sequence[float], level: float, planned: int) -> list[float]:
    """The bet on each difference, before it is cut to what the null allows."""
    numerator = 2.0 * math.log(2.0 / (1.0 - level)) / planned
    bets, total, squares = [], 0.5, 0.25
    for seen, x in enumerate(scaled, 1):
        bets.append(math.sqrt(numerator * seen / squares))
        total += x
        squares += (x - total / (seen + 1)) ** 2
    return bets


def _gains(scaled: Sequence[float], bets: Sequence[float], middle: float) -> list[float]:
    """The logarithm of each factor of K+."""
    most = BOLDNESS / middle
    return [math.log1p(min(bet, most) * (x - middle)) for x, bet in zip(scaled, bets, strict=True)]


def _lower_bounds(scaled: Sequence[float], bets: Sequence[float], goal: float) -> list[float]:
    """After each case the largest mean so far against which K+ has reached its goal, 0 where it has against none.

    Every factor of K+ falls as the mean rises, so the means that are ruled out are those below one number, and
    bisection finds it. Its lower end is returned, against which the goal was reached.
    """
    low, bounds = 0.0, []
    for seen in range(1, len(scaled) + 1):
        first, last = scaled[:seen], bets[:seen]
        if low == 0.0 or sum(_gains(first, last, low)) >= goal:
            above = 1.0
            while above - low > FINENESS:
                middle = 0.5 * (low + above)
                low, above = (middle, above) if sum(_gains(first, last, middle)) >= goal else (low, middle)
        bounds.append(low)
    return bounds


def _exp(value: float) -> float:
    return math.exp(value) if value < 709.0 else math.inf


def _check(level: float, planned: int) -> None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    if planned < 1:
        raise ValueError(f"planned must be at least 1, not {planned}")
