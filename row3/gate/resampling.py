"""How often a suite's own gate errs, by resampling its answers; without repeated ones, the nearest simulated suite.

Each case of a comparison answers with its own answers, drawn at random. Their deviations from their mean are widened by
sqrt(m / (m - 1)), because m answers vary less than what they come from. A drop takes a share of every value, unevenly
(`UNEVEN`), or whole answers where they pass or fail. Source: Davison and Hinkley 1997, Bootstrap Methods, 2.3 and 3.8.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pkgutil import get_data
from statistics import fmean
from typing import TypeVar

from row3.domain.judgements import Verdict
from row3.domain.scores import SLACK
from row3.gate.comparison import fall_p
from row3.gate.distributions import normal_quantile
from row3.gate.judging import judge, unconfirmed
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.power import UNEVEN, Answered, Answers, ErrorRates
from row3.gate.scores import Context, Scores
from row3.gate.suites import JudgedSuite
from row3.metrics.aggregate import mean_and_spread

Value = TypeVar("Value")
COMPARISONS, LEAST, DRAWN = 200, 20, 3000
"""Comparisons drawn for a rate, and in large suites: so few, or as many as have so many cases together."""
DROP = 0.1
MORE = 10
"""Cases that a plan adds."""
FLAWLESS, BROKEN, NOISY = 0.8, 0.01, 0.1
"""Share of flawless answers, highest score of a broken one, and spread of a difference that tell suites apart."""


def resampled(
    cases: Sequence[Answered], suite: JudgedSuite, *, repeats: int, uniform: Callable[[], float]
) -> tuple[ErrorRates, ...]:
    """Return the error rates of these cases, with one more repeat, and with more cases like them.

    Every case has two answers or more. `uniform` draws from [0, 1): the same draws return the same rates.
    """
    added = [_drawn(uniform, cases) for _ in range(MORE)]
    larger = [*cases, *(each._replace(source=each.source and f"{each.source}+") for each in added)]
    plans = ((cases, repeats), (cases, repeats + 1), (larger, repeats))
    return tuple([_Sample(uniform, own, suite).rates(each) for own, each in plans])


def _drawn(uniform: Callable[[], float], values: Sequence[Value]) -> Value:
    return values[int(uniform() * len(values))]


@dataclass(frozen=True, slots=True)
class _Sample:
    """A suite's cases with the answers that they can give."""

    uniform: Callable[[], float]
    cases: Sequence[Answered]
    suite: JudgedSuite

    def rates(self, repeats: int) -> ErrorRates:
        """Return how often the gate blocks with so many answers a case and side."""
        scores = [each[self.suite.kind.primary] for case in self.cases for each in case.answers]
        whole = {*scores} <= {0.0, 1.0}  # what passes or fails is lost as a whole
        keys = dict.fromkeys((self.suite.kind.primary, *self.suite.policy.metrics))
        fresh = replace(self, cases=[case._replace(answers=_widened(case.answers, keys)) for case in self.cases])
        found, number = [], min(COMPARISONS, max(LEAST, DRAWN // len(self.cases)))
        for drop in (0.0, DROP / max(fmean(scores), DROP)):
            blocked = [fresh.compared(repeats, drop, whole=whole) for _ in range(number)]
            found += [sum(each) / number for each in zip(*blocked, strict=True)]
        return ErrorRates(len(self.cases), repeats, *found)

    def compared(self, repeats: int, drop: float, *, whole: bool) -> tuple[bool, bool]:
        """Return whether a comparison blocks, asked once and confirmed; `drop` is the share of a score that is lost."""
        uniform, most = self.uniform, self.suite.policy.confirm
        losses = [self.loss(drop) if drop else 0.0 for _ in self.cases]
        falls = {metric.key for metric in self.suite.kind.metrics if metric.higher_is_better}
        sides: list[tuple[Answers, Answers]] = [([], []) for _ in self.cases]
        once = blocked = False
        for confirmed in [min(more, most) for more in range(0, most + 2, 2)]:
            for case, loss, (old, new) in zip(self.cases, losses, sides, strict=True):
                number = repeats + confirmed - len(old)
                for _ in range(number):
                    old.append(_drawn(uniform, case.answers))
                    answer = _drawn(uniform, case.answers)
                    kept = float(uniform() >= loss) if whole else 1.0 - loss
                    new.append({key: value * kept if key in falls else value for key, value in answer.items()})
            scores = self.scores(sides, confirmed)
            blocked = judge(self.suite.name, (), [scores], Context()).verdict is Verdict.BLOCK
            once = once or (blocked and not confirmed)
            if not unconfirmed(scores):
                break
        return once, blocked

    def loss(self, drop: float) -> float:
        """Return what one case loses: lognormal, with this mean and `UNEVEN` times as large a standard deviation."""
        variance = math.log1p(UNEVEN**2)
        z = normal_quantile(max(self.uniform(), SLACK))
        return min(1.0, drop * math.exp(math.sqrt(variance) * z - 0.5 * variance))

    def scores(self, sides: Sequence[tuple[Answers, Answers]], confirmed: int) -> Scores:
        """Return what the gate judges of both sides' answers."""
        policy, kind, key = self.suite.policy, self.suite.kind, self.suite.kind.primary
        pairs, critical = Pairs(kind), dict[str, float | None]()
        for place, (case, both) in enumerate(zip(self.cases, sides, strict=True)):
            old, new = ({each: sum([answer[each] for answer in side]) / len(side) for each in side[0]} for side in both)
            pairs.add(old, new, source=case.source, repeats=(len(both[0]), len(both[1])))
            critical |= {str(place): 1.0} if case.critical else {}
            if case.critical and policy.beyond_limit(kind.primary_metric, old[key], new[key]):
                (_, was), (_, now) = (mean_and_spread([each[key] for each in side]) for side in both)
                drop = kind.primary_metric.drop(old[key], new[key])
                critical[str(place)] = fall_p(drop, was, len(both[0]), now, len(both[1]))
        metrics = [each for each in kind.metrics if each.key in (key, *policy.metrics)]
        means = pairs.means()
        changes = compare_metrics(*means, metrics, policy, pairs, primary=key, confirmed=confirmed, intervals="none")
        return Scores(
            policy=policy,
            metrics=metrics,
            thresholds=self.suite.rules.thresholds,
            changes=changes,
            before=means[0],
            after=means[1],
            cases=len(self.cases),
            critical=critical,
            primary=key,
            confirmed=confirmed,
        )


def _widened(answers: Answers, keys: Iterable[str]) -> Answers:
    """Return those metrics that all answers have, as far apart as in fresh answers."""
    widen = math.sqrt(len(answers) / (len(answers) - 1.0))
    means = {key: fmean(each[key] for each in answers) for key in keys if all(key in each for each in answers)}
    return [{key: mean + widen * (each[key] - mean) for key, mean in means.items()} for each in answers]


def nearest(cases: Sequence[Answered], spread: float, primary: str) -> tuple[str, tuple[ErrorRates, ...]]:
    """Return the simulated suite (docs/noise.md) most like one asked once, and its error rates at two sizes.

    `spread` is the standard deviation of a case's difference between two versions.
    """
    values = [each[primary] for case in cases for each in case.answers]
    if {*values} <= {0.0, 1.0}:
        name = f"pass/fail, {95 if fmean(values) > 0.875 else 80}% pass"
    elif any(case.source for case in cases):
        name = "cases share a source"
    elif min(values) <= BROKEN:
        name = "whole answers break"
    elif sum(value >= max(values) - SLACK for value in values) >= FLAWLESS * len(values):
        name = "nearly flawless"
    else:
        name = "scores in many steps" + (", noisy" if spread > NOISY else "")
    packed = get_data(__package__, "noise.json")  # written by `make noise`
    assert packed is not None
    rows = [ErrorRates(int(number), 1, *rates) for number, rates in json.loads(packed)[name].items()]
    here = min(range(len(rows)), key=lambda place: abs(math.log(rows[place].cases / len(cases))))
    return name, tuple(rows[here : here + 2])
