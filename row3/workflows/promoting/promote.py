"""`row3 promote`: gate a prompt version, then make it the current one, with its evidence, as one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from row3.domain.prompts import Prompt
from row3.domain.verdicts import Reason, Verdict
from row3.errors import UsageError
from row3.gate.verdicts import Evidence, judge
from row3.gate.zones import warning_only
from row3.store import prompts as prompt_store
from row3.store.changelog import FILE as CHANGELOG
from row3.store.history import Approval, read_history
from row3.store.locks import writing
from row3.store.project import Project
from row3.store.suites import Suite, has_baseline
from row3.store.transaction import commit
from row3.workflows.against.locks_at_ref import falling_back
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.evidence import declining_runs, evidence_digest, own_files
from row3.workflows.comparing.gating import compare
from row3.workflows.comparing.prompt_texts import asks_the_same
from row3.workflows.pipeline.lineup import Lineup, line_up, resolve_version
from row3.workflows.pipeline.run_suite import Run, with_action
from row3.workflows.promoting.approval_carried import carry_approval
from row3.workflows.promoting.earlier_approval import earlier_approval
from row3.workflows.promoting.promotion import AlreadyDone, PromotionResult
from row3.workflows.promoting.promotion_entry import promotion_entry, unexplained
from row3.workflows.promoting.promotion_files import as_inserted, check_entry, planned_files, promotion_files
from row3.workflows.promoting.promotion_git import check_committer, commit_and_tag, finish
from row3.workflows.running import run_suite
from row3.workflows.session import (
    Session,
    adds_nothing,
    check_approval,
    incomplete,
    make_approval,
    repository_state,
    save_log,
)


def promote(
    session: Session,
    version: str,
    *,
    approve: str | None = None,
    dry_run: bool = False,
    make_commit: bool = False,
    make_tag: bool = False,
) -> PromotionResult:
    """Gate VERSION and, if it passes, make it the current one.

    Runs the named version with the other prompts as promoted, applies the gate, and writes lock, baseline, changelog,
    history and charts as one transaction. Nothing is written on a block without approval.

    Raises `InvalidFile`, `UsageError`, `RunIncomplete`, `EnvironmentFault`.
    """
    check_approval(approve, may_write=session.may_write)
    if session.options.partial:
        raise UsageError("a part of the cases is no gate", where="--case", fix="Promote with all of them")
    project, suite = session.project, session.suite
    ref = resolve_version(project, suite, version)
    promoted = prompt_store.read_promoted(project.tree)
    current = promoted.get(ref.name)
    if current is not None and current.version == str(ref.version):
        wanted = not dry_run
        raise finish(session, ref, make_commit=make_commit and wanted, make_tag=make_tag and wanted)
    check_entry(project, ref)
    if make_commit and not dry_run:
        check_committer(project)
    lineup = line_up(project, suite, role="promoted", named=(str(ref), *session.named), told={str(ref): "VERSION"})
    newly = [prompt for prompt in lineup.prompts if _is_new(prompt, promoted)]
    back = [reason for prompt in newly for reason in _falls_back(prompt, promoted)]
    run, comparison, verdict, reasons = _judged(session, lineup, back)
    if not run.complete:
        raise incomplete(run, "and nothing is promoted")
    approval, told = (
        _approval(session, newly, _evidence(session, run, comparison, reasons), approve)
        if verdict is Verdict.BLOCK
        else (None, [])
    )
    allowed = verdict is not Verdict.BLOCK or approval is not None or _only_informed(suite, reasons)
    state = repository_state(project)
    run = with_action(run, "promotion", commit=state[0], dirty=state[1])
    if comparison is not None:
        comparison.run, comparison.approval = run, approval
    result = PromotionResult(
        ref, run, comparison, verdict, reasons, approval, tuple(str(p.ref) for p in newly), (), dry_run, ""
    )
    result.refused = not allowed
    result.entry = promotion_entry(project, result)
    as_it_stands = as_inserted(project, result)
    result.notes += [*_nothing_new(project, result, newly), *_without_reason(result, as_it_stands), *told]
    if dry_run:
        result.entry = as_it_stands
    if dry_run or not allowed:
        result.files = planned_files(project, result) if allowed else ()
        return result
    if not session.may_write:
        raise UsageError(
            "a promotion writes tracked files", where="CI", fix="Promote on a developer's machine and commit it"
        )
    with writing(project.local, say=session.say):
        now = prompt_store.read_promoted(project.tree).get(ref.name)
        if now is not None and now.version == str(ref.version):  # somebody else was quicker
            raise AlreadyDone(f"{ref.name} {ref.version}")
        # Charts are drawn from the history with the new entry in it, so they belong to the same transaction.
        files = promotion_files(session, result, newly)
        commit(project.root, project.local, files)
    result.files = tuple(files)
    save_log(session, run)
    if approval is not None:
        said = carry_approval(session, run, [prompt.ref.name for prompt in newly], approval, reasons)
        result.notes += [] if said is None else [said]
    if make_commit or make_tag:
        commit_and_tag(project, result, make_commit=make_commit, make_tag=make_tag)
    return result


def _judged(
    session: Session, lineup: Lineup, back: Sequence[Reason]
) -> tuple[Run, Comparison | None, Verdict, tuple[Reason, ...]]:
    """The candidate's run and the gate's word on it; a first promotion is judged by its zones alone."""
    if has_baseline(session.project, session.suite):
        comparison = compare(session, lineup=lineup, verify=True, extra=back)
        return comparison.run, comparison, comparison.verdict, comparison.reasons
    run = run_suite(session, lineup=lineup)
    verdict, reasons = judge(
        Evidence(
            metrics=session.suite.kind.metrics,
            changes=(),
            values=run.header.metrics,
            zones=run.zones,
            warning=warning_only(session.suite.rules.thresholds),
            policy=session.suite.policy,
            cases=run.cases,
            failed=run.collected.failed,
            declines=declining_runs(read_history(session.project.tree), run, session.suite),
        )
    )
    return run, None, max((verdict, *(reason.verdict for reason in back))), (*reasons, *back)


def _only_informed(suite: Suite, reasons: Sequence[Reason]) -> bool:
    """The gate is informational and was so before: one that is made so now, or other rules and cases, still block."""
    return suite.policy.informational and not any(
        reason.verdict is Verdict.BLOCK and reason.cause in ("rules", "cases", "baseline") for reason in reasons
    )


def _evidence(session: Session, run: Run, comparison: Comparison | None, reasons: Sequence[Reason]) -> str:
    if comparison is not None:
        return comparison.evidence
    return evidence_digest(run, "", reasons, partial(own_files, session.project, session.suite))


def _approval(
    session: Session, newly: Sequence[Prompt], evidence: str, approve: str | None
) -> tuple[Approval | None, list[str]]:
    """Who lets a blocked run be promoted: now, or before for this very evidence; nobody signs the same twice.

    Beside it what is said of an approval that does not hold any more.
    """
    before, told = earlier_approval(session, newly, session.history(), evidence)
    if approve is None:
        return before, told
    approval = make_approval(session.project, approve)
    return before if adds_nothing(approval, before) else approval, []


def _is_new(prompt: Prompt, promoted: dict[str, prompt_store.Promotion]) -> bool:
    entry = promoted.get(prompt.ref.name)
    return entry is None or entry.version != str(prompt.ref.version)


def _nothing_new(project: Project, result: PromotionResult, newly: Sequence[Prompt]) -> list[str]:
    """What is said of versions that ask what is promoted already: the gate has nothing against them."""
    notes = []
    for prompt in newly:
        if told := asks_the_same(project, result.run.lineup, prompt):
            late = f"If an edit is missing, it takes another version: `row3 new-version {prompt.ref.name}`"
            in_time = f"If an edit is missing, make it in prompts/{prompt.ref}.md before it is promoted"
            notes.append(f"{told}. {in_time if result.dry_run or result.refused else late}")
    return notes


def _without_reason(result: PromotionResult, entry: str) -> list[str]:
    """What is said of a promotion whose entry in the changelog tells nothing of the version."""
    if result.refused or not unexplained(entry):
        return []
    return [
        f"{CHANGELOG} {'would have' if result.dry_run else 'has'} no reason for {result.ref.version}: `description` in "
        f"prompts/{result.ref}.md is still that of an earlier version. "
        + ("Write there what changes" if result.dry_run else "Write it under `### Changes` of its entry")
    ]


def _falls_back(prompt: Prompt, promoted: dict[str, prompt_store.Promotion]) -> list[Reason]:
    entry = promoted.get(prompt.ref.name)
    return [] if entry is None else falling_back(prompt.ref.name, entry.version, str(prompt.ref.version))
