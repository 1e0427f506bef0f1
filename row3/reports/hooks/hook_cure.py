"""What to do where a git hook stops: commands that work where git was called."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from typing import Protocol

from row3.reports.advice import model_flag
from row3.reports.style import WIDTH, cells, plain
from row3.reports.suites.suites_model import Gone, Judged, SuiteResult

SHA = 10
"""Digits of a commit that a command names."""
HISTORY, CHANGELOG = "metrics-history.json", "CHANGELOG.md"


class HookView(Protocol):
    """What a hook found."""

    @property
    def name(self) -> str: ...

    @property
    def base(self) -> str | None: ...

    @property
    def results(self) -> Sequence[SuiteResult]: ...

    @property
    def untouched(self) -> Sequence[str]: ...

    @property
    def exit_code(self) -> int: ...

    @property
    def merging(self) -> bool: ...

    @property
    def not_added(self) -> Collection[str]: ...

    @property
    def approved_beside(self) -> Collection[str]: ...

    @property
    def directory(self) -> str: ...

    @property
    def folder(self) -> str: ...


def cure(hook: HookView) -> list[str]:
    """The lines after `row3 stops this`."""
    back = [("Take it back:", f"git checkout {_file(hook, HISTORY)}; git merge --abort")] if hook.merging else []
    if all(result.exit_code in (0, 2) for result in hook.results):
        return [f"  Mend the file; {_row3(hook)} lint names all that is wrong.", *_aligned(back)]
    if any(result.exit_code == 3 for result in hook.results):
        return [*_recorded(hook), *_aligned(back)]
    blocked = [result for result in hook.results if result.exit_code == 1]
    left = [result for result in blocked if result.suite not in hook.approved_beside]
    add = f"git add {_file(hook, HISTORY)} {_file(hook, CHANGELOG)}{_committed(hook)}"
    if not left:
        lying = "The approval for this lies in the work tree, and is not among what is judged here. Add it:"
        return [f"  {lying}", f"    {add}", *_aligned(back)]
    suite = _named(hook, left[0])
    compare = f"{_row3(hook)} --compare{suite}{_judge(hook, left[0])}"
    steps = [
        ("See it in full:", compare),
        *([] if isinstance(left[0], Gone) else [("Explain a case:", f"{_row3(hook)} investigate{suite} CASE")]),
        ("Accept it, signed:", f"{compare} --approve REASON"),
        ("", add),
        *back,  # comparisons are noted in the history, which git would not overwrite
    ]
    beside = _aligned(steps)
    if max(map(cells, beside)) <= WIDTH:
        return beside
    labels = [label.strip(":").lower() for label, _ in steps if label]
    head = f"See it in full, {', '.join(labels[1:])}:"
    return [f"  {head}", *(f"    {command}" for _, command in steps)]


def typed(text: str, hook: HookView) -> str:
    """A text with its commands as they have to be typed where git was called."""
    return text.replace("`row3 ", f"`{_row3(hook)} ")


def _recorded(hook: HookView) -> list[str]:
    """What to do about answers that are not recorded, or not among what is judged."""
    lacking = [r.comparison.run for r in hook.results if isinstance(r, Judged) and r.exit_code == 3]
    missing = [run for run in lacking if run.suite.name not in hook.not_added]
    add = f"git add {_file(hook, 'recordings')}{_committed(hook)}"
    lines = []
    if len(missing) < len(lacking):
        lines += ["  The answers are recorded, and not among what is judged here. Add them:", f"    {add}"]
    if missing or not lacking:
        model = next(filter(None, map(model_flag, missing)), "")
        suite = " --all" if len(missing) > 1 else f" --suite {plain(missing[0].suite.name)}" if missing else ""
        several = len(hook.results) + len(hook.untouched) > 1
        others = "These answers are" if len(missing) == len(lacking) else "Other answers are"
        lines += [
            f"  {others} not recorded. Record them and add them to the change:",
            f"    {_row3(hook)} --compare{suite if several else ''} --mode auto{model} && {add}",
        ]
    return lines


def _named(hook: HookView, result: SuiteResult) -> str:
    """The suite that the cure is for, where there are several, or where nothing else says which one it was."""
    alone = len(hook.results) + len(hook.untouched) < 2 and not isinstance(result, Gone)
    return "" if alone else f" --suite {plain(result.suite)}"


def _judge(hook: HookView, result: SuiteResult) -> str:
    """The commit that judged here: the baseline of the work tree may be the very thing that was changed.

    None did for a suite that it does not have: the baseline beside it judged, and that commit could not.
    """
    by_its_own = isinstance(result, Judged) and not result.comparison.against
    return "" if by_its_own or not hook.base else f" --against {hook.base[:SHA]}"


def _aligned(steps: Sequence[tuple[str, str]]) -> list[str]:
    return [f"  {label:<20}{command}" for label, command in steps]


def _row3(hook: HookView) -> str:
    """The command, told where the project is if it would not find it from there."""
    return f"row3 -C {plain(shlex.quote(hook.directory))}" if hook.directory else "row3"


def _file(hook: HookView, name: str) -> str:
    """A file of the project as git is to be given it there."""
    return plain(shlex.quote(f"{hook.folder}{name}"))


def _committed(hook: HookView) -> str:
    """What follows after files were added: a push takes commits, and the others are commits themselves."""
    return " && git commit" if hook.name == "pre-push" else ""
