"""Rules of `row3 --compare --adaptive`: asking in rounds, and when to stop.

A round asks every case once on both sides and yields one difference per case. The question is whether the primary
metric's mean over these cases, without the noise of single answers, fell by more than the gate's limit.

**When to stop.** After each round, if `capital` has won 1 / 0.03 against "the loss is within the limit" or against "the
loss is beyond it". A round's bets are the same for all cases and are placed before it. Cases have their own means d_i,
so the product over a round has the expectation prod (1 + b (d_i - m)) <= (1 + b (mean d - m))^n by the inequality of
means, which is at most 1 under the null. After the last round comes a t test at 0.02 with the noise seen in the repeats
of each case. Together, each decision is wrong at most one time in 20. The t test rules out a loss only with enough
answers to have met a rare one that would cause it.

**Which cases next.** All cases that can change the verdict, equally often: repeating only unstable ones is biased.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from row3.domain.changes import MetricChange, Rounds
from row3.domain.verdicts import Verdict
from row3.gate.distributions import t_cdf
from row3.gate.exact import units_needed
from row3.gate.policy import POINT, GatePolicy
from row3.metrics.aggregate import mean_and_spread

ALPHA_ROUNDS = 0.03
"""One-sided error rate of the test by `capital`, over all rounds together."""
ALPHA_LAST = 0.02
"""One-sided error rate of the t test after the last round."""
EXPECTED_VARIANCE = 0.02
"""Variance of a difference before any was seen; it only tunes the first round's bets."""
BOLDNESS = 0.9
"""Largest share of the capital that one difference may cost. Any value below 1 is valid; small differences need
bold bets."""

Stop = Literal["loss", "within", "steady", "few", "open"]
"""Why no further round is asked.

`loss`: a loss beyond the limit is shown. `within`: it is ruled out. `steady`: answers repeat word for word, so repeats
add nothing. `few`: no loss is seen, and the remaining rounds have too few cases to rule one out. `open`: the last round
showed neither.
"""


@dataclass(frozen=True, slots=True)
class Margin:
    """The limit and scale of a loss. Differences are oriented so that up is better; all numbers are fractions."""

    limit: float
    """Largest loss within the gate's limit: points, or a share of the baseline."""
    relative: bool = False
    higher_is_better: bool = True
    highest: float = 1.0
    """The metric's largest possible value; the smallest is 0."""

    @classmethod
    def of(cls, policy: GatePolicy, key: str, *, higher_is_better: bool = True, highest: float = 1.0) -> Margin:
        """Return the policy's margin for a metric."""
        return cls(policy.limit(key) / POINT, policy.unit == "relative", higher_is_better, highest)

    @property
    def _kept(self) -> float:
        """Ratio of the current to the baseline's value at a relative limit; 1 for a limit in points."""
        if not self.relative:
            return 1.0
        return max(0.0, 1.0 - self.limit) if self.higher_is_better else 1.0 + self.limit

    @property
    def lowest(self) -> float:
        """The worst possible difference."""
        return -self.highest * (max(self._kept, 0.001) if self.higher_is_better else 1.0)

    @property
    def best(self) -> float:
        """The best possible difference."""
        return self.highest * (1.0 if self.higher_is_better else self._kept)

    @property
    def null(self) -> float:
        """The mean difference at the limit."""
        return 0.0 if self.relative else max(-self.limit, 0.999 * self.lowest)

    @property
    def gap(self) -> float:
        """Distance from the limit at which a change has to be detected: no change at all, or twice the limit."""
        return max(0.01, self.limit * (self.highest if self.relative else 1.0))

    @property
    def enough(self) -> int:
        """Number of differences that would include, with probability 1 - `ALPHA_LAST`, a rare worst-case difference
        that alone moves the mean from no change to the limit."""
        return units_needed(self.gap, self.highest, ALPHA_LAST)

    def difference(self, before: float, now: float) -> float:
        """Return the difference of two values of a case."""
        value = now - self._kept * before if self.higher_is_better else self._kept * before - now
        return min(self.best, max(self.lowest, value))


@dataclass(frozen=True, slots=True)
class Progress:
    """The evidence after some rounds."""

    rounds: int
    most: int
    """Maximum number of rounds."""
    cases: int
    mean: float
    """Mean of all differences; above `Margin.null` it is within the limit."""
    loss: float
    """Capital won against "the loss is within the limit"."""
    within: float
    """Capital won against "the loss is beyond the limit"."""
    stop: Stop | None
    """None while another round can decide."""
    repeated: int = 0
    """Answers to questions asked in an earlier round too."""
    changed: int = 0
    """How many of these have a different text."""
    needs: int | None = None
    """If undecided, about how many cases would decide in as many rounds; None if the loss is too close to the limit."""


def assess(
    rounds: Sequence[Sequence[float]], margin: Margin, *, most: int, repeated: int = 0, changed: int = 0
) -> Progress:
    """Return the evidence from rounds of differences (the same cases in each), and whether to stop.

    `most` is the maximum number of rounds; `changed` of `repeated` questions got a different answer than before. Raises
    ValueError without rounds, or for rounds of unequal length.
    """
    if not rounds or len({len(each) for each in rounds}) != 1:
        raise ValueError("rounds must not be empty and must all have the same length")
    cases, flat = len(rounds[0]), [value for each in rounds for value in each]
    if not flat:
        return Progress(len(rounds), most, 0, 0.0, 1.0, 1.0, "few", repeated, changed)
    bets = [bet for place in range(len(rounds)) for bet in [_bet(rounds[:place], margin)] * cases]
    within, loss = capital(flat, bets, null=margin.null, lowest=margin.lowest, highest=margin.best)
    stop: Stop | None = None
    if max(loss, within) >= 1.0 / ALPHA_ROUNDS:
        stop = "loss" if loss > within else "within"
    elif repeated and not changed:
        stop = "steady"
    elif len(rounds) >= most:
        stop = _last_look(rounds, margin)
    elif len(rounds) > 1 and cases * most < margin.enough and _mean(flat) >= margin.null:
        stop = "few"  # this decides nothing, so it cannot be a wrong decision
    mean, needs = _mean(flat), None
    if stop == "few" or (stop == "open" and abs(mean - margin.null) >= 0.5 * margin.gap):
        needs = _needs(rounds, margin, most)
    return Progress(len(rounds), most, cases, mean, loss, within, stop, repeated, changed, needs)


def judge_rounds(progress: Progress, fixed: MetricChange, paired: MetricChange, policy: GatePolicy) -> MetricChange:
    """Return the primary metric's change with its verdict after the last round.

    `fixed` and `paired` are the changes of the means over all rounds as these policies judge them. Under `fixed` and
    `evidence`, a loss blocks only if it is shown for these cases. Under `paired` it must also be shown for cases like
    these. If repeats change nothing, the policy alone decides.
    """
    by_interval = policy.policy == "paired"
    own = paired if by_interval else fixed
    stop, blocks = progress.stop, own.verdict is Verdict.BLOCK
    if stop == "steady" or (stop == "within" and not blocks) or (stop == "loss" and by_interval and blocks):
        return own
    rounds = Rounds(progress.rounds, progress.cases, stop or "open", progress.needs)
    if stop == "loss" and not by_interval:
        return replace(own, verdict=Verdict.BLOCK, code="worse", rounds=rounds)
    if stop == "within":
        # The means contradict the rounds, which happens a few times in a hundred.
        return replace(own, verdict=Verdict.INVESTIGATE, code="worse_unproven", rounds=rounds)
    unclear = Verdict.BLOCK if policy.inconclusive == "block" else Verdict.INVESTIGATE
    return replace(own, verdict=unclear, code="inconclusive", rounds=rounds)


def capital(
    differences: Sequence[float], bets: Sequence[float], *, null: float, lowest: float, highest: float
) -> tuple[float, float]:
    """Return the final capital of two gamblers who start with 1: one bets on a mean above the null, one below.

    With x and the null m scaled to [0, 1], c = `BOLDNESS` and bets b placed before x is seen:

        K+ = prod (1 + min(b, c/m) (x - m)),   K- = prod (1 - min(b, c/(1-m)) (x - m))

    If the mean is not above the null, the probability that K+ ever reaches 1 / a is at most a; likewise for K-.

    Args:
        differences: each from `lowest` to `highest`.
        bets: one per difference, at least 0, on the scale of x.
    Returns:
        (K+, K-), possibly infinity.
    Source: Waudby-Smith and Ramdas 2024, JRSS B 86, 1-27, arXiv 2010.09686; Ville 1939.
    """
    width, middle = highest - lowest, (null - lowest) / (highest - lowest)
    up = down = 0.0
    for difference, bet in zip(differences, bets, strict=True):
        away = (difference - lowest) / width - middle
        up += math.log1p(min(bet, BOLDNESS / middle) * away)
        down += math.log1p(-min(bet, BOLDNESS / (1.0 - middle)) * away)
    return _exp(up), _exp(down)


def _last_look(rounds: Sequence[Sequence[float]], margin: Margin) -> Stop:
    """Test the mean over the cases against the limit, with the noise seen in each case's repeats.

    t with Satterthwaite's degrees of freedom, because noise differs between cases.
    """
    count, cases = len(rounds), len(rounds[0])
    if count < 2:
        return "open"
    noise = [_variance(column) / count for column in zip(*rounds, strict=True)]
    total = math.fsum(noise)
    away = _mean([value for each in rounds for value in each]) - margin.null
    if total <= 0.0:
        p_loss, p_within = (0.0, 1.0) if away < 0.0 else (1.0, 0.0)
    else:
        df = (count - 1) * total**2 / math.fsum(value * value for value in noise)
        p_loss = t_cdf(away * cases / math.sqrt(total), df)
        p_within = 1.0 - p_loss
    if p_loss <= ALPHA_LAST:
        return "loss"
    return "within" if p_within <= ALPHA_LAST and count * cases >= margin.enough else "open"


def _bet(earlier: Sequence[Sequence[float]], margin: Margin) -> float:
    """Return the next round's bet, on the scale of `capital`: near optimal for a change `gap` from the limit that
    spreads like the earlier differences."""
    seen = [value for each in earlier for value in each]
    variance = _variance(seen) if len(seen) > 1 else EXPECTED_VARIANCE
    return (margin.best - margin.lowest) * margin.gap / (variance + margin.gap**2)


def _needs(rounds: Sequence[Sequence[float]], margin: Margin, most: int) -> int:
    """Return how many cases let the last look detect a change `gap` from the limit nine times in ten."""
    noise = _mean([*map(_variance, zip(*rounds, strict=True))]) if len(rounds) > 1 else EXPECTED_VARIANCE
    wanted = (3.4 / margin.gap) ** 2 * noise / most  # 2.05 + 1.28, and a little for the degrees of freedom
    return max(len(rounds[0]) + 1, math.ceil(wanted), math.ceil(margin.enough / most))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    return mean_and_spread([*values])[1] ** 2


def _exp(value: float) -> float:
    return math.exp(value) if value < 709.0 else math.inf
