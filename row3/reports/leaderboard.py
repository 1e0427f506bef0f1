"""`row3 leaderboard`: the ranking, what separates the combinations, and what is missing or unknown."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.counts import part
from row3.domain.estimates import Estimate
from row3.domain.intervals import Interval
from row3.gate.leaderboard import Combination, Leaderboard, Placed
from row3.gate.ranking import Standing
from row3.metrics.composite import most
from row3.reports import numbers
from row3.reports.document import Block, Document, Fold, Items, Note, Table, Text, Title, more, strong
from row3.reports.estimate import FIGURES, remarks, sums
from row3.reports.headline import some

UNKNOWN = "unknown"
FRONT: dict[Standing, str] = {"front": "◆", "open": "?", "beaten": ""}
THOUSAND = 1000
"""Cases that a price is given for: the price of one is too small to read."""
SHOWN, SHOWN_TIES, SHOWN_INCOMPLETE, SHOWN_NAMES, SHOWN_REMARKS, SHOWN_RESTING = 40, 8, 20, 3, 20, 12
Plans = Sequence[tuple[Combination, Estimate]]


def leaderboard_document(board: Leaderboard, *, verbose: bool = False) -> Document:
    """The board with its notes; all rows when verbose."""
    names = names_of(board)
    head = [headline(board), *([f"All of them: {names.common}"] if names.common else [])]
    shown = board.placed if verbose else board.placed[:SHOWN]
    blocks: list[Block] = [Title(f"row3 leaderboard · {board.suite}"), Note(head)]
    if shown:
        blocks.append(_table(board, names, len(shown)))
    elif board.incomplete:
        problem = board.incomplete[0].entrant.problem
        blocks.append(Note([f"No combination has all of its answers. The first that is missing: {problem}"]))
    blocks.append(Items([*_rule_lines(board, names), *_front_lines(board, names), *_remark_lines(board, names)]))
    if rest := _incomplete_lines(board, names):
        blocks.append(Fold("Incomplete, without a rank", [Items(rest)]))
    return Document(blocks)


def _table(board: Leaderboard, names: Names, rows: int) -> Table:
    """The first rows; figures that are unknown for all combinations have no column."""
    columns: list[tuple[str, list[Text]]] = [
        ("rank, combination", [f"{shared_rank(board, i):>3}  {names.of(board.placed[i].entrant)}" for i in range(rows)])
    ]
    placed = board.placed[:rows]
    columns.append((board.title, [strong(numbers.percent(one.mean)) for one in placed]))
    columns.append(("95% interval", [score_span(board, one) for one in placed]))
    columns.append(("to first", [_to_first(one) for one in placed]))
    if board.cost_known:
        columns.append(("$/1,000", [cost(one.cost_usd) for one in placed]))
    if board.latency_known:
        columns.append(("p50", [latency(one.latency_p50_s) for one in placed]))
    if any(one.latency_p95_s is not None for one in board.placed):
        columns.append(("p95", [latency(one.latency_p95_s) for one in placed]))
    if board.cost_known or board.latency_known:
        columns.append(("front", [FRONT[one.standing] for one in placed]))
    table_rows = list(zip(*(cells for _, cells in columns), strict=True))
    align = "l" + "r" * (len(columns) - 1)
    return Table([head for head, _ in columns], table_rows, align, more=more(len(board.placed) - rows))


def _to_first(one: Placed) -> str:
    if one.to_first is None:
        return "–  "
    return f"{numbers.points(one.to_first.delta)} {' ' if one.to_first.shown else '≈'}"


def plan_document(plans: Plans) -> Document:
    """What asking for all that is missing would send, by combination."""
    names = Names([entrant for entrant, _ in plans])
    rows = [(names.of(entrant), *sums(plan.requests)) for entrant, plan in plans]
    rows.append(("total", *sums([request for _, plan in plans for request in plan.requests])))
    head = ["Dry run of a leaderboard, nothing is sent"]
    head += [f"All of them: {names.common}"] if names.common else []
    notes = ["A request that two combinations share is counted for the first.", *remarks(plan for _, plan in plans)]
    return Document([Note(head), Table(("combination", *FIGURES), rows, "lrrrrr"), Note(notes)])


class Names:
    """Short names of combinations: only what differs between them."""

    def __init__(self, entrants: Sequence[Combination]) -> None:
        names = list(dict.fromkeys(name for one in entrants for name in one.prompts))
        self._differ = [name for name in names if len({one.prompts.get(name) for one in entrants}) > 1]
        self._models = len({one.model for one in entrants}) > 1
        alike = [f"{name} {entrants[0].prompts[name]}" for name in names if name not in self._differ] if names else []
        self.common = " · ".join([" → ".join(alike)] * bool(alike) + [entrants[0].shown_model] * (not self._models))
        """What all combinations share; empty where they share nothing."""

    def of(self, entrant: Combination) -> str:
        """`decompose-concepts v1.1 · gpt-4o-mini`; everything where nothing differs."""
        parts = " → ".join(f"{name} {entrant.prompts[name]}" for name in self._differ if name in entrant.prompts)
        shown = [part for part in (parts, entrant.shown_model if self._models else "") if part]
        if shown:
            return " · ".join(shown)
        return " · ".join(
            [" → ".join(f"{name} {version}" for name, version in entrant.prompts.items()), entrant.shown_model]
        )


def names_of(board: Leaderboard) -> Names:
    """The names of a board's combinations."""
    return Names([*(one.entrant for one in board.placed), *(one.entrant for one in board.incomplete)])


def headline(board: Leaderboard) -> str:
    """`decomposition: 2 combinations over the same 15 cases, by Overall`."""
    many = numbers.count(len(board.placed), "combination")
    repeats = f", each asked {board.repeats} times" if board.repeats > 1 else ""
    same = f"the same {numbers.count(len(board.cases), 'case')}"
    return f"{board.suite}: {many} over {same}{repeats}, by {board.title}"


def shared_rank(board: Leaderboard, place: int) -> str:
    """The rank of a place, `=2` where another has it too."""
    rank = board.placed[place].rank
    return f"={rank}" if sum(one.rank == rank for one in board.placed) > 1 else str(rank)


def cost(value: float | None) -> str:
    """US dollars for a thousand cases; unknown is not zero."""
    return UNKNOWN if value is None else numbers.money(THOUSAND * value)


def latency(value: float | None) -> str:
    """Seconds of a case."""
    return UNKNOWN if value is None else numbers.seconds(value)


def score_bounds(board: Leaderboard, one: Placed) -> tuple[float, float] | None:
    """Return the interval of a score, cut at what a flawless case scores; None where it is unknown.

    Scores that are all alike give an interval without width, which promises more than it shows.
    """
    if one.interval is None or one.interval.degenerate:
        return None
    return max(0.0, one.interval.low), min(most(board.rules.weights), one.interval.high)


def score_span(board: Leaderboard, one: Placed) -> str:
    """The interval as text: `84.1…85.0%`; `?` where all cases score alike, as a note below the board explains."""
    bounds = score_bounds(board, one)
    if bounds is None:
        return "–" if one.interval is None else "?"
    return f"{numbers.bare(bounds[0])}…{numbers.percent(bounds[1])}"


def _rule_lines(board: Leaderboard, names: Names) -> list[str]:
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
    for one in close[:SHOWN_TIES]:
        first, second = (names.of(board.placed[place].entrant) for place in (one.first, one.second))
        lines.append(f"≈ within noise: {first} and {second} ({_difference(one.delta, one.interval)})")
    if len(close) > SHOWN_TIES:
        lines.append(f"and {numbers.count(len(close) - SHOWN_TIES, 'more neighbour')} within noise")
    if not close:
        lines.append("No two neighbours are within noise of each other.")
    return lines


def _difference(delta: float, interval: Interval | None) -> str:
    """`−0.4 points, 95% −1.7…+0.8`."""
    span = "no interval" if interval is None else f"95% {numbers.interval(interval.low, interval.high)}"
    return f"{numbers.points(delta)} points, {span}"


def _front_lines(board: Leaderboard, names: Names) -> list[str]:
    """What the mark of the Pareto front says here, and which figures are unknown."""
    if not board.placed:
        return []
    known = [word for word, there in (("cost", board.cost_known), ("latency", board.latency_known)) if there]
    if not known:
        return [
            "Neither cost nor latency is known (unknown is not zero), so only the score ranks.",
            *_gaps(board, names),
        ]
    figures = "score, cost and latency" if len(known) == 2 else f"score and {known[0]}"
    lines = [f"◆ Pareto front of {figures}: no other is at least as good in all of them and better in one."]
    if any(one.standing == "open" for one in board.placed):
        lines.append("? undecided: one of its figures is unknown, so the others are compared without it.")
    return [*lines, *_gaps(board, names)]


def _gaps(board: Leaderboard, names: Names) -> list[str]:
    """Of which combinations cost or latency is unknown, and why."""
    total = len(board.cases)
    gaps: dict[str, list[str]] = {}
    for one in board.placed:
        for what, count in zip(("Cost", "Latency"), one.known, strict=True):
            if count < total:
                gaps.setdefault(f"{what} unknown for {part(total - count, total, 'case')}", []).append(
                    names.of(one.entrant)
                )
    lines = []
    for gap, whose in gaps.items():
        who = "" if len(whose) == len(board.placed) else f" of {some(whose, SHOWN_NAMES)}"
        why = "no token count, or no price in row3.toml" if gap.startswith("Cost") else "the recordings have no times"
        lines.append(f"{gap}{who}: {why}.")
    return lines


def _remark_lines(board: Leaderboard, names: Names) -> list[str]:
    """Cases left out, answers that could not be used, combinations that said the same."""
    lines = []
    if any(one.interval is not None and one.interval.degenerate for one in board.placed):
        lines.append("? as interval: all cases score alike, so the spread is unknown.")
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


def _incomplete_lines(board: Leaderboard, names: Names) -> list[str]:
    """Each combination that lacks answers, with what can be said of it."""
    lines = []
    for one in board.incomplete[:SHOWN_INCOMPLETE]:
        missing = numbers.count(one.entrant.missing, "answer")
        text = f"{names.of(one.entrant)}: {missing} missing in {numbers.count(len(one.entrant.unanswered), 'case')}"
        if one.delta is not None:
            both = f"the {numbers.count(one.cases, 'case')} that both have"
            text += f"; against the first, over {both}: {_difference(one.delta, one.interval)}"
        if board.mode != "replay" and one.entrant.problem:
            text += f"; {one.entrant.unanswered[0]}: {one.entrant.problem}"
        lines.append(text)
    left = len(board.incomplete) - SHOWN_INCOMPLETE
    if left > 0:
        lines.append(more(left, how=""))
    if board.nothing_recorded:
        lines.append(f"{numbers.count(board.nothing_recorded, 'more combination')} with nothing recorded")
    return lines
