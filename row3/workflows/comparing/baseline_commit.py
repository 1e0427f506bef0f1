"""The commit that shows what changed in the project's files since what judges was made."""

from __future__ import annotations

from row3.domain.verdicts import Cause
from row3.errors import Row3Error
from row3.store.project import Project
from row3.workflows.comparing.comparison import Comparison

SEEN_BY_GIT: frozenset[Cause] = frozenset(("cases", "rules", "recordings"))
"""Causes that lie in files of the project, so that `git diff` shows them."""


def seen_from(project: Project, comparison: Comparison) -> str | None:
    """The git ref that judges, else the baseline's own commit; None where git has none or nothing asks for it."""
    if comparison.against is not None:
        return comparison.against
    commit = comparison.baseline.commit
    if commit is None or not any(reason.cause in SEEN_BY_GIT for reason in comparison.reasons):
        return None
    from row3.vcs.repository import Repository

    try:
        repository = Repository.find(project.root)
        return commit if repository is not None and repository.knows(commit) else None
    except Row3Error:  # the comparison stands without it
        return None
