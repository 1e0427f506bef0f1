"""Tests that are valid for any number of cases: the sign-flip test, the bound on a bounded mean, and counts.

A prompt that makes one answer in fifteen unusable loses five points. One time in three, fifteen cases show no such
answer; the differences then look quiet, and a t interval claims that nothing was lost. The bounded mean guards against
that. Units are cases, or sources if cases share one; repeats say nothing about the next case.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from row3.gate.distributions import beta_quantile, normal_cdf

Test = TypeVar("Test", bound=Hashable)

EXACT = 1e-12
"""Differences up to this are rounding errors: two fractions with denominators below a million differ by more."""
SPLIT = 2.0**27 + 1.0
STEPS = 4096
"""The sign-flip test rounds sizes to this fraction of their sum, unless all are multiples of one unit."""


def sign_flip_p(values: Iterable[float]) -> float:
    """Return the one-sided p-value of "the values are symmetric about 0"; a small p shows that they lie below.

    p = #{s in {-1, 1}^k : sum s_i |x_i| <= sum x_i} / 2^k over the k values that are not 0, so at least 2^-k; 1 if k
    is 0. For differences of one size it is the sign test, for pass or fail the exact McNemar test. The subset sums are
    counted exactly, as coefficients of prod (1 + z^|x_i|) in the digits of one large integer.
    Source: Fisher 1935, The Design of Experiments, section 21; Pitman 1937, JRSS Supplement 4, 119-130.
    """
    moved = [value for value in values if abs(value) > EXACT]
    steps = _whole_steps([abs(value) for value in moved])
    fallen = sum(step for step, value in zip(steps, moved, strict=True) if value < 0.0)
    width = len(steps) + 1
    counts = 1
    for step in steps:
        counts += counts << (step * width)
    if fallen == 0:
        return 1.0
    # A number modulo b - 1 is the sum of its digits in base b if that sum is less than b - 1.
    reaching = (counts >> (fallen * width)) % ((1 << width) - 1)
    return reaching / float(1 << len(steps))


def fewest_units(alpha: float) -> int:
    """Return how many units must move, all the same way, before a sign-flip test can reject at level alpha."""
    return math.ceil(-math.log2(alpha) - EXACT)


def bounded_p(sums: Iterable[float] | Mapping[float, int], worst: float) -> float:
    """Return the one-sided p-value of "the mean is at most 0" for unit sums; a small p shows that it is above.

    `sums` may count the units with each sum, as many cases often have few different ones.

    The only assumption is that no unit falls below `worst`. One unit with that value is added, and p is the Bayesian
    bootstrap's P( sum_u c_u E_u + worst E_0 <= 0 ) with standard exponentials E and the unit sums c_u. No distribution
    is known to break it. Source: Gaffke 2005, Mathematical Methods of Statistics 14, 451-467; Learned-Miller and Thomas
    2019, arXiv 1905.06208.
    """
    parts = Counter(sums)
    parts[min([worst, *parts])] += 1
    if min(parts) >= 0.0:
        return 0.0
    return 1.0 if counted_sum(parts.items()) <= 0.0 else _below_zero(parts)


def units_needed(room: float, depth: float, alpha: float) -> int:
    """Return how many units rule out a rare loss if all lie `room` above the limit; 0 if no number does.

    `depth` is a unit's distance above its worst possible value.
    """
    if not 0.0 < room < depth:
        return 0
    return math.ceil(math.log(alpha) / math.log1p(-room / depth))


def holm(p_values: Mapping[Test, float], alpha: float) -> dict[Test, tuple[float, int]]:
    """Return each test's p-value adjusted by Holm, and the divisor of its level.

    The i-th smallest of m becomes the maximum over j <= i of min(1, (m - j + 1) p_(j)). If r of them are at most alpha,
    a rejected test has the level alpha / (m - i + 1) and every other alpha / (m - r): intervals at those levels agree
    with the decisions, and the probability of any error stays at alpha under any dependence.
    Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    adjusted: dict[Test, tuple[float, int]] = {}
    worst, left = 0.0, len(p_values)
    for key in sorted(p_values, key=lambda key: p_values[key]):
        worst = max(worst, min(1.0, (len(p_values) - len(adjusted)) * p_values[key]))
        adjusted[key] = worst, left
        if worst <= alpha:
            left -= 1
    return {key: adjusted[key] for key in p_values}


def upper_bound(seen: int, trials: int, level: float = 0.95) -> float:
    """Return the exact upper bound of a probability: after 0 events in 30 trials, 9.5 % at level 95 %.

    The beta quantile of Clopper and Pearson 1934, Biometrika 26, 404-413; 1 without trials or if all were events.
    Raises ValueError unless 0 <= seen <= trials and 0 < level < 1.
    """
    if not 0 <= seen <= trials:
        raise ValueError(f"{seen} events in {trials} trials")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    return 1.0 if seen == trials else beta_quantile(level, seen + 1.0, float(trials - seen))


def _whole_steps(sizes: Sequence[float]) -> list[int]:
    """Return the sizes as integers: exact if all are multiples of a fraction of the smallest, else as n of `STEPS`."""
    if not sizes:
        return []
    for parts in range(1, 11):
        unit = min(sizes) / parts
        steps = [round(size / unit) for size in sizes]
        if sum(steps) <= STEPS and all(abs(size / unit - step) < 1e-6 for size, step in zip(sizes, steps, strict=True)):
            return steps
    step = math.fsum(sizes) / STEPS
    return [round(size / step) for size in sizes]


def counted_sum(parts: Iterable[tuple[float, int]]) -> float:
    """Return the sum of values, each as often as its number (below 2^27) says, as exactly as `math.fsum` of all."""
    terms = list[float]()
    for value, number in parts:
        scaled = SPLIT * value  # halves of 26 bits have exact products (Dekker 1971)
        high = scaled - (scaled - value)
        terms += (value,) if number == 1 else (number * high, number * (value - high))
    return math.fsum(terms)


def _below_zero(parts: Mapping[float, int]) -> float:
    """Return P(sum c E <= 0) for standard exponentials E and coefficients of both signs with a positive sum.

    Saddlepoint approximation, with a relative error below 3 % where it matters: K(s) = -sum ln(1 - s c) is convex, and
    its slope has one root between the pole of the most negative coefficient and 0. Newton's method within bounds.
    Source: Lugannani and Rice 1980, Advances in Applied Probability 12, 475-490.
    """
    low, high = 1.0 / min(parts), 0.0
    s = 0.5 * low
    for _ in range(60):
        slopes = [(part / (1.0 - s * part), number) for part, number in parts.items()]
        slope, curve = counted_sum(slopes), counted_sum((value * value, number) for value, number in slopes)
        low, high = (low, s) if slope > 0.0 else (s, high)
        step = s - slope / curve
        if not low < step < high:
            step = 0.5 * (low + high)
        done = abs(step - s) <= 1e-9 * abs(s)
        s = step
        if done:
            break
    root = -math.sqrt(max(0.0, 2.0 * counted_sum((math.log1p(-s * part), number) for part, number in parts.items())))
    if root > -1e-3:
        return 0.5  # the mean is nearly 0
    shift = s * math.sqrt(curve)
    density = math.exp(-0.5 * root * root) / math.sqrt(2.0 * math.pi)
    return min(1.0, max(0.0, normal_cdf(root) + density * (1.0 / root - 1.0 / shift)))
