"""Normal, Student t and beta distributions in plain Python, without heavy imports.

The t and binomial distributions use the regularised incomplete beta function, computed on log-odds and in logs:
tails of 1e-300 keep their digits, and 1 - x is never formed by subtraction.

Sources: continued fraction DLMF 8.17.22 (https://dlmf.nist.gov/8.17) by Lentz's method as modified by
Thompson and Barnett (1986); t as a beta, DLMF 8.17 and Abramowitz and Stegun 26.7.1.
"""

from __future__ import annotations

import math
from functools import lru_cache

TINY = 1e-300
PRECISION = 1e-16


def normal_cdf(z: float) -> float:
    """Return P(Z <= z) of the standard normal; both tails keep their relative precision."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def normal_quantile(p: float) -> float:
    """Return the z with P(Z <= z) = p. Raises ValueError unless 0 < p < 1.

    Source: Wichura 1988, algorithm AS 241, as in `statistics.NormalDist`.
    """
    from statistics import NormalDist  # imports fractions, decimal and random: 10 ms

    _check_probability(p)
    return NormalDist().inv_cdf(p)


def t_cdf(t: float, df: float) -> float:
    """Return P(T <= t) of Student's t; `df` may be fractional, or infinite for the normal. Upper tail: t_cdf(-t, df).

    Raises ValueError for df <= 0 or NaN. Source: P(|T| > t) = I_x(df/2, 1/2), x = df / (df + t^2); A&S 26.7.1.
    """
    _check_positive(df=df)
    if math.isinf(df):
        return normal_cdf(t)
    if t == 0.0 or math.isinf(t):
        return 0.5 if t == 0.0 else float(t > 0.0)
    log_odds = math.log(df) - 2.0 * math.log(abs(t))
    tail = 0.5 * math.exp(_log_beta_cdf(log_odds, 0.5 * df, 0.5))
    return tail if t < 0.0 else 1.0 - tail


@lru_cache(maxsize=1024)  # every metric of a run needs the same one
def t_quantile(p: float, df: float) -> float:
    """Return the t with P(T <= t) = p. Raises ValueError unless 0 < p < 1 and df > 0."""
    _check_probability(p)
    _check_positive(df=df)
    if math.isinf(df):
        return normal_quantile(p)
    tail = min(p, 1.0 - p)  # exact: above one half, subtracting from 1 loses no digits
    if tail == 0.5:
        return 0.0
    log_odds = _beta_log_odds(2.0 * tail, 1.0 - 2.0 * tail, 0.5 * df, 0.5)
    size = math.exp(min(0.5 * (math.log(df) - log_odds), 709.0))
    return size if p > 0.5 else -size


def beta_quantile(p: float, a: float, b: float) -> float:
    """Return the x in (0, 1) with I_x(a, b) = p. Raises ValueError unless 0 < p < 1, a > 0 and b > 0."""
    _check_probability(p)
    _check_positive(a=a, b=b)
    return math.exp(-_softplus(-_beta_log_odds(p, 1.0 - p, a, b)))


def _log_beta(a: float, b: float) -> float:
    """Return ln B(a, b). The three terms cancel: at a million cases ten correct digits are left."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _softplus(v: float) -> float:
    """Return ln(1 + e^v) without overflow."""
    return max(v, 0.0) + math.log1p(math.exp(-abs(v)))


def _log_density(log_odds: float, a: float, b: float) -> float:
    """Return the log density of logit(X), X ~ Beta(a, b): a ln x + b ln(1 - x) - ln B(a, b)."""
    return -a * _softplus(-log_odds) - b * _softplus(log_odds) - _log_beta(a, b)


def _log_beta_cdf(log_odds: float, a: float, b: float) -> float:
    """Return ln I_x(a, b) at logit(x) = log_odds."""
    x, y = math.exp(-_softplus(-log_odds)), math.exp(-_softplus(log_odds))
    density = _log_density(log_odds, a, b)
    # The fraction converges fast below the mean; above it, take the complement.
    if x * (a + b + 2.0) <= a + 1.0:
        return min(0.0, density - math.log(a) + math.log(_fraction(x, a, b)))
    other = density - math.log(b) + math.log(_fraction(y, b, a))
    return math.log1p(-min(math.exp(other), 1.0 - PRECISION))


def _fraction(x: float, a: float, b: float) -> float:
    """Return 1 / (1 + d1 / (1 + d2 / (1 + ...))) of DLMF 8.17.22, in about sqrt(max(a, b)) iterations."""
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, 100 + 10 * math.isqrt(int(a + b))):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) <= 2.0 * PRECISION:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def _beta_log_odds(p: float, rest: float, a: float, b: float) -> float:
    """Return logit(x) with I_x(a, b) = p; `rest` is 1 - p, passed separately because it may be the exact one.

    Newton's method on ln I_x for the smaller of the two. The density of logit(X) is log-concave, and so is its
    distribution function: left of the root no step overshoots, so it converges from any start.
    """
    if p > rest:
        return -_beta_log_odds(rest, p, b, a)
    target = math.log(p)
    # Start at the normal approximation, with a normal quantile accurate to 0.003 (A&S 26.2.22).
    r = math.sqrt(-2.0 * target)
    z = (2.30753 + 0.27061 * r) / (1.0 + r * (0.99229 + 0.04481 * r)) - r
    log_odds = math.log(a / b) + z * math.sqrt(1.0 / a + 1.0 / b)
    for _ in range(200):
        here = _log_beta_cdf(log_odds, a, b)
        log_slope = _log_density(log_odds, a, b) - here
        step = (target - here) * math.exp(min(-log_slope, 50.0))
        log_odds += step
        if abs(step) <= 1e-14 * (1.0 + abs(log_odds)):
            break
    return log_odds


def _check_probability(p: float) -> None:
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must be between 0 and 1, not {p}")


def _check_positive(**parameters: float) -> None:
    for name, value in parameters.items():
        if not value > 0.0:
            raise ValueError(f"{name} must be above 0, not {value}")
