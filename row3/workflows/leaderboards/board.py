"""The board of a leaderboard: combinations ranked over the same cases, and those that lack an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from row3.domain.counts import count
from row3.errors import UsageError
from row3.gate.intervals import paired_interval
from row3.gate.leaderboard import Leaderboard, Placed, Unplaced
from row3.gate.ranking import Contest, Ranking, pareto, rank_all
from row3.gate.silence import side_by_side
from row3.kinds.base import Kind
from row3.store.suites import Suite
from row3.workflows.leaderboards.entrants import Entrant


@dataclass(slots=True)
class Gathered:
    """All combinations with their answers, before they are ranked."""

    suite: Suite
    mode: str
    repeats: int
    quarantined: list[str]
    """Ids of cases that count for nothing."""
    nothing_recorded: int
    """Combinations left out because none of their answers is recorded."""
    entrants: list[Entrant] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    """Source of the text by case id."""


def make_board(gathered: Gathered) -> Leaderboard:
    """Rank what was gathered. Raises `UsageError` where there is no case to rank them over."""
    suite, entrants, sources = gathered.suite, gathered.entrants, gathered.sources
    counted = list(entrants[0].rows)
    if not counted:
        what = "every case is in quarantine" if gathered.quarantined else "no case fits"
        raise UsageError(
            what, where=f"golden/{suite.name}/", fix=f"Correct --case, or `row3 flaky release{suite.flag}` one"
        )
    whole: list[Entrant] = []
    rest: list[Entrant] = []
    for entrant in entrants:
        answered = all(entrant.rows[case_id].status != "failed" for case_id in counted)
        (whole if answered else rest).append(entrant)
    values = _side_by_side(suite.kind, whole, counted)
    cases = list(values)
    if whole and not cases:
        what = f"`{suite.kind.primary}` applies to no case for all {count(len(whole), 'combination')}"
        raise UsageError(what, where=f"golden/{suite.name}/", fix="Name some with --models and --prompts")
    metric = next(metric for metric in suite.kind.metrics if metric.key == suite.kind.primary)
    labels = [sources.get(case_id) for case_id in cases]
    clusters = labels if any(label is not None for label in labels) else None
    ranking = rank_all(
        [[each[which] for each in values.values()] for which in range(len(whole))],
        clusters=clusters,
        higher_is_better=metric.higher_is_better,
    )
    placed = list(_placed(whole, cases, ranking, sign=1.0 if metric.higher_is_better else -1.0))
    top = whole[ranking.order[0]] if whole else None
    incomplete = [_unplaced(suite.kind, one, top, counted, sources) for one in rest]
    return Leaderboard(
        suite=suite.name,
        kind=suite.kind,
        rules=suite.rules,
        mode=gathered.mode,
        repeats=gathered.repeats,
        cases=cases,
        left_out=[case_id for case_id in counted if case_id not in set(cases)],
        quarantined=gathered.quarantined,
        placed=placed,
        incomplete=sorted(incomplete, key=lambda one: one.entrant.missing),
        nothing_recorded=gathered.nothing_recorded,
        pairs=_pairs(ranking),
    )


def _side_by_side(kind: Kind, entrants: Sequence[Entrant], cases: Sequence[str]) -> dict[str, list[float]]:
    """The composite of each combination in each case that all can be compared in, paired as the gate pairs two runs."""
    found: dict[str, list[float]] = {}
    for case_id in cases:
        values = [
            metrics.get(kind.primary) for metrics in side_by_side(kind, [e.rows[case_id].metrics for e in entrants])
        ]
        known = [value for value in values if value is not None]
        if len(known) == len(entrants):
            found[case_id] = known
    return found


def _placed(whole: Sequence[Entrant], cases: Sequence[str], ranking: Ranking, *, sign: float) -> Iterator[Placed]:
    costs = [one.cost_usd(cases) for one in whole]
    times = [one.latency_s(cases, 0.5) for one in whole]
    figures = [
        (sign * mean, None if cost is None else -cost, None if time is None else -time)
        for mean, cost, time in zip(ranking.means, costs, times, strict=True)
    ]
    standings = pareto(figures)
    said: dict[str, int] = {}
    for place, which in enumerate(ranking.order):
        entrant = whole[which]
        digest = entrant.said
        yield Placed(
            entrant=entrant.combination(),
            rank=ranking.ranks[which],
            mean=ranking.means[which],
            interval=ranking.intervals[which],
            to_first=ranking.between(ranking.order[0], which) if place else None,
            to_above=ranking.between(ranking.order[place - 1], which) if place else None,
            cost_usd=costs[which],
            latency_p50_s=times[which],
            latency_p95_s=entrant.latency_s(cases, 0.95),
            known=entrant.known(cases),
            standing=standings[which],
            same_as=said.get(digest),
        )
        said.setdefault(digest, place)


def _pairs(ranking: Ranking) -> list[Contest]:
    """All pairs by their places on the board."""
    order = ranking.order
    return [
        replace(ranking.between(order[i], order[j]), first=i, second=j)
        for i in range(len(order))
        for j in range(i + 1, len(order))
    ]


def _unplaced(
    kind: Kind, entrant: Entrant, top: Entrant | None, counted: Sequence[str], sources: dict[str, str]
) -> Unplaced:
    """Against the first of the board, over the cases that both have."""
    answered = [case_id for case_id in counted if entrant.rows[case_id].status != "failed"]
    shared = _side_by_side(kind, [entrant] if top is None else [entrant, top], answered)
    values = [each[0] for each in shared.values()]
    mean = sum(values) / len(values) if values else None
    if top is None or mean is None:
        return Unplaced(entrant.combination(), len(shared), mean, None, None)
    before = [each[1] for each in shared.values()]
    labels = [sources.get(case_id) for case_id in shared]
    interval = paired_interval(before, values, clusters=labels if any(labels) else None)
    return Unplaced(entrant.combination(), len(shared), mean, mean - sum(before) / len(before), interval)
