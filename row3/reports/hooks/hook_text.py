"""What a git hook says: one screen, why it blocks and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from row3.domain.quarantine import NO_QUARANTINE
from row3.domain.verdicts import CaseChange, Verdict
from row3.reports import numbers
from row3.reports.advice import looks_like, verdict_word
from row3.reports.hooks.hook_cure import HookView, cure, typed
from row3.reports.model import ComparisonView
from row3.reports.quarantine_text import quarantine_block
from row3.reports.style import BOLD, RED, VERDICT_COLOURS, WIDTH, Style, cells, plain, wrap
from row3.reports.suites.suites_model import Broken, Gone, Judged, Unjudged
from row3.reports.told_reasons import told_reasons

SHOWN_REASONS = 6
SHOWN_CASES = 3
SHOWN_ITEMS = 6

NAMED = "--suite NAME"


def hook_text(hook: HookView, *, colour: bool = False) -> str:
    """Nothing where there was nothing to judge; a line a suite where it may pass; a screen where it may not."""
    style = Style(colour)
    notes: dict[str, list[str]] = {}
    for result in hook.results:
        if isinstance(result, Unjudged | Judged) and result.note:
            # One sentence for all suites that it is true of.
            notes.setdefault(result.note.replace(f"--suite {result.suite}", NAMED), []).append(plain(result.suite))
    lines = [
        line
        for note, names in ((n.replace(NAMED, f"--suite {s[0]}") if len(s) == 1 else n, s) for n, s in notes.items())
        for line in wrap(
            plain(typed(note, hook)),
            first=f"row3: suite{'s' if len(names) > 1 else ''} {', '.join(names)}: ",
            then="  ",
        )
    ]
    for result in hook.results:
        if isinstance(result, Gone | Broken):
            lines += wrap(plain(typed(result.problem, hook)), first=f"row3: suite {plain(result.suite)}: ", then="  ")
    still: list[str] = []
    for result in hook.results:
        if isinstance(result, Judged):
            if len(hook.results) > 1 and not (result.note or result.wrong_cases) and _nothing_moved(result.comparison):
                still.append(plain(result.suite))
            else:
                lines += [*_comparison(result.comparison, style), *_notes(result, hook)]
    if still:
        lines += wrap(f"nothing moved: {', '.join(still)}", first="row3: ", then="  ")
    if hook.results and hook.untouched:
        lines += wrap(f"not concerned: {', '.join(map(plain, hook.untouched))}", first="row3: ", then="  ")
    if hook.exit_code:
        what = {"pre-push": "push", "pre-merge-commit": "merge"}.get(hook.name, "commit")
        lines += ["", style.paint(f"row3 stops this {what}.", RED, BOLD), *cure(hook)]
    return "\n".join(lines) + "\n" if lines else ""


def _notes(result: Judged, hook: HookView) -> list[str]:
    """What would spare others trouble, and blocks nothing."""
    hint = "" if result.comparison.approval is not None else result.hint
    notes = [plain(hint), plain(typed(result.wrong_cases, hook))]
    return [line for note in notes if note for line in wrap(note, first="  note: ", then="    ")]


def _nothing_moved(comparison: ComparisonView) -> bool:
    """Whether a suite has nothing to say: it may pass, and is as it was, in its fail zone or not."""
    changed = any(reason.cause not in ("answers", "history") for reason in comparison.reasons)
    moved = set(comparison.moves) - {"unchanged"} or any(change.delta for change in comparison.metrics)
    run = comparison.run
    special = comparison.verdict is Verdict.BLOCK or run.collected.failed or run.quarantine != NO_QUARANTINE
    return not (changed or moved or special)


def _what_fell(case: CaseChange, problems: Mapping[str, str]) -> str:
    """What an answer lacks and which canaries it has; how the case moved where there is neither."""
    if case.move == "broke":
        return plain(problems.get(case.case_id, case.move))
    lost = next((items for key, items in case.lost.items() if key.startswith("missed")), ())
    canaries = case.lost.get("canaries", ())
    told = [f"lost {_some(lost)}"] if lost else []
    told += [f"canary extracted: {_some(canaries)}"] if canaries else []
    return "; ".join(told) or case.move


def _some(items: Sequence[str]) -> str:
    left = f" and {len(items) - SHOWN_ITEMS} more" if len(items) > SHOWN_ITEMS else ""
    return ", ".join(map(plain, items[:SHOWN_ITEMS])) + left


def _comparison(comparison: ComparisonView, style: Style) -> list[str]:
    run = comparison.run
    primary = run.suite.kind.primary
    change = next((c for c in comparison.metrics if c.key == primary), None)
    moved = ""
    if change is not None and change.baseline is not None and change.current is not None and change.delta is not None:
        moved = (
            f", {primary} {numbers.percent(change.baseline)} → {numbers.percent(change.current)} "
            f"({numbers.points(change.delta)} points)"
        )
    incomplete = bool(run.collected.failed)
    word, paint = verdict_word(comparison), VERDICT_COLOURS[looks_like(comparison)]
    against = f" against {comparison.against}" if comparison.against else ""
    name = f"row3: {plain(run.suite.name)}{against}: "
    for shorter in (moved.replace(" points)", ")"), f",\n  {moved.removeprefix(', ')}"):
        if moved and cells(f"{name}{word}{moved}") > WIDTH:
            moved = shorter
    head = f"{name}{style.paint(word, paint, BOLD)}{moved}"
    lines = [head, *(f"  {line}" for line in quarantine_block(run.quarantine, style))]
    if comparison.approval is not None:
        lines += wrap(f"approved by {plain(comparison.approval.by)}: {plain(comparison.approval.reason)}", first="  ")
    elif comparison.verdict is not Verdict.PROCEED or incomplete:
        lines += _grounds(comparison)
    if incomplete:
        for case_id, problem in list(run.problems)[:1]:
            lines += wrap(f"{plain(case_id)}: {plain(problem)}", first="  ", then="    ")
    elif comparison.blocked:
        fell = [c for c in comparison.cases if c.delta < 0 or c.move in ("broke", "removed") or c.lost.get("canaries")]
        for case in fell[:SHOWN_CASES]:
            what = _what_fell(case, dict(run.problems))
            lines += wrap(f"{plain(case.case_id)} {numbers.points(case.delta)}: {what}", first="    ", then="      ")
    return lines


def _grounds(comparison: ComparisonView) -> list[str]:
    """The first reasons that make the verdict, and what leads out of a block that is not the change's doing."""
    told = told_reasons(comparison)
    reasons = [reason for reason in told if reason.verdict is comparison.verdict or reason.broke]
    ways_out = [reason for reason in told if reason.cause == "stale" and reason not in reasons]
    lines: list[str] = []
    for reason in (*reasons[:SHOWN_REASONS], *ways_out):
        lines += wrap(plain(reason.text), first="  ✗ " if reason.verdict is Verdict.BLOCK else "  ! ", then="    ")
    if len(reasons) > SHOWN_REASONS:
        lines.append(f"    and {len(reasons) - SHOWN_REASONS} more")
    return lines
