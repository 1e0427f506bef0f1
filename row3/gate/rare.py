"""Whether so few answers can rule a loss out at all: the t interval does not see what did not happen.

A prompt that makes one answer in fifteen unusable loses five points. In 15 answers it shows none of them one time in
three; the differences then look quiet, and the t interval says that there is no loss. So a pass has to hold against
a second test, which assumes nothing of the differences but that they cannot be worse than `worst`: the Bayesian
bootstrap over the independent units, with one more unit added in which one more answer was as bad as can be. With
exponential weights E and c_u the sum of what the differences of unit u are above -limit,

    p = P( sum_u c_u E_u - (worst - limit) E_0 / answers <= 0 ),

and `answers` the number of answers a case. Where every case moved by m that is (1 - (limit + m) / (worst + m))^n: of
answers that did not move and can fail by 85 points, 50 are needed for a limit of 5. With one answer a case it is
Gaffke's bound for the mean of a bounded variable, which no distribution is known to break; that none can is
conjectured.

**At which level.** A true loss of the limit passes only where this test and the t interval both err, so 5 % here keep
the promise of 5 % whatever the t interval does. A prompt that is shown to be better gets the benefit of the doubt,
20 %: to lose five points all the same it has to fail more often than one that is just as good, and fifteen cases that
all gained seven points would otherwise not be enough. What the t interval promises of a loss of the limit is not
touched by it, since such a change is seldom shown to be better.

It speaks of these cases: what a sixteenth case would do cannot be asked of fifteen, however often they are asked.

Source: Gaffke 2005, Mathematical Methods of Statistics 14, 451-467; Learned-Miller and Thomas 2019, arXiv 1905.06208.
The probability by saddlepoint: Lugannani and Rice 1980, Advances in Applied Probability 12, 475-490; where it decides
it is off by less than 3 % of itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from row3.gate.distributions import normal_cdf
from row3.gate.intervals import Clusters, unit_sums

ALPHA_RARE = 0.05
"""A loss of the limit passes at most this often, however rare and large its parts are."""
ALPHA_RARE_BETTER = 0.2
"""The same for a change whose interval shows it to be an improvement."""


def rare_loss_p(
    differences: Sequence[float], limit: float, worst: float, *, answers: float = 1.0, clusters: Clusters | None = None
) -> float:
    """One-sided p-value of "the mean loss is at least `limit`", whatever the distribution; small rules it out.

    Args:
        differences: one a case, oriented so that up is better; the mean over the answers of a case.
        limit: at least 0.
        worst: how far a difference can fall; where one fell further, that counts.
        answers: answers a case, at least 1.
        clusters: n labels, as in `intervals.mean_interval`.
    Returns:
        0 where no difference can be beyond the limit, 1 where the mean is.
    Raises:
        ValueError: lengths differ.
    """
    parts, _ = unit_sums([value + limit for value in differences], clusters)
    parts.append((limit - max(worst, -min(differences, default=0.0))) / answers)
    if min(parts) >= 0.0:
        return 0.0
    return 1.0 if math.fsum(parts) <= 0.0 else _below_zero(parts)


def answers_needed(limit: float, worst: float, alpha: float) -> int:
    """How many answers rule a rare loss out, about; 0 where no number does.

    All of them lie `limit` above the loss that is asked about, and `worst` above the worst there can be.
    """
    if not 0.0 < limit < worst:
        return 0
    return math.ceil(math.log(alpha) / math.log1p(-limit / worst))


def _below_zero(parts: Sequence[float]) -> float:
    """P(sum c E <= 0) for independent standard exponentials E and coefficients of either sign with a positive sum.

    The cumulant generating function K(s) = -sum ln(1 - s c) is convex, and its slope has one root below 0, between the
    pole of the most negative coefficient and 0. Newton's method, kept between bounds.
    """
    low, high = 1.0 / min(parts), 0.0
    s = 0.5 * low
    for _ in range(60):
        slopes = [part / (1.0 - s * part) for part in parts]
        slope, curve = math.fsum(slopes), math.fsum([value * value for value in slopes])
        low, high = (low, s) if slope > 0.0 else (s, high)
        step = s - slope / curve
        if not low < step < high:
            step = 0.5 * (low + high)
        done = abs(step - s) <= 1e-9 * abs(s)
        s = step
        if done:
            break
    root = -math.sqrt(max(0.0, 2.0 * math.fsum([math.log1p(-s * part) for part in parts])))
    if root > -1e-3:
        return 0.5  # the mean is all but on the limit
    shift = s * math.sqrt(curve)
    density = math.exp(-0.5 * root * root) / math.sqrt(2.0 * math.pi)
    return min(1.0, max(0.0, normal_cdf(root) + density * (1.0 / root - 1.0 / shift)))
