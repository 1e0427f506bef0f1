"""One suite judged by a commit that does not know it: what `--all` says of it, and of what was there in its place."""

from __future__ import annotations

from row3.workflows.against.at_ref import find_ref, laid_out
from row3.workflows.against.default_suite import default_of, judged_by, teller
from row3.workflows.suites.all_suites import AllSuites, gate_all
from row3.workflows.suites.judge_suites import judge_suites
from row3.workflows.suites.results import SuiteResult, SuitesReport, Unjudged


def unjudged(suites: AllSuites, name: str, against: str) -> Unjudged | None:
    """A suite that has nothing yet to be compared with; None of one that is judged, or cannot be used."""
    with laid_out(find_ref(suites.project, against)) as base:
        if base is None or name in judged_by(base):
            return None
        result = next(judge_suites(suites.of, [name], base, change=True))
    return result if isinstance(result, Unjudged) else None


def with_those_before(suites: AllSuites, default: SuiteResult, against: str) -> SuitesReport:
    """The new default suite, and those of the commit that tell of the one before: a removed one, or one left behind.

    Else a suite could be put in the place of the one that a command without `--suite` is held to, with nobody asked.
    """
    project = suites.project
    with laid_out(find_ref(project, against)) as base:
        assert base is not None
        told = {default_of(base.project), teller(base, project)}
        names = [name for name in judged_by(base) if name in told]
    others = gate_all(suites, against=against, names=names).results if names else ()
    return SuitesReport(sorted([default, *others], key=lambda result: result.suite))
