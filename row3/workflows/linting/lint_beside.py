"""What `row3 lint` says of the files that stand beside a suite's golden cases: judgements and quarantine."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from itertools import islice

from row3.errors import Row3Error
from row3.store import positions, quarantine, reviewed
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.history.quarantine import in_force
from row3.workflows.linting.lint_findings import Findings, near_miss
from row3.workflows.linting.lint_lines import read_lines

MOST = 20
"""Findings of one file: one that holds something else altogether would give as many as it has lines."""


def lint_beside(project: Project, suite: Suite, findings: Findings, ids: Collection[str] | None) -> None:
    """Check both files; `ids` are those of the suite's cases, None where not all of them are known."""
    _quarantine(project, suite, findings, ids)
    path = project.root / suite.golden / reviewed.FILE
    if not path.exists():
        return
    where = f"{suite.golden}/{reviewed.FILE}"
    findings.files += 1
    left = MOST
    for number, line in read_lines(path, where, reviewed.from_line):
        if isinstance(line, Row3Error):
            findings.unusable(line, where)
        elif ids is not None and line.case_id not in ids:
            what = f"case `{line.case_id}` does not exist, so this judges nothing{near_miss(line.case_id, sorted(ids))}"
            findings.add("warning", "unknown-case", where, what, field="caseId", line=number)
        else:
            continue
        left -= 1
        if not left:
            break


def _quarantine(project: Project, suite: Suite, findings: Findings, ids: Collection[str] | None) -> None:
    where = f"{suite.golden}/{quarantine.FILE}"
    if not project.tree.exists(where):
        return
    if findings.attempt(where, partial(in_force, project, suite)) is None or ids is None:
        return
    text = findings.text(where)
    strange = [
        entry.case_id for entry in quarantine.read_quarantine(project.tree, suite.golden) if entry.case_id not in ids
    ]
    for case_id in islice(strange, MOST):
        cure = f"`row3 flaky release{suite.flag} {case_id}`"
        what = f"case `{case_id}` does not exist: {cure}{near_miss(case_id, sorted(ids))}"
        line = positions.line_of_text(text, "case", case_id)
        findings.add("warning", "unknown-case", where, what, field="case", line=line)
