"""`row3 leaderboard` as text."""

from __future__ import annotations

from row3.reports import numbers
from row3.reports.leaderboard_words import (
    FRONT,
    BoardView,
    Names,
    PlacedView,
    cost,
    front_lines,
    headline,
    incomplete_lines,
    latency,
    names_of,
    primary_title,
    remark_lines,
    rule_lines,
    shared_rank,
)
from row3.reports.style import PLAIN, Style, named_table, plain

SHOWN = 40


def leaderboard_text(board: BoardView, *, verbose: bool = False, style: Style = PLAIN) -> str:
    """The board as a text of several lines; all rows when verbose."""
    names = names_of(board)
    lines = style.wrap(plain(headline(board)), then="  ")
    if names.common:
        lines += style.wrap(plain(f"All of them: {names.common}"), then="  ")
    shown = board.placed if verbose else board.placed[:SHOWN]
    if shown:
        heads = ("", primary_title(board), "95% interval", "to the first", "$/1,000", "p50", "front")
        rows = [_row(board, names, place, one) for place, one in enumerate(shown)]
        lines += ["", *named_table(heads, rows, style)]
    if len(board.placed) > len(shown):
        lines.append(f"… and {len(board.placed) - len(shown):,} more (-v shows all)")
    said = [*rule_lines(board), *front_lines(board), *remark_lines(board)]
    lines += ["", *(line for text in said for line in style.wrap(plain(text), then="  "))] if said else []
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


def _row(board: BoardView, names: Names, place: int, one: PlacedView) -> tuple[str, ...]:
    span = one.interval
    moved = "–" if one.to_first is None else numbers.points(one.to_first.delta)
    if one.to_first is not None and not one.to_first.shown:
        moved = f"{moved} ≈"
    elif one.to_first is not None:
        moved = f"{moved}  "
    return (
        f"{shared_rank(board, place):>3}  {plain(names.of(one.entrant))}",
        numbers.percent(one.mean),
        "–" if span is None else f"{numbers.percent(span.low)}…{numbers.percent(span.high)}",
        moved,
        cost(one.cost_usd),
        latency(one.latency_p50_s),
        FRONT[one.standing] if board.cost_known or board.latency_known else "",
    )
