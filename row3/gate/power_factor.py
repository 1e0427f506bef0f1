"""How many standard errors a true drop must be away to be detected with a given power.

The textbook factor t_{1-alpha/2, df} + t_{power, df} is slightly too small when the standard deviation is known
(at 5 cases it has 79.1 % power for 80), and much too small when the deviation is itself an estimate from as few
cases, as it is here: it then promises a drop that is found less often than said. The factor below keeps the
promise on average over what the pilot might have estimated: 4.68 instead of 3.72 at 5 cases, 3.20 instead of 3.01
at 15, 2.83 instead of 2.82 at 200.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from row3.gate.distributions import t_quantile

NEGLIGIBLE = 1e-10
"""Probability of a node of the grid below which it is left out; a thousand of them move no digit that is shown."""
CLOSE = 1e-9
"""A power that is missed by no more than this is not surely missed, since rounding could decide it."""


@lru_cache(maxsize=4096)
def detection_factor(df: float, *, known_df: float = math.inf, power: float = 0.8, level: float = 0.95) -> float:
    """The k for which a drop of margin + k SE is detected with probability `power`.

    Detected: the two-sided t interval of `level` with `df` degrees of freedom lies wholly below -margin. SE comes
    from a standard deviation estimated beforehand with `known_df` degrees of freedom, independently of the
    comparison that is planned; infinite where it is known. With S1 and S2 the two deviations over their true
    value, k solves P(Z + k S1 > t_{1-alpha/2, df} S2) = power, and for known_df = inf that is the power of the
    noncentral t.

    Returns:
        k, in standard errors. Normal differences are assumed.
    Raises:
        ValueError: unless df > 0, known_df > 0, 0.5 <= power < 1 and 0 < level < 1.
    """
    critical, reached = _detected(df, known_df, power, level)
    # The textbook factor is a little too small, which makes it the place to start from.
    low, under = 0.0, -power
    high = critical + t_quantile(power, df)
    over = reached(high) - power
    while over < 0.0:
        low, under = high, over
        high *= 1.1
        over = reached(high) - power
    # False position (Illinois). Four digits are more than a plan needs; the upper end is returned, which never
    # promises too much.
    while high - low > 1e-4 * high:
        middle = min(max(high - over * (high - low) / (over - under), low + 1e-5 * high), high - 5e-5 * high)
        found = reached(middle) - power
        if found < 0.0:
            low, under, over = middle, found, 0.5 * over
        else:
            high, over, under = middle, found, 0.5 * under
    return high


@lru_cache(maxsize=4096)
def least_factor(df: float, *, known_df: float = math.inf, power: float = 0.8, level: float = 0.95) -> float:
    """What `detection_factor` surely is larger than, at a tenth of its price: the textbook factor, or 0.

    Few cases have the dearest factor, and are what a search for enough cases tries first. Raises as it does.
    """
    critical, reached = _detected(df, known_df, power, level)
    textbook = critical + t_quantile(power, df)
    return textbook if reached(textbook) < power - CLOSE else 0.0


@lru_cache(maxsize=2)  # for the factor that is found next, where this many are close to enough
def _detected(df: float, known_df: float, power: float, level: float) -> tuple[float, Callable[[float], float]]:
    """The critical value, and the probability of detecting a drop by its number of standard errors."""
    if not 0.5 <= power < 1.0:
        raise ValueError(f"power must be at least 0.5 and below 1, not {power}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    critical = t_quantile(0.5 + 0.5 * level, df)
    # The normal probability P(Z < x) is erfc(-x / sqrt 2) / 2; the constants are taken into the grid.
    half = math.sqrt(0.5)
    grid = [
        (half * promised, half * critical * observed, 0.5 * weight * other)
        for promised, weight in _deviations(known_df)
        for observed, other in _deviations(df, 1.0 / critical)
        if weight * other > NEGLIGIBLE
    ]

    def reached(factor: float, erfc: Callable[[float], float] = math.erfc) -> float:
        return math.fsum([weight * erfc(away - factor * s) for s, away, weight in grid])

    return critical, reached


def _deviations(df: float, finest: float = math.inf) -> list[tuple[float, float]]:
    """Values of sqrt(chi^2_df / df) and their probabilities, which sum to 1.

    The trapezium rule in the logarithm y, whose density is proportional to exp(df y - df e^{2y} / 2): smooth, with
    tails that vanish on both sides, the rule is exact to many digits with steps of 0.8 standard deviations,
    or of `finest`, the width over which the integrand rises, where that is less.
    """
    if math.isinf(df):
        return [(1.0, 1.0)]
    step = min(0.8 / math.sqrt(2.0 * df), finest)
    points = []
    for side in (range(10_000), range(-1, -10_000, -1)):
        for place in side:
            y = place * step
            log_weight = df * (y - 0.5 * math.expm1(2.0 * y))
            if log_weight < -24.0:
                break
            points.append((math.exp(y), math.exp(log_weight)))
    total = math.fsum(weight for _, weight in points)
    return [(value, weight / total) for value, weight in points]
