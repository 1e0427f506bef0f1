"""What a change of the default suite is held to: one suite tells it, so that one approval is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from row3.domain.verdicts import Reason, Verdict
from row3.store.config import FILE
from row3.store.golden import golden_files
from row3.store.project import Project

if TYPE_CHECKING:
    from row3.workflows.against.at_ref import Base


def default_reasons(base: Base, own: Project, suite: str) -> list[Reason]:
    """The ground against a command without `--suite` judging another suite than at the base, if this one tells it.

    The new default one tells it, since such a command looks at no other. Where the base cannot judge that, the old one
    does; a default suite that is gone tells it itself.
    """
    before, after = default_of(base.project), default_of(own)
    # A setting that says what holds without it changes nothing. What is not set was not changed either: a suite that is
    # added to the only one leaves a command without `--suite` an error. And an earlier default without a baseline
    # judged nothing, so that nothing is lost.
    if before == after or base.project.config.suite == own.config.suite:
        return []
    if not base.has_judged(before) or suite != teller(base, own):
        return []
    what = f"{FILE} has another default suite than at {base.ref.label}: {before or 'none'} → {after or 'none'}"
    if after is not None and informs(own, after):
        what += ", whose gate is informational: what is run without --suite would block nothing"
    return [Reason(Verdict.BLOCK, what, cause="rules")]


def brought_default(base: Base, own: Project) -> str | None:
    """The default suite of the change where the base cannot judge it: only who approves of it holds it to anything."""
    name = default_of(own)
    return name if name is not None and name not in judged_by(base) and has_cases(own, name) else None


def informs(project: Project, suite: str) -> bool:
    """Whether a suite's gate is informational, so that it blocks nothing."""
    settings = project.config.suites.get(suite)
    return settings is not None and settings.gate.informational


def teller(base: Base, own: Project) -> str | None:
    """The one suite that tells what concerns the whole project: what a command without `--suite` judges, if it can be.

    None where that is a suite that is gone.
    """
    judged = judged_by(base)
    for default in (default_of(own), default_of(base.project)):
        if default in judged:
            return default if has_cases(own, default) else None
    return next((name for name in judged if has_cases(own, name)), None)


def judged_by(base: Base) -> list[str]:
    """The suites that a base can judge: the baseline of one that was taken away may have been left there."""
    return [name for name in base.suites("replay") if has_cases(base.project, name)]


def has_cases(project: Project, suite: str) -> bool:
    """Whether a suite is one, and has a golden case at all; a folder that another suite names as its own is none."""
    return suite in project.suite_names() and bool(golden_files(project.tree, project.golden(suite)))


def default_of(project: Project) -> str | None:
    """The suite that a command without `--suite` is about; None where there are several and none is named."""
    names = project.suite_names()
    return project.config.suite or (names[0] if len(names) == 1 else None)
