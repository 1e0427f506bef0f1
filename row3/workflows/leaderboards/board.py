"""The board of a leaderboard: combinations ranked over the same cases, and those that lack an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from row3.domain.counts import count
from row3.domain.intervals import Interval
from row3.errors import UsageError
from row3.gate.intervals import paired_interval
from row3.gate.ranking import Contest, Ranking, Standing, pareto, rank_all
from row3.gate.silence import side_by_side
from row3.kinds.base import Kind
from row3.store.suites import Suite
from row3.workflows.leaderboards.entrants import Entrant


@dataclass(slots=True)
class Gathered:
    """All combinations with their answers, and what has to be known of the cases."""

    suite: Suite
    mode: str
    repeats: int
    quarantined: list[str]
    """Cases that are in no figure."""
    nothing_recorded: int
    """Combinations that were left out, since none of their answers is recorded."""
    entrants: list[Entrant] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    """By case id, what its text was taken from."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A combination of which every case is answered."""

    entrant: Entrant
    rank: int
    mean: float
    interval: Interval | None
    """Of the mean, 95 %."""
    to_first: Contest | None
    """Against the first of the board; None for itself."""
    to_above: Contest | None
    """Against the one above it; None for the first."""
    cost_usd: float | None
    """A case."""
    latency_p50_s: float | None
    latency_p95_s: float | None
    known: tuple[int, int]
    """For how many cases the cost is known, and for how many the time."""
    standing: Standing
    same_as: int | None
    """Place on the board, from 0, of a combination above that said the same word for word."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A combination of which some answer is missing."""

    entrant: Entrant
    cases: int
    """Answered, and compared with the first of the board."""
    mean: float | None
    """Over those."""
    delta: float | None
    """Mean difference to the first of the board, over those."""
    interval: Interval | None
    """Paired, 95 %, of `delta`."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A suite's combinations, best first."""

    suite: Suite
    mode: str
    repeats: int
    cases: list[str]
    """Those that every figure is over: all placed combinations have an answer to them."""
    left_out: list[str]
    """Cases to which the composite does not apply for one of the placed."""
    quarantined: list[str]
    placed: list[Placed]
    incomplete: list[Unplaced]
    """By how much is missing."""
    nothing_recorded: int
    """Combinations that were left out, since none of their answers is recorded."""
    pairs: list[Contest]
    """Of all placed, by their places on the board, from 0."""
    cost_known: bool
    latency_known: bool
    """Of at least one of the placed."""


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
    top = placed[0].entrant if placed else None
    incomplete = [_unplaced(suite.kind, one, top, counted, sources) for one in rest]
    return Leaderboard(
        suite=suite,
        mode=gathered.mode,
        repeats=gathered.repeats,
        cases=cases,
        left_out=[case_id for case_id in counted if case_id not in set(cases)],
        quarantined=gathered.quarantined,
        placed=placed,
        incomplete=sorted(incomplete, key=lambda one: one.entrant.missing),
        nothing_recorded=gathered.nothing_recorded,
        pairs=_pairs(ranking),
        cost_known=any(one.cost_usd is not None for one in placed),
        latency_known=any(one.latency_p50_s is not None for one in placed),
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
            entrant=entrant,
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
        return Unplaced(entrant, len(shared), mean, None, None)
    before = [each[1] for each in shared.values()]
    labels = [sources.get(case_id) for case_id in shared]
    interval = paired_interval(before, values, clusters=labels if any(labels) else None)
    return Unplaced(entrant, len(shared), mean, mean - sum(before) / len(before), interval)
