"""Suites that a change takes away: each is gone until somebody signs for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import get_args

from row3.domain.requests import digest_json, digest_text
from row3.domain.tiers import Tier
from row3.errors import Row3Error
from row3.reports.changelogs.changelog import approval_entry
from row3.reports.changelogs.changelog_insert import insert_entry
from row3.reports.suites.suites_model import Gone
from row3.store.changelog import FILE as CHANGELOG
from row3.store.changelog import read_changelog
from row3.store.history import FILE as HISTORY
from row3.store.history import HistoryEntry, history_text, read_history
from row3.store.locks import writing
from row3.store.project import Project
from row3.store.suites import make_suite
from row3.store.transaction import commit
from row3.store.unbuilt import made
from row3.workflows.against.at_ref import Base, find_ref, laid_out
from row3.workflows.against.default_suite import default_of, has_cases, judged_by
from row3.workflows.against.locks_at_ref import promoted_for_nobody
from row3.workflows.against.signed_since import signed_since
from row3.workflows.comparing.baseline import read_baseline
from row3.workflows.comparing.evidence import unjudged_files
from row3.workflows.pipeline.run_header import new_run_id
from row3.workflows.session import adds_nothing, check_approval, make_approval, repository_state


def gone_suites(project: Project, base: Base | None, names: Iterable[str] | None = None) -> list[Gone]:
    """Suites that the base has golden cases and a baseline of, and that have no golden case here; of `names`, if given.

    An approval counts that came with the change: an earlier removal was another one, the suite has come back since.
    """
    if base is None:
        return []
    there = dict.fromkeys((*base.suites("replay"), *base.suites("live")))
    found = [
        _gone(project, base, name)
        for name in there
        if (names is None or name in names) and has_cases(base.project, name) and not has_cases(project, name)
    ]
    if not found:
        return []
    history = read_history(project.tree)
    return [replace(each, approval=signed_since(base, history, each.evidence)) for each in found]


def gate_gone(
    project: Project,
    suite: str,
    *,
    against: str,
    approve: str | None,
    may_write: bool,
    say: Callable[[str], None] = lambda _: None,
) -> Gone | None:
    """What `--compare --against` says of a suite that is gone; None where it is there, or was not there either.

    Raises `InvalidFile`, `UsageError`, `EnvironmentFault`.
    """
    if has_cases(project, suite):
        return None
    with laid_out(find_ref(project, against)) as base:
        gone = next(iter(gone_suites(project, base, [suite])), None)
    if gone is None or approve is None:
        return gone
    check_approval(approve, may_write=may_write)
    return _approved(project, gone, approve, say)


def _gone(project: Project, base: Base, name: str) -> Gone:
    """What the suite was, and what an approval of its removal is bound to."""
    there, cases = base.project, base.cases(name)
    default = default_of(there) == name
    baselines = {
        tier: digest_text(there.tree.read(path, limit=2**30))
        for tier in get_args(Tier)
        if there.tree.exists(path := there.baseline(name, tier))
    }
    promotes = promoted_for_nobody(base, project)
    brings = _brought(base, project)
    evidence = {
        "gone": name,
        **({"promotes": promotes} if promotes else {}),
        **({"brings": brings} if brings else {}),
        "baselines": baselines,
        "cases": {file: digest_text(there.tree.read(path)) for file, path in cases.items()},
        "default": project.config.suite if default else None,
    }
    return Gone(
        name,
        base.ref.label,
        len(cases),
        _composite(there, name),
        was_default=default,
        promotes=tuple(promotes),
        brings=tuple(brings),
        evidence=digest_json(evidence)[:16],
    )


def _brought(base: Base, project: Project) -> dict[str, str]:
    """The suites that the base cannot judge, as they are: one of them may be the removed one under another name.

    Nothing but the signature holds them to what the removed one was, so it is for exactly what its giver saw.
    """
    judged = judged_by(base)
    names = [name for name in project.suite_names() if name not in judged and has_cases(project, name)]
    return {name: unjudged_files(project, name) for name in names}


def _composite(there: Project, name: str) -> tuple[str, float] | None:
    """The title and value of what the baseline is judged by first; None of a baseline that cannot be read."""
    try:
        suite = make_suite(there.config, name)
        header = read_baseline(there, suite).header
    except Row3Error:
        return None
    primary = suite.kind.primary
    title = next(metric.title for metric in suite.kind.metrics if metric.key == primary)
    return (title, header.metrics[primary]) if primary in header.metrics else None


def _approved(project: Project, gone: Gone, reason: str, say: Callable[[str], None]) -> Gone:
    """The same with an approval, written to the history and the changelog as one change.

    Nothing ran, so the entry has neither prompts nor metrics.
    """
    approval = make_approval(project, reason)
    if adds_nothing(approval, gone.approval):
        return gone
    head, dirty = repository_state(project)
    entry = made(
        HistoryEntry,
        run_id=new_run_id(),
        at=approval.at,
        action="compare",
        suite=gone.suite,
        commit=head,
        dirty=dirty,
        prompts={},
        model="",
        mode="replay",
        cases=0,
        metrics={},
        verdict="block",
        reasons=[gone.problem],
        evidence=gone.evidence,
        approval=approval,
    )
    said = f"suite {gone.suite} removed: {approval.reason} ({approval.by}, {approval.at})"
    with writing(project.local, say=say):
        files = {HISTORY: history_text(project.tree, entry).encode()}
        text = insert_entry(read_changelog(project), approval_entry(approval.at[:10], said), "", "")
        commit(project.root, project.local, files | {CHANGELOG: text.encode()})
    return replace(gone, approval=approval)
