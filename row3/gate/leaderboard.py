"""The result of `row3 leaderboard`: combinations of models and prompt versions, ranked over the same cases.

Each pair is compared by its paired score differences, clustered by source, as the gate compares two runs. P-values are
adjusted by Holm over all pairs. A combination's rank is 1 + the number of combinations shown to be better. "Not shown
to differ" is not transitive, so ranks claim no more than the pairs show.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from row3.domain.judgements import Interval
from row3.gate.exact import EXACT, holm
from row3.gate.intervals import Clusters, mean_interval
from row3.gate.pairs import align_metrics
from row3.gate.suites import JudgedSuite
from row3.metrics.aggregate import percentile

ALPHA = 0.05
"""Two-sided, matching a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Two combinations compared on the same cases."""

    delta: float
    """Mean of the second minus mean of the first, a fraction."""
    interval: Interval | None
    """Paired interval of `delta` at 95 %, widened as `p_adjusted` is; None with fewer than two independent units."""
    p_adjusted: float
    """Two-sided, adjusted by Holm over all pairs; 1 if unknown."""

    @property
    def shown(self) -> bool:
        """Whether the two differ beyond noise."""
        return self.p_adjusted <= ALPHA


class Row(NamedTuple):
    """The result of one case for a combination."""

    metrics: Mapping[str, float]
    status: str
    missing: int = 0
    """Number of missing answers, including those of later prompts that depend on one."""
    usd: float | None = None
    """Cost of asking the case once; None if a token count or the price is unknown."""
    seconds: float | None = None
    """Time from the first request to the last answer, prompts in sequence; None if any is unknown."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Combination:
    """A model and a version of each prompt, with each case's score, cost and time."""

    prompts: Mapping[str, str]
    """Version by prompt name, in pipeline order."""
    model: str
    """One name, or those of the stages."""
    shown_model: str
    """The model as shown to people, with a mark if it runs locally."""
    digests: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Model and other parameters by prompt name."""
    rows: dict[str, Row] = field(default_factory=dict)

    def cases(self, status: str) -> list[str]:
        """Return the ids of the cases with a status: `failed` has no answer, `bad_answer` an unusable one (score 0)."""
        return [case_id for case_id, row in self.rows.items() if row.status == status]

    @property
    def missing(self) -> int:
        """Number of missing answers."""
        return sum(row.missing for row in self.rows.values())

    @property
    def problem(self) -> str:
        """Why the first unanswered case has no answer."""
        return next((row.problem for row in self.rows.values() if row.status == "failed"), "")


@dataclass(frozen=True, slots=True)
class Placed:
    """A ranked combination, which has an answer to every case."""

    entrant: Combination
    rank: int
    mean: float
    interval: Interval | None
    """Interval of the mean, 95 %."""
    cost_usd: float | None
    """Mean cost of a case, US dollars; None if any case's cost is unknown."""
    latency_p50_s: float | None
    latency_p95_s: float | None
    front: bool | None
    """Whether it is on the Pareto front of score, cost and time; None if one of these is unknown."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A suite's combinations, best first."""

    suite: JudgedSuite
    cases: Sequence[str]
    """Ids of the cases behind every figure; all placed combinations answer them."""
    left_out: Sequence[str]
    """Ids of cases for which a placed combination has no composite."""
    placed: Sequence[Placed]
    incomplete: Sequence[Combination]
    """Fewest missing answers first."""
    pairs: Mapping[tuple[int, int], Contest]
    """All pairs of placed combinations, by position on the board from 0, the better one first."""
    mode: str = "replay"
    repeats: int = 1
    quarantined: Sequence[str] = ()
    nothing_recorded: int = 0
    """Number of combinations left out because none of their answers is recorded."""


def make_board(suite: JudgedSuite, combinations: Sequence[Combination], sources: Mapping[str, str]) -> Leaderboard:
    """Rank combinations that were asked the same cases; `sources` maps case ids to the source of their text."""
    kind = suite.kind
    whole = [each for each in combinations if not each.cases("failed")]
    scores: dict[str, list[float]] = {}
    for case_id in combinations[0].rows:
        found = [each.get(kind.primary) for each in align_metrics(kind, [one.rows[case_id].metrics for one in whole])]
        known = [value for value in found if value is not None]
        if len(known) == len(whole):
            scores[case_id] = known
    labels = [sources.get(case_id) for case_id in scores]
    higher = kind.primary_metric.higher_is_better
    columns = [[each[which] for each in scores.values()] for which in range(len(whole))]
    ranking = rank_all(columns, clusters=labels if any(labels) else None, higher_is_better=higher)
    times = [_all_known([one.rows[case_id].seconds for case_id in scores]) for one in whole]
    figures = []
    for one, mean, time in zip(whole, ranking.means, times, strict=True):
        costs = _all_known([one.rows[case_id].usd for case_id in scores])
        figures.append((mean, math.fsum(costs) / len(costs) if costs else None, percentile(time, 0.5)))
    fronts = pareto(
        [(mean if higher else -mean, *(None if each is None else -each for each in rest)) for mean, *rest in figures]
    )
    pairs = itertools.combinations(enumerate(ranking.order), 2)
    placed = []
    for i in ranking.order:
        mean, cost, p50 = figures[i]
        p95 = percentile(times[i], 0.95)
        placed.append(Placed(whole[i], ranking.ranks[i], mean, ranking.intervals[i], cost, p50, p95, fronts[i]))
    return Leaderboard(
        suite,
        list(scores),
        [case_id for case_id in combinations[0].rows if case_id not in scores],
        placed,
        sorted((each for each in combinations if each.cases("failed")), key=lambda one: one.missing),
        {(i, j): ranking.contests[one, other] for (i, one), (j, other) in pairs},
    )


def _all_known(values: Sequence[float | None]) -> list[float]:
    """Return the values, or no values if one is unknown."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


class Ranking(NamedTuple):
    """A ranking of combinations, by their index in the input."""

    intervals: list[Interval | None]
    """95 % interval of each mean."""
    means: list[float]
    ranks: list[int]
    order: list[int]
    """Indices, best first: by rank, then by mean, then in input order."""
    contests: dict[tuple[int, int], Contest]
    """The second compared with the first, for all pairs in both directions."""


def rank_all(
    values: Sequence[Sequence[float]], *, clusters: Clusters | None = None, higher_is_better: bool = True
) -> Ranking:
    """Rank combinations by comparing every pair; `values` has a row per combination and a fraction per case.

    `clusters` has a label per case, as for `mean_interval`. Raises ValueError for rows of unequal length.
    """
    means = [math.fsum(each) / len(each) if each else 0.0 for each in values]
    pairs = list(itertools.combinations(range(len(values)), 2))
    moves = {(i, j): [b - a for a, b in zip(values[i], values[j], strict=True)] for i, j in pairs}
    plain = {pair: mean_interval(moved, clusters=clusters) for pair, moved in moves.items()}
    adjusted = holm({pair: 1.0 if known is None else known.p_value for pair, known in plain.items()}, ALPHA)
    contests = {}
    ranks = [1] * len(values)
    for i, j in pairs:
        p, tests = adjusted[i, j]
        interval = mean_interval(moves[i, j], clusters=clusters, level=1.0 - ALPHA / tests)
        contest = contests[i, j] = Contest(means[j] - means[i], interval, p)
        contests[j, i] = Contest(means[i] - means[j], None if interval is None else interval.negated(), p)
        if contest.shown:
            ranks[i if (contest.delta > 0) is higher_is_better else j] += 1
    sign = -1.0 if higher_is_better else 1.0
    order = sorted(range(len(values)), key=lambda place: (ranks[place], sign * means[place], place))
    intervals = [mean_interval(each, clusters=clusters) for each in values]
    return Ranking(intervals, means, ranks, order, contests)


def pareto(points: Sequence[Sequence[float | None]]) -> list[bool | None]:
    """Return for each point whether no other is at least as good in every figure (more is better) and better in one.

    None if one of its figures is unknown; such a point beats no other. A figure unknown for all points is ignored.
    """
    places = [place for place in range(len(points[0]) if points else 0) if any(p[place] is not None for p in points)]
    figures = [[value for place in places if (value := point[place]) is not None] for point in points]
    known = [each for each in figures if len(each) == len(places)]
    return [None if len(mine) < len(places) else not any(_beats(each, mine) for each in known) for mine in figures]


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    ahead = [a - b for a, b in zip(one, other, strict=True)]
    return min(ahead, default=0.0) >= -EXACT and max(ahead, default=0.0) > EXACT
