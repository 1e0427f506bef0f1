"""Judging suites one after the other, so that one that cannot be used does not hide what the others say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from row3.errors import InvalidFile, Row3Error
from row3.reports.suites_model import Broken, Gone, Judged, SuiteResult, Unjudged
from row3.store.cases import case_files
from row3.store.project import Project
from row3.workflows.at_ref import Base
from row3.workflows.gating import compare
from row3.workflows.session import Session

MakeSession = Callable[[str], Session]


def judge_suites(make: MakeSession, names: Sequence[str], base: Base | None) -> Iterator[SuiteResult]:
    """Compare these suites in turn, each with its baseline, or with the base's.

    What a suite does wrong is its own result, and no error. A suite that the base does not have yet is judged by the
    baseline that the change brings, or not at all.
    """
    there = frozenset(base.suites("replay")) if base is not None else frozenset(names)
    for name in names:
        try:
            yield _judged(make(name), base if name in there else None, new=name not in there)
        except Row3Error as error:
            yield Broken(name, str(error), error.exit_code)


def _judged(session: Session, base: Base | None, *, new: bool) -> SuiteResult:
    name = session.suite.name
    if not new:
        return Judged(compare(session, base=base, lenient=base is None))
    session.switch("replay")  # like all that is judged by a base
    if not session.project.baseline(name).is_file():
        return Unjudged(name, "no baseline yet, so nothing was compared (`row3 --baseline` makes one)")
    return Judged(compare(session), "the baseline is new in this change, and judges it")


def gone_suites(project: Project, base: Base | None) -> list[Gone]:
    """Suites that the base has a baseline of and that have no golden case here."""
    if base is None:
        return []
    there = dict.fromkeys((*base.suites("replay"), *base.suites("live")))
    return [Gone(name) for name in there if not has_cases(project, name)]


def has_cases(project: Project, suite: str) -> bool:
    """Whether a suite has a golden case at all."""
    try:
        return bool(case_files(project.golden(suite)))
    except InvalidFile:
        return False
