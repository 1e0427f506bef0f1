"""Suites that a change removes: each blocks until somebody signs for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial

from row3.domain.judgements import Approval, Judgement
from row3.domain.runs import HistoryEntry
from row3.gate.judging import Context, approved, judge
from row3.gate.results import SuiteResult
from row3.reports.changelog import approval_entry, insert_entry
from row3.store.history import FILE as HISTORY
from row3.store.history import history_text
from row3.store.locks import writing
from row3.store.project import CHANGELOG, Project, read_changelog
from row3.store.snapshot import Snapshot
from row3.store.transaction import commit
from row3.workflows.comparing.approvals import check_approval, find_approval, says_the_same, stale_approval
from row3.workflows.comparing.context import default_suite
from row3.workflows.pipeline.run_header import new_run_id
from row3.workflows.reasons import sign
from row3.workflows.session import repository_state
from row3.workflows.snapshots import find_base


def removed_suites(project: Project, base: Snapshot, names: Collection[str] | None = None) -> Iterator[SuiteResult]:
    """Yield the suites that the base judges and that have no golden case here; of `names`, if given."""
    head = Snapshot(project)
    for name in base.suites():
        if (names is None or name in names) and not head.has_cases(name):
            manifest = base.manifest(name)
            answers = [] if manifest is None else [manifest.digest]
            judgement = judge(
                name,
                (),
                (),
                Context(suite_removed=True),
                answers=answers,
                approvals=partial(find_approval, head.history(), base),
                stale=partial(stale_approval, head.history(), base, name),
            )
            yield SuiteResult(name, judgement=judgement)


def gate_removed(
    project: Project,
    suite: str | None,
    *,
    against: str,
    approve: str | None,
    may_write: bool,
    say: Callable[[str], None] = lambda _: None,
) -> SuiteResult | None:
    """Judge the removal of a suite, the default one unless named; None for a suite that is there.

    Raises `InvalidFile`, `UsageError`, `EnvironmentFault`.
    """
    name = suite or default_suite(project)
    if name is not None and Snapshot(project).has_cases(name):
        return None
    base = find_base(project, against)
    name = name or default_suite(base.project)
    gone = None if name is None else next(removed_suites(project, base, [name]), None)
    if gone is None or gone.judgement is None or approve is None:
        return gone
    check_approval(approve, may_write=may_write)
    approval = sign(project, approve)
    if says_the_same(approval, gone.judgement.approval):
        return gone
    _write(project, gone.suite, gone.judgement, approval, say)
    return replace(gone, judgement=approved(gone.judgement, approval))


def _write(project: Project, suite: str, judgement: Judgement, approval: Approval, say: Callable[[str], None]) -> None:
    """Note the approval; nothing ran, so the entry has neither prompts nor metrics."""
    head, dirty = repository_state(project)
    entry = HistoryEntry(
        run_id=new_run_id(),
        at=approval.at,
        action="compare",
        suite=suite,
        commit=head,
        dirty=dirty,
        prompts={},
        model="",
        mode="replay",
        cases=0,
        metrics={},
        verdict="block",
        reasons=[f"{reason.code} {reason.subject}" for reason in judgement.reasons],
        evidence=judgement.signature,
        approval=approval,
    )
    said = f"suite {suite} removed: {approval.reason} ({approval.by}, {approval.at})"
    with writing(project.local, say=say):
        files = {HISTORY: history_text(project.tree, entry).encode()}
        files[CHANGELOG] = insert_entry(
            read_changelog(project), approval_entry(approval.at[:10], said), "", ""
        ).encode()
        commit(project.root, project.local, files)
