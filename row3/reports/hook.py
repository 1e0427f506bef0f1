"""A git hook's output: one screen on why it stops and what to do, with commands for the folder git was called in."""

from __future__ import annotations

import shlex

from row3.commands.hook import HookVerdict
from row3.domain import numbers
from row3.domain.judgements import CaseChange, Verdict
from row3.domain.printable import plain, shorten
from row3.domain.quarantine import NO_QUARANTINE
from row3.gate.results import Comparison, SuiteResult
from row3.project.history import FILE as HISTORY
from row3.project.places import CHANGELOG
from row3.reports.case_changes import LONGEST_LINE, flips
from row3.reports.comparison import reason_lines
from row3.reports.document import Block, Document, Lines, Note, Span, Text, Title
from row3.reports.reason_text import grounds_of
from row3.reports.sentences import quarantine_note, some
from row3.reports.suites import problem_of
from row3.reports.verdict_text import SCORES, Steps, approval_line, model_flag, verdict_label, worst_case

SHOWN_REASONS, SHOWN_CASES = 2, 3
NAMED = 3
"""Items, files or suites named; more are only counted."""
SHA = 10


def hook_document(hook: HookVerdict) -> Document:
    """Return nothing if there is nothing to judge, a line per passing suite, a screen for a stopped commit."""
    problems = [(result.suite, problem_of(result).replace("`row3 ", f"`{_row3(hook)} ")) for result in hook.results]
    lines: list[Text] = [f"row3: suite {name}: {problem}" for name, problem in problems if problem]
    unchanged = [result.suite for result in hook.results if len(hook.results) > 1 and _is_unchanged(result)]
    compared = [each.comparison for each in hook.results if each.suite not in unchanged]
    blocks: list[Block] = [block for comparison in compared if comparison is not None for block in _suite(comparison)]
    if unchanged:
        lines.append(f"row3: unchanged: {', '.join(unchanged)}")
    if hook.results and hook.untouched:
        names = ", ".join(hook.untouched) if len(hook.untouched) <= NAMED else f"{len(hook.untouched)} other suites"
        lines.append(f"row3: not affected: {names}")
    blocks.append(Note(lines))
    if hook.exit_code:
        what = {"pre-push": "push", "pre-merge-commit": "merge"}.get(hook.name, "commit")
        blocks += [Title(Span(f"row3 stops this {what}.", "bad")), *_remedy(hook)]
    return Document(blocks)


def _is_unchanged(result: SuiteResult) -> bool:
    """Return whether a suite passes with nothing changed, in its fail zone or not."""
    comparison = result.comparison
    if comparison is None or result.problem:
        return False
    changed = any(reason.code not in SCORES for reason in comparison.reasons)
    moved = set(comparison.moves) - {"unchanged"} or any(change.delta for change in comparison.metrics)
    special = comparison.verdict is Verdict.BLOCK or not comparison.complete
    return not (changed or moved or special or comparison.run.quarantine != NO_QUARANTINE)


def _suite(comparison: Comparison) -> list[Block]:
    run = comparison.run
    against = f" against {comparison.against}" if comparison.against else ""
    shown, change, moved = verdict_label(comparison), comparison.primary_change, ""
    if change is not None and change.baseline is not None and change.current is not None:
        moved = f", {change.key} {numbers.moved(change.baseline, change.current)}"
    head = Title([f"row3: {run.suite.name}{against}: ", Span(shown.word, shown.tone), moved], 4)
    lines: list[Text] = []
    if text := approval_line(comparison):
        lines.append(text)
    else:
        found = [g for g in grounds_of(comparison) if g.leads or (g.verdict is comparison.verdict and not g.note)]
        lines += reason_lines(found, SHOWN_REASONS)
    if not comparison.complete:
        lines += [f"  {case_id}: {problem}" for case_id, problem in list(run.problems)[:1]]
    elif comparison.blocked:
        fell = [c for c in comparison.cases if c.delta < 0 or c.move in ("broke", "removed") or c.lost.get("canaries")]
        lines += [_what_fell(case, dict(run.problems)) for case in fell[:SHOWN_CASES]]
    return [head, Note(lines), quarantine_note(run.quarantine)]


def _what_fell(case: CaseChange, problems: dict[str, str]) -> str:
    if case.move == "broke":
        what = problems.get(case.case_id, case.move)
    else:
        what = "; ".join(flip.text(NAMED) for flip in flips(case) if not flip.good) or case.move
    return shorten(f"  {case.case_id} {numbers.points(case.delta)}: {what}", LONGEST_LINE)


def _remedy(hook: HookVerdict) -> list[Block]:
    """Return what to do, after `row3 stops this`."""
    back = [f"git checkout {_file(hook, HISTORY)}; git merge --abort"] if hook.merging else []
    take_back: list[Block] = [Title("To undo the merge:", 4), Lines(back)] if back else []
    if all(result.exit_code in (0, 2) for result in hook.results):
        return [Note([f"Fix the file; {_row3(hook)} lint lists all problems."]), *take_back]
    if any(result.exit_code == 3 for result in hook.results):
        return [*_recorded(hook), *take_back]
    blocked = [result for result in hook.results if result.exit_code == 1]
    add = f"git add {_file(hook, HISTORY)} {_file(hook, CHANGELOG)}{_committed(hook)}"
    suite = _named(hook, blocked[0])
    compare = f"{_row3(hook)} --compare{suite}{_judge(hook, blocked[0])}"
    comparison = blocked[0].comparison
    case_id = None if comparison is None else worst_case(comparison)
    steps = None if comparison is None else Steps(comparison, hook.folder)
    cures, confirm = ([], "") if steps is None else (steps.remedies(), steps.confirming())
    confirm = confirm.replace("row3", _row3(hook), 1)
    added = f"git add {_file(hook, 'recordings')} {_file(hook, HISTORY)}{_committed(hook)}"
    asking: list[Block] = (
        [Title("Confirm it by more answers, and add them:", 4), Lines([confirm, added])] if confirm else []
    )
    explain = [f"{_row3(hook)} investigate{suite} {plain(case_id)}"] if case_id else []
    return [
        *_not_added(hook),
        *(Note([f"{text[0].upper()}{text[1:]}.".replace("(row3 ", f"({_row3(hook)} ")]) for text in cures),
        *asking,
        Title(f"See it in full{' and explain a case' if explain else ''}:", 4),
        Lines([compare, *explain]),
        Title("Or accept it with a reason, and add the approval:", 4),
        Lines([f"{compare} --approve REASON", add]),
        *take_back,
    ]


def _recorded(hook: HookVerdict) -> list[Block]:
    """Return what to do about answers that are not recorded, or not added to the change."""
    lacking = [result.run for result in hook.results if result.run is not None and result.exit_code == 3]
    add = f"git add {_file(hook, 'recordings')}{_committed(hook)}"
    model = next(filter(None, map(model_flag, lacking)), "")
    suite = " --all" if len(lacking) > 1 else f" --suite {plain(lacking[0].suite.name)}" if lacking else ""
    several = len(hook.results) + len(hook.untouched) > 1
    command = f"{_row3(hook)} --compare{suite if several else ''} --mode auto{model} && {add}"
    text = "Record the missing answers and add them to the change:"
    # Grades cannot be imported.
    importable = [run for run in lacking if run.suite.prompted and run.lacking != "grade"]
    prompted = [f" --suite {plain(run.suite.name)}" if several else "" for run in importable]
    imports = [f"{_row3(hook)} recordings import{name} FILE && {add}" for name in prompted[:1]]
    either: list[Block] = [Title("Or import answers that you have:", 4), Lines(imports)] if imports else []
    return [*_not_added(hook), Title(text, 4), Lines([command]), *either]


def _not_added(hook: HookVerdict) -> list[Block]:
    """Return files that differ from those judged: a forgotten `git add` is the usual cause of a block."""
    files = some(list(map(plain, sorted(hook.not_added))), NAMED)
    return [Note([f"Not added to the change: {files}."])] if files else []


def _named(hook: HookVerdict, result: SuiteResult) -> str:
    """Return the option for the suite, if there are several or it is not clear which one."""
    alone = len(hook.results) + len(hook.untouched) < 2 and result.run is not None
    return "" if alone else f" --suite {plain(result.suite)}"


def _judge(hook: HookVerdict, result: SuiteResult) -> str:
    """Return the option for the base; none for a suite that its own baseline judged."""
    own = result.comparison is not None and not result.comparison.against
    return "" if own or not hook.base else f" --against {hook.base[:SHA]}"


def _row3(hook: HookVerdict) -> str:
    """Return `row3`, with the project's folder if git was called outside it."""
    return f"row3 -C {plain(shlex.quote(hook.directory))}" if hook.directory else "row3"


def _file(hook: HookVerdict, name: str) -> str:
    return plain(shlex.quote(f"{hook.folder}{name}"))


def _committed(hook: HookVerdict) -> str:
    """Return what follows `git add`: a push takes commits."""
    return " && git commit" if hook.name == "pre-push" else ""
