"""`row3 leaderboard` as text."""

from __future__ import annotations

from collections.abc import Sequence

from row3.reports import numbers
from row3.reports.leaderboards.leaderboard_views import BoardView, PlacedView
from row3.reports.leaderboards.leaderboard_words import (
    FRONT,
    Names,
    cost,
    front_lines,
    headline,
    incomplete_lines,
    latency,
    names_of,
    primary_title,
    remark_lines,
    rule_lines,
    score_span,
    shared_rank,
)
from row3.reports.style import PLAIN, Style, plain
from row3.reports.terminal import named_table

SHOWN = 40


def leaderboard_text(board: BoardView, *, verbose: bool = False, style: Style = PLAIN) -> str:
    """The board as a text of several lines; all rows when verbose."""
    names = names_of(board)
    lines = style.wrap(plain(headline(board)), then="  ")
    if names.common:
        lines += style.wrap(plain(f"All of them: {names.common}"), then="  ")
    shown = board.placed if verbose else board.placed[:SHOWN]
    if shown:
        lines += ["", *_table(board, names, shown, style)]
    if len(board.placed) > len(shown):
        lines.append(f"… and {len(board.placed) - len(shown):,} more (-v shows all)")
    said = [*rule_lines(board), *front_lines(board), *remark_lines(board)]
    lines += ["", *(line for text in said for line in style.wrap(plain(text), first="  ", then="    "))] if said else []
    if rest := incomplete_lines(board):
        lines += ["", style.bold("Incomplete, without a rank")]
        lines += [line for text in rest for line in style.wrap(plain(text), first="  ", then="    ")]
    if not board.placed and board.incomplete:
        problem = board.incomplete[0].entrant.problem
        lines += [
            "",
            *style.wrap(plain(f"No combination has all of its answers. The first that is missing: {problem}")),
        ]
    return "\n".join(lines)


def _table(board: BoardView, names: Names, shown: Sequence[PlacedView], style: Style) -> list[str]:
    """The rows; figures that are known of none have no column."""
    heads = ["rank, combination", primary_title(board), "95% interval", "to the first"]
    heads += [head for head, known in (("$/1,000", board.cost_known), ("p50", board.latency_known)) if known]
    front = board.cost_known or board.latency_known
    rows = []
    for place, one in enumerate(shown):
        row = [f"{shared_rank(board, place):>3}  {plain(names.of(one.entrant))}", numbers.percent(one.mean)]
        row += [score_span(board, one), _to_first(one)]
        row += [cost(one.cost_usd)] if board.cost_known else []
        row += [latency(one.latency_p50_s)] if board.latency_known else []
        rows.append([*row, FRONT[one.standing]] if front else row)
    return named_table([*heads, "front"] if front else heads, rows, style)


def _to_first(one: PlacedView) -> str:
    if one.to_first is None:
        return "–  "
    return f"{numbers.points(one.to_first.delta)} {' ' if one.to_first.shown else '≈'}"
