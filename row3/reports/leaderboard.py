"""`row3 leaderboard`: the ranking, differences between combinations, and missing or unknown figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from row3.domain import numbers
from row3.gate.leaderboard import ALPHA, Combination, Contest, Leaderboard, Placed
from row3.metrics.ratios import best_score
from row3.reports.document import Block, Document, Fold, Items, Note, Table, Text, Title, more, strong
from row3.reports.json_values import interval_json, json_fields
from row3.reports.sentences import some, title_of

UNKNOWN = "unknown"
FRONT = {True: "◆", None: "?", False: ""}
THOUSAND = 1000
"""Prices are per this many cases: the price of one is too small to read."""
SHOWN, SHOWN_NOTES, SHOWN_NAMES = 40, 20, 12
SCHEMA_VERSION = 1


def leaderboard_document(board: Leaderboard, *, verbose: bool = False) -> Document:
    """Return the board with its notes; all rows if verbose."""
    names = Names([*(one.entrant for one in board.placed), *board.incomplete])
    many = numbers.count(len(board.placed), "combination")
    repeats = f", each asked {board.repeats} times" if board.repeats > 1 else ""
    over = f"over the same {numbers.count(len(board.cases), 'case')}{repeats}"
    title = title_of(board.suite, board.suite.kind.primary)
    common = [f"All of them: {names.common}"] if names.common else []
    blocks: list[Block] = [
        Title(f"row3 leaderboard · {board.suite.name}"),
        Note([f"{board.suite.name}: {many} {over}, by {title}", *common]),
    ]
    if board.placed:
        blocks.append(_table(board, names, title, len(board.placed) if verbose else SHOWN))
    elif board.incomplete:
        problem = board.incomplete[0].problem
        blocks.append(Note([f"No combination has all its answers. First problem: {problem}"]))
    blocks.append(Items([*_rule_lines(board), *_front_lines(board), *_remark_lines(board, names)]))
    if rest := _incomplete_lines(board, names):
        blocks.append(Fold("Incomplete, without a rank", [Items(rest)]))
    return Document(blocks)


def _table(board: Leaderboard, names: Names, title: str, rows_shown: int) -> Table:
    """Return the first rows; cost, time and front only if known for any."""
    heads = ("rank, combination", title, "95% interval", "to first", "$/1,000", "p50", "p95", "front")
    rows: list[list[Text]] = []
    shared = Counter(one.rank for one in board.placed)
    for place, one in enumerate(board.placed[:rows_shown]):
        contest = board.pairs[0, place] if place else None
        rows.append(
            [
                f"{'=' if shared[one.rank] > 1 else ''}{one.rank}".rjust(3) + f"  {names.of(one.entrant)}",
                strong(numbers.percent(one.mean)),
                _span(board, one),
                "–  " if contest is None else f"{numbers.points(contest.delta)} {' ' if contest.shown else '≈'}",
                UNKNOWN if one.cost_usd is None else numbers.money(THOUSAND * one.cost_usd),
                *(
                    UNKNOWN if time is None else numbers.seconds(time)
                    for time in (one.latency_p50_s, one.latency_p95_s)
                ),
                FRONT[one.front],
            ]
        )
    shown = len(heads) if _known(board) else 4
    left = more(len(board.placed) - len(rows))
    return Table(heads[:shown], [row[:shown] for row in rows], ("l" + "r" * len(heads))[:shown], more=left)


class Names:
    """Short names of combinations: only what differs between them."""

    def __init__(self, entrants: Sequence[Combination]) -> None:
        names = list(dict.fromkeys(name for one in entrants for name in one.prompts))
        self._differ = [name for name in names if len({one.prompts.get(name) for one in entrants}) > 1]
        self._models = len({one.shown_model for one in entrants}) > 1
        if not self._differ and not self._models:
            self._differ, self._models = names, True
        alike = [f"{name} {entrants[0].prompts[name]}" for name in names if name not in self._differ]
        self.common = self._text(alike, "" if self._models else entrants[0].shown_model)
        """What all combinations share; may be empty."""

    def of(self, entrant: Combination) -> str:
        """Return `decompose-concepts v1.1 · gpt-4o-mini`; everything if nothing differs."""
        versions = [f"{name} {entrant.prompts[name]}" for name in self._differ if name in entrant.prompts]
        return self._text(versions, entrant.shown_model if self._models else "")

    @staticmethod
    def _text(versions: Sequence[str], model: str) -> str:
        return " · ".join(text for text in (" → ".join(versions), model) if text)


def _span(board: Leaderboard, one: Placed) -> str:
    """Return `84.1…85.0%`, cut at a flawless case's score; `?` if all cases score alike."""
    if one.interval is None or one.interval.degenerate:
        return "–" if one.interval is None else "?"
    low, high = max(0.0, one.interval.low), min(best_score(board.suite.rules.weights), one.interval.high)
    return f"{numbers.bare(low)}…{numbers.percent(high)}"


def _rule_lines(board: Leaderboard) -> list[str]:
    if len(board.placed) < 2:
        return []
    pairs = len(board.pairs)
    holm = f", adjusted by Holm over all {pairs} pairs" if pairs > 1 else ""
    rule = "Rank: 1 + the number of combinations shown to be better, by paired differences over the same cases"
    return [f"{rule}, p ≤ .05{holm}. ≈: within noise of the first."]


def _first(lines: Sequence[str], noun: str) -> list[str]:
    left = len(lines) - SHOWN_NOTES
    return [*lines[:SHOWN_NOTES], *([f"and {numbers.count(left, f'more {noun}')}"] if left > 0 else [])]


def _known(board: Leaderboard) -> list[str]:
    cost = any(one.cost_usd is not None for one in board.placed)
    latency = any(one.latency_p50_s is not None for one in board.placed)
    return ["cost"] * cost + ["latency"] * latency


def _front_lines(board: Leaderboard) -> list[str]:
    known = _known(board)
    lines = ["Cost and latency are unknown (which is not zero), so only the score counts."]
    if known:
        front = f"◆ Pareto front of score, {' and '.join(known)}"
        lines = [f"{front}: nothing else is at least as good in all and better in one."]
    if known and any(one.front is None for one in board.placed):
        lines.append("? undecided: one of its figures is unknown, so it is left out of the others' comparison.")
    if any(one.cost_usd is None for one in board.placed):
        lines.append("Cost is unknown if a case has no token count, or the model no price in row3.toml.")
    if any(one.latency_p50_s is None for one in board.placed):
        lines.append("Latency is unknown if a recording has no duration.")
    return lines if board.placed else []


def _remark_lines(board: Leaderboard, names: Names) -> list[str]:
    lines = []
    if any(one.interval is not None and one.interval.degenerate for one in board.placed):
        lines.append("Interval ?: all cases score alike, so the spread is unknown.")
    if board.quarantined:
        lines.append(f"In quarantine, not counted: {some(board.quarantined, SHOWN_NAMES)}")
    if board.left_out:
        lines.append(
            f"{numbers.count(len(board.left_out), 'case')} left out: the score does not apply to every combination"
        )
    bad = {names.of(one.entrant): len(one.entrant.cases("bad_answer")) for one in board.placed}
    remarks = [
        f"{name}: {numbers.count(number, 'bad answer')}, which score 0" for name, number in bad.items() if number
    ]
    return [*lines, *_first(remarks, "remark")]


def _incomplete_lines(board: Leaderboard, names: Names) -> list[str]:
    lines = []
    for one in board.incomplete:
        cases = one.cases("failed")
        missing = f"{numbers.count(one.missing, 'answer')} missing in {numbers.count(len(cases), 'case')}"
        why = f"; {cases[0]}: {one.problem}" if board.mode != "replay" else ""
        lines.append(f"{names.of(one)}: {missing}{why}")
    lines = _first(lines, "combination")
    if board.nothing_recorded:
        lines.append(f"{numbers.count(board.nothing_recorded, 'more combination')} with nothing recorded")
    return lines


def leaderboard_json(board: Leaderboard) -> dict[str, Any]:
    """Return the board as plain values; fractions, US dollars and seconds; unknowns are null."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "suite": board.suite.name,
        "primary": board.suite.kind.primary,
        **json_fields(board, "mode", "repeats", "cases", "left_out", "quarantined", "nothing_recorded"),
        "alpha": ALPHA,
        "entries": [
            {
                "place": place,
                **_entrant(one.entrant),
                "score": one.mean,
                "interval": None if one.interval is None else interval_json(one.interval),
                "toFirst": _contest(board.pairs[0, place]) if place else None,
                **json_fields(one, "rank", "cost_usd", "latency_p50_s", "latency_p95_s", "front"),
                "badAnswers": one.entrant.cases("bad_answer"),
            }
            for place, one in enumerate(board.placed)
        ],
        "pairs": [{"first": i, "second": j, **_contest(contest)} for (i, j), contest in board.pairs.items()],
        "incomplete": [
            {**_entrant(one), "missingAnswers": one.missing, "unanswered": one.cases("failed"), "problem": one.problem}
            for one in board.incomplete
        ],
    }


def _entrant(entrant: Combination) -> dict[str, Any]:
    return json_fields(entrant, "prompts", "model", "parameters") | {"promptDigests": entrant.digests}


def _contest(contest: Contest) -> dict[str, Any]:
    interval = None if contest.interval is None else interval_json(contest.interval)
    return json_fields(contest, "delta", "p_adjusted", "shown") | {"interval": interval}
