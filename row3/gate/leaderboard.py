"""Combinations of models and prompt versions, ranked over the same cases: the result of `row3 leaderboard`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from row3.domain.changes import Interval
from row3.gate.ranking import Contest, pareto, rank_all
from row3.gate.results import JudgedSuite
from row3.gate.silence import side_by_side
from row3.metrics.aggregate import percentile


class Row(NamedTuple):
    """One case of a combination."""

    metrics: Mapping[str, float]
    status: str
    missing: int = 0
    """Answers that are not there; a later prompt waits for the one before."""
    usd: float | None = None
    """Of one asking; None where a token count or the price is unknown."""
    seconds: float | None = None
    """From the first request to the last answer, one prompt after the other; None where one is unknown."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Combination:
    """A model and a version of each prompt, with what each case scored, cost and took."""

    prompts: Mapping[str, str]
    """Version by prompt name, in pipeline order."""
    model: str
    """One name, or those of the stages."""
    shown_model: str
    """The same as people read it: it says where a model runs locally."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Digest by prompt name."""
    parameters: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Model and the rest, by prompt name."""
    rows: dict[str, Row] = field(default_factory=dict)

    def cases(self, status: str) -> list[str]:
        """Ids of the cases with that status: `failed` has no answer, `bad_answer` an unusable one that scores 0."""
        return [case_id for case_id, row in self.rows.items() if row.status == status]

    @property
    def missing(self) -> int:
        """Answers that are missing."""
        return sum(row.missing for row in self.rows.values())

    @property
    def problem(self) -> str:
        """Why the first case without an answer has none."""
        return next((row.problem for row in self.rows.values() if row.status == "failed"), "")


@dataclass(frozen=True, slots=True)
class Placed:
    """A combination with an answer to every case."""

    entrant: Combination
    rank: int
    mean: float
    interval: Interval | None
    """Of the mean, 95 %."""
    cost_usd: float | None
    """Mean of a case, US dollars; None where that of any case is unknown."""
    latency_p50_s: float | None
    latency_p95_s: float | None
    front: bool | None
    """On the Pareto front of score, cost and time; None where one of its figures is unknown."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A suite's combinations, best first."""

    suite: JudgedSuite
    cases: Sequence[str]
    """Ids of the cases behind every figure: all placed combinations have an answer to them."""
    left_out: Sequence[str]
    """Ids of cases to which the composite does not apply for one of the placed combinations."""
    placed: Sequence[Placed]
    incomplete: Sequence[Combination]
    """Fewest missing answers first."""
    pairs: Mapping[tuple[int, int], Contest]
    """All pairs of placed combinations, by place on the board from 0, the better place first."""
    mode: str = "replay"
    repeats: int = 1
    quarantined: Sequence[str] = ()
    nothing_recorded: int = 0
    """Combinations left out because none of their answers is recorded."""

    @property
    def cost_known(self) -> bool:
        """Whether the cost of any placed combination is known."""
        return any(one.cost_usd is not None for one in self.placed)

    @property
    def latency_known(self) -> bool:
        """Whether the time of any placed combination is known."""
        return any(one.latency_p50_s is not None for one in self.placed)


def make_board(suite: JudgedSuite, combinations: Sequence[Combination], sources: Mapping[str, str]) -> Leaderboard:
    """Rank combinations that were asked the same cases; `sources` has the source of a case's text by its id."""
    kind = suite.kind
    whole = [each for each in combinations if not each.cases("failed")]
    counted = list(combinations[0].rows)
    scores: dict[str, list[float]] = {}
    for case_id in counted:
        found = [each.get(kind.primary) for each in side_by_side(kind, [one.rows[case_id].metrics for one in whole])]
        known = [value for value in found if value is not None]
        if len(known) == len(whole):
            scores[case_id] = known
    labels = [sources.get(case_id) for case_id in scores]
    higher = next(metric.higher_is_better for metric in kind.metrics if metric.key == kind.primary)
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
    placed = []
    for i in ranking.order:
        mean, cost, p50 = figures[i]
        p95 = percentile(times[i], 0.95)
        placed.append(Placed(whole[i], ranking.ranks[i], mean, ranking.intervals[i], cost, p50, p95, fronts[i]))
    return Leaderboard(
        suite,
        list(scores),
        [case_id for case_id in counted if case_id not in scores],
        placed,
        sorted((each for each in combinations if each.cases("failed")), key=lambda one: one.missing),
        ranking.pairs(),
    )


def _all_known(values: Sequence[float | None]) -> list[float]:
    """The values; none of them where one is unknown."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []
