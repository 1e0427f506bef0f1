"""Exact statements on counts: how often something happens, and whether flips lean to one side.

For shares of independent yes-or-no outcomes, where the t interval is wrong: near 0 and 1, and for n below a few
hundred (Bowyer, Aitchison and Ivanova 2025, arXiv 2503.01747).
"""

from __future__ import annotations

import math

from row3.gate.distributions import beta_cdf, beta_quantile, normal_quantile


def clopper_pearson(seen: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """The exact two-sided interval of a probability after `seen` events in `trials` independent trials.

    Its ends are beta quantiles; its coverage is never below `level`. No trials give (0, 1).
    Raises ValueError unless 0 <= seen <= trials and 0 < level < 1.
    Source: Clopper and Pearson 1934, Biometrika 26, 404-413.
    """
    _check(seen, trials, level)
    each = 0.5 - 0.5 * level
    low = beta_quantile(each, float(seen), trials - seen + 1.0) if seen else 0.0
    return low, upper_bound(seen, trials, 1.0 - each)


def upper_bound(seen: int, trials: int, level: float = 0.95) -> float:
    """The exact one-sided bound: 0 events in 30 trials leave up to 9.5 % possible at 95 %.

    With none seen it is 1 - (1 - level)^(1/trials), about 3 / trials at 95 %. No trials, or
    nothing but events, give 1. Raises ValueError as `clopper_pearson`.
    """
    _check(seen, trials, level)
    return 1.0 if seen == trials else beta_quantile(level, seen + 1.0, float(trials - seen))


def wilson(seen: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """The score interval; shorter than the exact one, with coverage near `level` on average, not at every share.

    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). No trials give (0, 1).
    Raises ValueError as `clopper_pearson`. Source: Wilson 1927, JASA 22, 209-212.
    """
    _check(seen, trials, level)
    if trials == 0:
        return 0.0, 1.0
    z2 = normal_quantile(0.5 + 0.5 * level) ** 2
    share = seen / trials
    centre = share + z2 / (2.0 * trials)
    reach = math.sqrt(z2 * (share * (1.0 - share) / trials + z2 / (4.0 * trials * trials)))
    whole = 1.0 + z2 / trials
    # At the ends the two terms are equal on paper; rounding must not leave a bound a hair inside.
    low = 0.0 if seen == 0 else (centre - reach) / whole
    return low, 1.0 if seen == trials else (centre + reach) / whole


def sign_test(worse: int, better: int, *, two_sided: bool = True) -> float:
    """The exact p-value of flips under "either way is as likely"; cases that did not move do not count.

    For pass/fail flips this is the exact McNemar test. One-sided it asks whether `worse` leads:
    P(X >= worse), X ~ Binomial(worse + better, 1/2). Clean flips needed below 0.05 are 5 one-sided (1/32),
    and 6 two-sided (2/64), however many cases there are. No flips give 1.
    Raises ValueError for a negative count. Source: McNemar 1947; Dixon and Mood 1946, JASA 41.
    """
    if worse < 0 or better < 0:
        raise ValueError("counts of flips are not negative")
    leading = max(worse, better) if two_sided else worse
    # P(X >= k) of the binomial is I_1/2(k, n - k + 1).
    tail = beta_cdf(0.5, float(leading), worse + better - leading + 1.0) if leading else 1.0
    return min(1.0, 2.0 * tail) if two_sided else tail


def _check(seen: int, trials: int, level: float) -> None:
    if not 0 <= seen <= trials:
        raise ValueError(f"{seen} events in {trials} trials")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level}")
