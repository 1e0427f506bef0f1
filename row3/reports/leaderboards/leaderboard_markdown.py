"""`row3 leaderboard --format markdown`."""

from __future__ import annotations

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
from row3.reports.markdown import fold, grid, inline

SHOWN = 40


def leaderboard_markdown(board: BoardView) -> str:
    """The board as Markdown, with a line end."""
    names = names_of(board)
    heads = (
        "",
        "Combination",
        primary_title(board),
        "95% interval",
        "To the first",
        "$ / 1,000 cases",
        "p50",
        "p95",
        "",
    )
    rows = [_row(board, names, place, one) for place, one in enumerate(board.placed[:SHOWN])]
    left = len(board.placed) - len(rows)
    said = [*rule_lines(board), *front_lines(board), *remark_lines(board)]
    rest = [f"- {inline(line)}" for line in incomplete_lines(board)]
    parts = [
        [f"### row3 leaderboard · {inline(board.suite.name)}"],
        [inline(headline(board)) + (f"<br>All of them: {inline(names.common)}" if names.common else "")],
        grid(heads, "rlrrrrrrl", rows) if rows else ["No combination has all of its answers."],
        [f"and {left:,} more"] if left > 0 else [],
        [f"- {inline(line)}" for line in said],
        fold("Incomplete, without a rank", rest) if rest else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _row(board: BoardView, names: Names, place: int, one: PlacedView) -> list[str]:
    moved = "–"
    if one.to_first is not None:
        moved = numbers.points(one.to_first.delta) + ("" if one.to_first.shown else " ≈")
    return [
        shared_rank(board, place),
        inline(names.of(one.entrant)),
        f"**{numbers.percent(one.mean)}**",
        score_span(board, one),
        moved,
        inline(cost(one.cost_usd)),
        latency(one.latency_p50_s),
        latency(one.latency_p95_s),
        FRONT[one.standing] if board.cost_known or board.latency_known else "",
    ]
