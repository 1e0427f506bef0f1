"""How single cases scored and moved, in words: items found, lost and unexpected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from row3.domain import numbers
from row3.domain.judgements import CaseChange
from row3.domain.printable import plain, shorten
from row3.domain.scores import Metric
from row3.domain.words import words_of
from row3.gate.results import Comparison, Run
from row3.reports.document import Span, Table, Text, Tone
from row3.reports.terminal import WIDTH, arrow

MOVES = ("improved", "fixed", "regressed", "broke", "failed", "removed", "new", "not comparable", "unchanged")
"""Kinds of move, in the order they are counted."""
WORDS = {"failed": "without an answer"}
GOOD = {"improved": True, "fixed": True, "regressed": False, "broke": False, "failed": False, "removed": False}
MOST_NAMED, FEW_NAMED = 12, 4
MOST_RELATIONSHIPS = 3
LONGEST_LINE = 150
"""Columns for what one case lost or gained, unless everything is shown."""
LONGEST_ITEM = 100
"""Characters of one item: a model may write a label of megabytes."""


class Flip(NamedTuple):
    """Items of one list that became right (`good`) or wrong."""

    good: bool
    what: str
    items: tuple[str, ...]
    named: int

    def text(self, most: int = MOST_NAMED) -> str:
        """Return `lost: Halons, ozone layer`, with at most so many names."""
        long = self.named == MOST_RELATIONSHIPS
        between, most = ("; ", max(1, most // FEW_NAMED)) if long else (", ", most)
        shown = [shorten(plain(item), LONGEST_ITEM) for item in self.items[: min(self.named, most)]]
        left = len(self.items) - len(shown)
        return f"{self.what}: {between.join(shown)}{f' and {left:,} more' if left else ''}"


def count_line(moves: Mapping[str, int]) -> str:
    """Return `13 improved · 1 regressed · 1 unchanged`."""
    return " · ".join(f"{moves[move]:,} {WORDS.get(move, move)}" for move in MOVES if moves.get(move)) or "no cases"


def moved_cases(moves: Mapping[str, int]) -> int:
    """Return how many cases moved at all."""
    return sum(number for move, number in moves.items() if move != "unchanged")


def flips(change: CaseChange) -> list[Flip]:
    """Return what a case gained and lost, losses first and relationships last; only counts for an unusable answer."""
    if change.move == "broke":
        counts = [f"{len(items):,} {noun_of(key, len(items))}" for key, items in change.lost.items() if items]
        return [Flip(False, "all lost", tuple(counts), MOST_NAMED)] if counts else []
    found = []
    for good, lists in ((True, change.gained), (False, change.lost)):
        found += [_flip(key, items, good=good) for key, items in lists.items() if items]
    return sorted(found, key=lambda flip: (flip.named == MOST_RELATIONSHIPS, flip.good))


def _flip(key: str, items: Sequence[str], *, good: bool) -> Flip:
    if key == "canaries":
        return Flip(good, "canary no longer extracted" if good else "canary extracted", tuple(items), MOST_NAMED)
    missed, noun = key.startswith("missed"), noun_of(key, len(items))
    if noun.startswith("concept"):
        words = ("found", "lost") if missed else ("no longer unexpected", "unexpected")
        return Flip(good, words[not good], tuple(items), MOST_NAMED)
    words = (f"{noun} found", f"{noun} lost") if missed else (f"wrong {noun} gone", f"wrong {noun}")
    return Flip(good, f"{len(items):,} {words[not good]}", tuple(items), MOST_RELATIONSHIPS)


def noun_of(key: str, number: int) -> str:
    """Return what a list holds: `relationships`, or `relationship` for one."""
    noun = words_of(key.removeprefix("missed").removeprefix("wrong"))
    return noun if number > 1 else f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")


def other_declines(comparison: Comparison) -> list[tuple[CaseChange, Metric]]:
    """Return cases that fell in a metric that a reason names but not in the composite, with the metric; worst first."""
    named = {reason.subject for reason in comparison.reasons if reason.verdict and not reason.of_figure}
    metrics = [metric for metric in comparison.run.suite.kind.metrics if metric.key in named]
    if not metrics:
        return []
    unmoved = [change for change in comparison.cases if change.move == "unchanged"]
    found = [(change, max(metrics, key=partial(_worse, change))) for change in unmoved]
    fell = [pair for pair in found if _worse(*pair) > 0]
    return sorted(fell, key=lambda pair: (-_worse(*pair), pair[0].case_id))


def _worse(change: CaseChange, metric: Metric) -> float:
    return metric.drop(0.0, change.deltas.get(metric.key, 0.0))


def cases_table(
    changes: Sequence[CaseChange],
    after: Mapping[str, float],
    problems: Mapping[str, str],
    *,
    elsewhere: Sequence[tuple[CaseChange, Metric]] = (),
    every: bool = True,
    more: str = "",
) -> Table:
    """Return the table of moved cases.

    `after` has each case's primary metric now; `elsewhere` is from `other_declines`; `every` names all gains and
    losses, not only those behind the move.
    """
    rows = [_row(change, after.get(change.case_id)) for change in changes]
    under = [_under(change, problems, every=every) for change in changes]
    for change, metric in elsewhere:
        delta = change.deltas[metric.key]
        rows.append([Span(f"▼ {change.case_id}", "bad"), metric.title, "", Span(numbers.points(delta), "bad")])
        under.append(_under(change, problems, every=every))
    return Table(("case", "before", "now", "points"), rows, "lrrr", under if any(under) else (), more)


def _row(change: CaseChange, now: float | None) -> list[Text]:
    good = GOOD.get(change.move)
    tone: Tone = "plain" if good is None else "good" if good else "bad"
    name = Span(f"{arrow(good) if good is not None else '·'} {change.case_id}", tone)
    shown = "" if now is None else numbers.bare(now)
    if change.move in ("failed", "removed"):
        return [name, "", WORDS.get(change.move, change.move), ""]
    if change.move in ("new", "not comparable"):
        return [name, change.move, shown, ""]
    was = "bad answer" if change.move == "fixed" else "" if now is None else numbers.bare(max(0.0, now - change.delta))
    points = Span(numbers.points(change.delta), tone)
    return [name, was, "bad answer" if change.move == "broke" else shown, points]


def _under(change: CaseChange, problems: Mapping[str, str], *, every: bool) -> list[Text]:
    lines: list[Text] = []
    if change.move in ("broke", "failed") and problems.get(change.case_id):
        lines.append(problems[change.case_id])
    found = flips(change)
    for good, sign in ((False, "−"), (True, "+")):
        if not every and GOOD.get(change.move) is (not good):
            continue
        texts = [flip.text(MOST_NAMED if every else FEW_NAMED) for flip in found if flip.good is good]
        text = f"{sign} {'; '.join(texts)}"
        lines += [text if every else shorten(text, LONGEST_LINE)] if texts else []
    return [*lines, change.note] if change.note else lines


def case_line(change: CaseChange, metric: Metric | None = None) -> Text:
    """Return `▼ ozone −10.0: lost: Halons`, on one line; canaries come first, as a long line is cut."""
    good = GOOD.get(change.move) if metric is None else False
    name = f"{arrow(good) if good is not None else '·'} {change.case_id}"
    found = sorted([flip for flip in flips(change) if flip.good is good], key=lambda flip: "canary" not in flip.what)
    texts = [change.note, *(flip.text(FEW_NAMED) for flip in found)]
    what = "; ".join(filter(None, texts)) or ("worse" if metric else change.move)
    delta = change.deltas[metric.key] if metric else change.delta
    fell = f" {metric.title if metric else ''} {numbers.points(delta)}".replace("  ", " ") if delta else ""
    tone: Tone = "plain" if good is None else "good" if good else "bad"
    return [Span(name, tone), shorten(f"{fell}: {what}", max(20, WIDTH - len(name)))]


class Outcome(NamedTuple):
    """A case's status, composite and move, and whether it alone would block."""

    case_id: str
    status: str
    value: float | None
    delta: float | None
    move: str
    problem: str
    regressed: bool

    @property
    def fault(self) -> str:
        """Return what is wrong with the case, in a word or two; empty if nothing is."""
        words = {"failed": "no answer", "bad_answer": "bad answer"}
        return words.get(self.status, "regressed" if self.regressed else "")

    @property
    def detail(self) -> str:
        """Return the reason: the answer's problem, or how far the case fell."""
        if self.status != "scored" or self.value is None or self.delta is None:
            return self.problem
        return numbers.moved(self.value - self.delta, self.value)


def outcomes(run: Run, comparison: Comparison | None) -> Iterator[Outcome]:
    """Yield all cases in the order they ran; none is judged if the budget ended the comparison early."""
    primary, policy = run.suite.kind.primary, run.suite.policy
    problems = dict(run.problems)
    resting = {entry.case_id for entry in run.quarantine.active}
    judged = comparison is None or comparison.blocked or not comparison.run.failed
    changes = {} if comparison is None else {change.case_id: change for change in comparison.cases}
    for line in run.details if len(run.details) else run.records:
        case = json.loads(line)
        case_id, value = case["id"], case["metrics"].get(primary)
        change = changes.get(case_id)
        delta = change.delta if change is not None else case.get("deltas", {}).get(primary)
        move = change.move if change is not None else case.get("change", "")
        regressed = False
        if judged and case_id not in resting and move == "regressed" and value is not None and delta is not None:
            regressed = policy.beyond_limit(run.suite.kind.primary_metric, value - delta, value)
        yield Outcome(case_id, case["status"], value, delta, move, problems.get(case_id, ""), regressed)
