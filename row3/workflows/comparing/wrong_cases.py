"""Golden cases of a change that lint has errors in: what they demand no answer may ever give, and no score says so."""

from __future__ import annotations

from itertools import islice

from row3.store.cases import read_case
from row3.workflows.against.at_ref import Judging, listed
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.rescore import StoredCases
from row3.workflows.session import Session

MOST = 50
"""Cases that are looked at: one takes as long as the scoring of several answers."""


def wrong_cases(
    session: Session, judging: Judging, comparer: Comparer, cases: StoredCases, since: str, *, brought: bool
) -> str:
    """In a sentence, which of the cases that are new or edited have an error by the rules for a single case.

    Empty for none. What a case has in common with others is left to lint itself, which reads them all.
    """
    tree, files = judging.files if brought else (session.project.tree, [*judging.added, *judging.edited])
    if not (files or comparer.edited):
        return ""
    from row3.workflows.linting.lint_findings import at_level  # most comparisons are of cases as they were

    suite = session.suite
    by_file = bool(judging.label) or brought
    edited = (read_case(tree, path, suite.kind) for path in files) if by_file else map(cases, comparer.edited)
    wrong = [
        stored.where
        for stored in islice(edited, MOST)
        if any(level == "error" for level, _ in at_level(suite, suite.kind.lint(stored.case, suite.rules)))
    ]
    if not wrong:
        return ""
    return f"lint has errors in golden cases new or edited since {since}: {listed(wrong)}; see `row3 lint{suite.flag}`"
