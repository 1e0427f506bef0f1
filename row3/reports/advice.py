"""The verdict in a word, in a line, and what to do about it. Plain text, already safe."""

from __future__ import annotations

from row3.domain.verdicts import Verdict
from row3.reports import numbers
from row3.reports.case_changes import count_line
from row3.reports.headline import candidates, title_of
from row3.reports.model import ComparisonView
from row3.reports.style import plain


def verdict_word(comparison: ComparisonView) -> str:
    """`PROCEED`, `INVESTIGATE`, `BLOCK` or `INCOMPLETE`."""
    return "INCOMPLETE" if comparison.run.collected.failed else comparison.verdict.word.upper()


def summary(comparison: ComparisonView) -> str:
    """The composite, how it moved, over how many cases, and how these moved."""
    failed = comparison.run.collected.failed
    if failed:
        return f"{len(failed):,} of {numbers.count(comparison.run.cases, 'case')} without an answer"
    primary = comparison.run.suite.kind.primary
    change = next((change for change in comparison.metrics if change.key == primary), None)
    if change is None or change.current is None:
        return count_line(comparison.moves)
    moved = "" if change.delta is None else f" ({numbers.points(change.delta)} points, n = {change.cases:,})"
    title = title_of(comparison.run.suite, primary)
    return f"{title} {numbers.percent(change.current)}{moved} · {count_line(comparison.moves)}"


def what_next(comparison: ComparisonView) -> list[str]:
    """What to do, a sentence or command a line."""
    run, waiting = comparison.run, candidates(comparison.run)
    promote = f"row3 promote {waiting[0]}" if waiting else ""
    if run.collected.failed:
        if run.header.mode == "replay":
            return ["Next: row3 --compare --mode auto asks the model for what is not recorded."]
        return ["Next: give the same command again; it goes on from the answers that are there."]
    if comparison.verdict is Verdict.BLOCK:
        if comparison.approval is not None:
            return [f"Next: {promote}" if promote else "Next: commit; the approval is kept in the history."]
        return [
            *_look(comparison),
            "Then: mend the prompt and run row3 --compare again; or, if it has to be, --approve REASON.",
        ]
    if comparison.verdict is Verdict.INVESTIGATE:
        after = f"Then: {promote}" if promote else "Then: write down why it is acceptable, and commit."
        return [*_look(comparison), after]
    return [f"Next: {promote}" if promote else "Next: commit."]


def _look(comparison: ComparisonView) -> list[str]:
    """The case that fell most; else the first that a reason names."""
    worst = min((c for c in comparison.cases if c.move in ("regressed", "broke")), key=lambda c: c.delta, default=None)
    case_id = worst.case_id if worst else next((r.case_id for r in comparison.reasons if r.case_id), None)
    return [f"Next: row3 investigate {plain(case_id)}"] if case_id else []
