"""Judging suites one after the other, so that one that cannot be used does not hide what the others say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from row3.errors import Row3Error
from row3.store.project import Project
from row3.store.snapshot import Snapshot
from row3.workflows.comparing.gating import compare_asking
from row3.workflows.session import Session
from row3.workflows.suites.removed import removed_suites
from row3.workflows.suites.results import Broken, Judged, SuiteResult, Unjudged

MakeSession = Callable[[str], Session]


def judge_suites(
    make: MakeSession,
    project: Project,
    names: Sequence[str],
    base: Snapshot | None,
    *,
    gone: Collection[str] | None = None,
    pages: bool = False,
) -> Iterator[SuiteResult]:
    """Compare these suites in turn, each with its baseline, or with the base's; then those that the change removes.

    What a suite does wrong is its own result, and no error. A suite that the base does not judge is judged by the
    baseline that the change brings. `gone` limits which removed suites are looked for; with `pages` runs keep what a
    page shows of each case.
    """
    for name in names:
        try:
            session = make(name)
            if base is not None and not base.judges(name) and not Snapshot(session.project).judges(name):
                how = f"row3 --baseline{session.suite.flags('row3 --baseline')}"
                yield Unjudged(name, f"no baseline yet, so nothing was compared (`{how}` makes one)")
            else:
                yield Judged(compare_asking(session, base, pages=pages))
        except Row3Error as error:
            yield Broken(name, str(error), error.exit_code)
    if base is not None:
        yield from removed_suites(project, base, gone)
