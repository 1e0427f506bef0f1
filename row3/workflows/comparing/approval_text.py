"""What the changelog says of an approval."""

from __future__ import annotations

from row3.reports.changelogs.changelog import approval_entry, unreleased_entry
from row3.reports.changelogs.changelog_insert import insert_entry
from row3.store.changelog import read_changelog
from row3.store.history import Approval
from row3.store.project import Project
from row3.workflows.comparing.comparison import Comparison


def approval_text(project: Project, comparison: Comparison, approval: Approval) -> str:
    """The changelog with the approval among the candidate's notes, or under a heading of its own."""
    run = comparison.run
    changelog = read_changelog(project)
    candidate = next((p.ref for p in run.lineup.prompts if run.lineup.awaits_promotion(p.ref)), None)
    said = f"{approval.reason} ({approval.by}, {approval.at})"
    if candidate is None:
        return insert_entry(changelog, approval_entry(approval.at[:10], said), "", "")
    version = str(candidate.version)
    return insert_entry(changelog, unreleased_entry(version, candidate.name, approval=said), version, candidate.name)
