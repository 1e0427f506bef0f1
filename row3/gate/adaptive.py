"""Asking in rounds, and when to stop: the rules of `row3 --compare --adaptive`.

A round asks every case once on both sides and yields one difference a case. What is judged is the primary metric's
mean over these cases, freed of the noise of single answers: whether it fell by more than the gate's limit.

**When to stop.** After each round, when `capital` has won 1 / 0.03 against "the loss is within the limit", or against
"it is beyond it". The bets of a round are equal for all its cases and made before it. Cases have means d_i of their
own, so the product over a round has an expectation of prod (1 + b (d_i - m)) <= (1 + b (mean d - m))^n by the
inequality of means, which is at most 1 under the null. After the last round a t test at 0.02 uses what the repeats of
each case show of its noise. Together each decision is wrong at most one time in 20. The t test rules a loss out only
where there were enough answers to have met a rare one that would undo it.

**Which cases next.** All that can change the verdict, equally: repeating only those that wavered is biased.
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
from row3.gate.policy import GatePolicy
from row3.metrics.aggregate import mean_and_spread

ALPHA_ROUNDS = 0.03
"""One-sided: how often a round before the last may decide wrongly."""
ALPHA_LAST = 0.02
"""One-sided: how often the t test after the last round may."""
EXPECTED_VARIANCE = 0.02
"""Of a difference, before any was seen; it tunes the first round's bets and nothing else."""
BOLDNESS = 0.9
"""The most of the capital that one difference may cost. Any value below 1 is valid; bold bets suit small ones."""

Stop = Literal["loss", "within", "steady", "few", "open"]
"""Why no further round is asked: a loss beyond the limit is shown; it is ruled out; answers repeat word for word, so
that repeats tell nothing; the cases are too few for the rounds that are left to rule a loss out, and none is seen; the
last round is over and neither was shown."""


@dataclass(frozen=True, slots=True)
class Margin:
    """What a loss is measured by. Differences are oriented, so that up is better; all numbers are fractions."""

    limit: float
    """A loss of more than this is beyond the gate's limit: points, or a share of the baseline."""
    relative: bool = False
    higher_is_better: bool = True
    highest: float = 1.0
    """The metric's values go from 0 to this."""

    @classmethod
    def of(cls, policy: GatePolicy, key: str, *, higher_is_better: bool = True, highest: float = 1.0) -> Margin:
        """The gate's limit for a metric."""
        return cls(policy.limit(key) / 100.0, policy.unit == "relative", higher_is_better, highest)

    @property
    def _kept(self) -> float:
        """What of the baseline's value may be left without a loss beyond the limit; 1 where that is in points."""
        if not self.relative:
            return 1.0
        return max(0.0, 1.0 - self.limit) if self.higher_is_better else 1.0 + self.limit

    @property
    def lowest(self) -> float:
        """The worst difference there can be."""
        return -self.highest * (max(self._kept, 0.001) if self.higher_is_better else 1.0)

    @property
    def best(self) -> float:
        """The best difference there can be."""
        return self.highest * (1.0 if self.higher_is_better else self._kept)

    @property
    def null(self) -> float:
        """The mean difference that lies on the limit."""
        return 0.0 if self.relative else max(-self.limit, 0.999 * self.lowest)

    @property
    def gap(self) -> float:
        """How far from the limit a change lies that has to be told from it: no change at all, or twice the limit."""
        return max(0.01, self.limit * (self.highest if self.relative else 1.0))

    @property
    def enough(self) -> int:
        """Differences after which a rare one, as bad as can be, that alone brings the mean from none to the limit
        would have been met with probability 1 - `ALPHA_LAST`."""
        return units_needed(self.gap, self.highest, ALPHA_LAST)

    def difference(self, before: float, now: float) -> float:
        """One difference, from its two values."""
        value = now - self._kept * before if self.higher_is_better else self._kept * before - now
        return min(self.best, max(self.lowest, value))


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known after some rounds."""

    rounds: int
    most: int
    """Rounds that may be asked in all."""
    cases: int
    mean: float
    """Of all differences; above `Margin.null` it is within the limit."""
    loss: float
    """Capital won against "the loss is within the limit"."""
    within: float
    """Capital won against "the loss is beyond the limit"."""
    stop: Stop | None
    """None while another round can decide it."""
    repeated: int = 0
    """Answers to questions that had been asked in an earlier round."""
    changed: int = 0
    """Of these, the ones with another text."""
    needs: int | None = None
    """Where it stays open: about how many cases would do with as many rounds; None where the loss is too close to the
    limit for any number to be named."""


def stand(
    rounds: Sequence[Sequence[float]], margin: Margin, *, most: int, repeated: int = 0, changed: int = 0
) -> Standing:
    """Return what rounds of differences (the same cases in each) show, and whether to go on.

    `most` rounds may be asked in all; of `repeated` questions that were asked before, `changed` answers came with
    another text. Raises ValueError for no round, or rounds of unequal length.
    """
    if not rounds or len({len(each) for each in rounds}) != 1:
        raise ValueError("rounds of one and the same length are wanted")
    cases, flat = len(rounds[0]), [value for each in rounds for value in each]
    if not flat:
        return Standing(len(rounds), most, 0, 0.0, 1.0, 1.0, "few", repeated, changed)
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
        stop = "few"  # stopping for want of hope errs on no side
    mean, needs = _mean(flat), None
    if stop == "few" or (stop == "open" and abs(mean - margin.null) >= 0.5 * margin.gap):
        needs = _needs(rounds, margin, most)
    return Standing(len(rounds), most, cases, mean, loss, within, stop, repeated, changed, needs)


def judged(standing: Standing, fixed: MetricChange, paired: MetricChange, policy: GatePolicy) -> MetricChange:
    """Return the primary metric's verdict after the rounds, from what `fixed` and `paired` make of the means over all.

    Under `fixed` and `evidence` a loss blocks where it is shown for these cases, and nothing blocks that may be noise.
    Under `paired` it also has to be shown for cases like these. Where repeats change nothing, the policy judges alone.
    """
    by_interval = policy.policy == "paired"
    own = paired if by_interval else fixed
    stop, blocks = standing.stop, own.verdict is Verdict.BLOCK
    if stop == "steady" or (stop == "within" and not blocks) or (stop == "loss" and by_interval and blocks):
        return own
    rounds = Rounds(standing.rounds, standing.cases, stop or "open", standing.needs)
    if stop == "loss" and not by_interval:
        return replace(own, verdict=Verdict.BLOCK, code="worse", rounds=rounds)
    if stop == "within":
        # The means contradict what was shown round by round, which happens a few times in a hundred.
        return replace(own, verdict=Verdict.INVESTIGATE, code="worse_unproven", rounds=rounds)
    unclear = Verdict.BLOCK if policy.inconclusive == "block" else Verdict.INVESTIGATE
    return replace(own, verdict=unclear, code="inconclusive", rounds=rounds)


def capital(
    differences: Sequence[float], bets: Sequence[float], *, null: float, lowest: float, highest: float
) -> tuple[float, float]:
    """Return how much a gambler starting with 1 has won by betting that the mean is above the null, and below it.

    With x and the null m scaled to [0, 1], c = `BOLDNESS` and bets b made before x is seen:

        K+ = prod (1 + min(b, c/m) (x - m)),   K- = prod (1 - min(b, c/(1-m)) (x - m))

    If the mean is not above the null, the probability that K+ ever reaches 1 / a is at most a; likewise for K-.

    Args:
        differences: each from `lowest` to `highest`.
        bets: one for each difference, at least 0 and on the scale of x.
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
    """The mean over the cases against the limit, with the noise that the repeats of each case show.

    t with Satterthwaite's degrees of freedom, as cases waver differently.
    """
    count, cases = len(rounds), len(rounds[0])
    if count < 2:
        return "open"
    columns = [[each[place] for each in rounds] for place in range(cases)]
    noise = [_variance(column) / count for column in columns]
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
    """The bet on all differences of the next round, on the scale of `capital`: about best for a change that is `gap`
    from the limit and spreads as the earlier ones did."""
    seen = [value for each in earlier for value in each]
    variance = _variance(seen) if len(seen) > 1 else EXPECTED_VARIANCE
    return (margin.best - margin.lowest) * margin.gap / (variance + margin.gap**2)


def _needs(rounds: Sequence[Sequence[float]], margin: Margin, most: int) -> int:
    """Cases with which the last look would tell a change that is `gap` from the limit, nine times in ten."""
    count, cases = len(rounds), len(rounds[0])
    columns = [[each[place] for each in rounds] for place in range(cases)]
    noise = _mean([_variance(column) for column in columns]) if count > 1 else EXPECTED_VARIANCE
    wanted = (3.4 / margin.gap) ** 2 * noise / most  # 2.05 + 1.28, and a little for the degrees of freedom
    return max(cases + 1, math.ceil(wanted), math.ceil(margin.enough / most))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    return mean_and_spread([*values])[1] ** 2


def _exp(value: float) -> float:
    return math.exp(value) if value < 709.0 else math.inf
