"""Judging suites one after the other, so that one that cannot be used does not hide what the others say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from row3.errors import Row3Error
from row3.reports.suites.suites_model import Broken, Judged, SuiteResult, Unjudged
from row3.workflows.against.at_ref import Base
from row3.workflows.against.default_suite import judged_by
from row3.workflows.comparing.gating import BROUGHT, compare
from row3.workflows.session import Session

MakeSession = Callable[[str], Session]


def judge_suites(
    make: MakeSession, names: Sequence[str], base: Base | None, *, change: bool, pages: bool = False
) -> Iterator[SuiteResult]:
    """Compare these suites in turn, each with its baseline, or with the base's.

    What a suite does wrong is its own result, and no error. Where a `change` is judged, a suite that the base does not
    have yet, or any where there is no base at all, is judged by the baseline that the change brings, or not at all.
    Else a suite without a baseline is one that cannot be used, and the rules of the command line are no loosening.
    With `pages` the runs keep what a page shows of each case.
    """
    known = frozenset(names) if not change else frozenset(() if base is None else judged_by(base))
    for name in names:
        try:
            session = make(name)
            if name in known:
                comparison = compare(session, base=base, lenient=not change, pages=pages)
                yield Judged(comparison, hint=comparison.hint, wrong_cases=comparison.wrong_cases)
            else:
                yield _by_its_own(session, base, pages=pages)
        except Row3Error as error:
            yield Broken(name, str(error), error.exit_code)


def _by_its_own(session: Session, base: Base | None, *, pages: bool) -> SuiteResult:
    """A suite that no base has, judged by a baseline that has to follow from recordings: no other holds it."""
    name = session.suite.name
    session.switch("replay")  # like all that is judged by a base
    if not session.project.tree.exists(session.project.baseline(name)):
        how = f"row3 --baseline{session.suite.flags('row3 --baseline')}"
        return Unjudged(name, f"no baseline yet, so nothing was compared (`{how}` makes one)")
    comparison = compare(session, base=base, verify=True, pages=pages)
    return Judged(comparison, BROUGHT, wrong_cases=comparison.wrong_cases)
