"""What a leaderboard says in words, whatever the form: names of combinations, ties, what is unknown or missing."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.counts import part
from row3.domain.intervals import Interval
from row3.gate.ranking import Standing
from row3.metrics.composite import most
from row3.reports import numbers
from row3.reports.headline import some
from row3.reports.leaderboards.leaderboard_views import BoardView, EntrantView, PlacedView

UNKNOWN = "unknown"
FRONT: dict[Standing, str] = {"front": "◆", "open": "?", "beaten": ""}
THOUSAND = 1000
"""Cases that a price is told for: a single one costs too little to read."""
SHOWN_TIES, SHOWN_INCOMPLETE, SHOWN_NAMES, SHOWN_REMARKS, SHOWN_RESTING = 8, 20, 3, 20, 12


class Names:
    """What tells the combinations of a board apart, and what all of them have in common."""

    def __init__(self, entrants: Sequence[EntrantView]) -> None:
        names = list(dict.fromkeys(name for one in entrants for name in one.prompts))
        self._differ = [name for name in names if len({one.prompts.get(name) for one in entrants}) > 1]
        self._models = len({one.model for one in entrants}) > 1
        alike = [f"{name} {entrants[0].prompts[name]}" for name in names if name not in self._differ] if names else []
        self.common = " · ".join([" → ".join(alike)] * bool(alike) + [entrants[0].shown] * (not self._models))
        """Empty where nothing is common."""

    def of(self, entrant: EntrantView) -> str:
        """`decompose-concepts v1.1 · gpt-4o-mini`; everything where nothing differs."""
        parts = " → ".join(f"{name} {entrant.prompts[name]}" for name in self._differ if name in entrant.prompts)
        shown = [part for part in (parts, entrant.shown if self._models else "") if part]
        if shown:
            return " · ".join(shown)
        return " · ".join([" → ".join(f"{name} {version}" for name, version in entrant.prompts.items()), entrant.shown])


def names_of(board: BoardView) -> Names:
    """The names of a board's combinations."""
    return Names([*(one.entrant for one in board.placed), *(one.entrant for one in board.incomplete)])


def primary_title(board: BoardView) -> str:
    """The composite, as tables call it."""
    kind = board.suite.kind
    return next((metric.title for metric in kind.metrics if metric.key == kind.primary), kind.primary)


def headline(board: BoardView) -> str:
    """`decomposition: 2 combinations over the same 15 cases, by Overall`."""
    many = numbers.count(len(board.placed), "combination")
    repeats = f", each asked {board.repeats} times" if board.repeats > 1 else ""
    same = f"the same {numbers.count(len(board.cases), 'case')}"
    return f"{board.suite.name}: {many} over {same}{repeats}, by {primary_title(board)}"


def shared_rank(board: BoardView, place: int) -> str:
    """The rank of a place, `=2` where another has it too."""
    rank = board.placed[place].rank
    return f"={rank}" if sum(one.rank == rank for one in board.placed) > 1 else str(rank)


def cost(value: float | None) -> str:
    """US dollars for a thousand cases; what is not known is not zero."""
    return UNKNOWN if value is None else numbers.money(THOUSAND * value)


def latency(value: float | None) -> str:
    """Seconds of a case."""
    return UNKNOWN if value is None else numbers.seconds(value)


def score_bounds(board: BoardView, one: PlacedView) -> tuple[float, float] | None:
    """The interval of a score as far as there can be one: up to what a flawless case scores; None where none is known.

    Scores without any spread give an interval of no width, which shows less than it seems to.
    """
    if one.interval is None or one.interval.degenerate:
        return None
    return max(0.0, one.interval.low), min(most(board.suite.rules.weights), one.interval.high)


def score_span(board: BoardView, one: PlacedView) -> str:
    """The same in words: `84.1…85.0%`; `?` where no spread was seen, which is explained below the board."""
    bounds = score_bounds(board, one)
    if bounds is None:
        return "–" if one.interval is None else "?"
    return f"{numbers.bare(bounds[0])}…{numbers.percent(bounds[1])}"


def rule_lines(board: BoardView) -> list[str]:
    """How the ranks came about, and what is within noise."""
    if len(board.placed) < 2:
        return []
    pairs = len(board.pairs)
    holm = f", adjusted by Holm over all {pairs} pairs" if pairs > 1 else ""
    lines = [
        "Rank: 1 + the number of combinations shown to be better, by paired differences over the same cases, "
        f"p ≤ .05{holm}."
    ]
    close = [one for one in board.pairs if one.second == one.first + 1 and not one.shown]
    names = names_of(board)
    for one in close[:SHOWN_TIES]:
        first, second = (names.of(board.placed[place].entrant) for place in (one.first, one.second))
        lines.append(f"≈ within noise: {first} and {second} ({difference(one.delta, one.interval)})")
    if len(close) > SHOWN_TIES:
        lines.append(f"and {numbers.count(len(close) - SHOWN_TIES, 'more neighbour')} within noise")
    if not close:
        lines.append("No two neighbours are within noise of each other.")
    return lines


def difference(delta: float, interval: Interval | None) -> str:
    """`−0.4 points, 95% −1.7…+0.8`."""
    span = "no interval" if interval is None else f"95% {numbers.interval(interval.low, interval.high)}"
    return f"{numbers.points(delta)} points, {span}"


def front_lines(board: BoardView) -> list[str]:
    """What the mark of the Pareto front says here, and which figures are unknown."""
    if not board.placed:
        return []
    known = [word for word, there in (("cost", board.cost_known), ("latency", board.latency_known)) if there]
    if not known:
        return ["Neither cost nor latency is known (unknown is not zero), so only the score ranks.", *_gaps(board)]
    figures = "score, cost and latency" if len(known) == 2 else f"score and {known[0]}"
    lines = [f"◆ Pareto front of {figures}: no other is at least as good in all of them and better in one."]
    if any(one.standing == "open" for one in board.placed):
        lines.append("? not to be told: a figure is unknown, and it takes no part in the front of the others.")
    return [*lines, *_gaps(board)]


def _gaps(board: BoardView) -> list[str]:
    """Of which combinations cost or latency is unknown, and why."""
    total, names = len(board.cases), names_of(board)
    gaps: dict[str, list[str]] = {}
    for one in board.placed:
        for what, count in zip(("Cost", "Latency"), one.known, strict=True):
            if count < total:
                gaps.setdefault(f"{what} unknown for {part(total - count, total, 'case')}", []).append(
                    names.of(one.entrant)
                )
    lines = []
    for gap, whose in gaps.items():
        more = f" and {len(whose) - SHOWN_NAMES} more" if len(whose) > SHOWN_NAMES else ""
        who = "" if len(whose) == len(board.placed) else f" of {', '.join(whose[:SHOWN_NAMES])}{more}"
        why = "no token count, or no price in row3.toml" if gap.startswith("Cost") else "the recordings have no times"
        lines.append(f"{gap}{who}: {why}.")
    return lines


def remark_lines(board: BoardView) -> list[str]:
    """Cases left out, answers that could not be used, combinations that said the same."""
    names = names_of(board)
    lines = []
    if any(one.interval is not None and one.interval.degenerate for one in board.placed):
        lines.append("? as interval: all cases score alike, and no spread is no promise.")
    if board.quarantined:
        lines.append(f"In quarantine, in no figure: {some(board.quarantined, SHOWN_RESTING)}")
    if board.left_out:
        lines.append(f"{numbers.count(len(board.left_out), 'case')} left out: the score does not apply for one of them")
    remarks = []
    for one in board.placed:
        if one.entrant.bad:
            count = numbers.count(len(one.entrant.bad), "bad answer")
            remarks.append(f"{names.of(one.entrant)}: {count}, which score 0")
        if one.same_as is not None:
            twin = names.of(board.placed[one.same_as].entrant)
            remarks.append(f"{names.of(one.entrant)} gave word for word the answers of {twin}")
    left = len(remarks) - SHOWN_REMARKS
    return [*lines, *remarks[:SHOWN_REMARKS], *([f"and {numbers.count(left, 'more remark')}"] if left > 0 else [])]


def incomplete_lines(board: BoardView) -> list[str]:
    """Each combination that lacks answers, with what can be said of it."""
    names = names_of(board)
    lines = []
    for one in board.incomplete[:SHOWN_INCOMPLETE]:
        missing = numbers.count(one.entrant.missing, "answer")
        text = f"{names.of(one.entrant)}: {missing} missing in {numbers.count(len(one.entrant.unanswered), 'case')}"
        if one.delta is not None:
            both = f"the {numbers.count(one.cases, 'case')} that both have"
            text += f"; against the first, over {both}: {difference(one.delta, one.interval)}"
        if board.mode != "replay" and one.entrant.problem:
            text += f"; {one.entrant.unanswered[0]}: {one.entrant.problem}"
        lines.append(text)
    left = len(board.incomplete) - SHOWN_INCOMPLETE
    if left > 0:
        lines.append(f"and {left:,} more")
    if board.nothing_recorded:
        lines.append(f"{numbers.count(board.nothing_recorded, 'more combination')} with nothing recorded")
    return lines
