"""`row3 promote`: gate a prompt version, then make it the current one, with its evidence, as one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from row3.domain.judgements import Approval, Judgement
from row3.domain.prompts import Lineup, Prompt
from row3.domain.verdicts import Verdict
from row3.errors import Row3Error, UsageError
from row3.gate.judging import Context, Scores, Side, judge
from row3.gate.policy import GatePolicy
from row3.gate.results import Comparison, PromotionResult, Run
from row3.store import prompts as prompt_store
from row3.store.history import FILE as HISTORY
from row3.store.history import history_text
from row3.store.locks import writing
from row3.store.project import CHANGELOG, Project
from row3.store.snapshot import loosened
from row3.store.suites import has_baseline, make_suite
from row3.store.transaction import commit
from row3.workflows.comparing.approvals import check_approval, find_approval, says_the_same
from row3.workflows.comparing.compare import compare
from row3.workflows.comparing.prompt_texts import asks_the_same
from row3.workflows.pipeline.lineup import line_up, resolve_version
from row3.workflows.pipeline.run_suite import RunOptions, with_action
from row3.workflows.promoting.promotion import (
    as_inserted,
    check_entry,
    planned_files,
    promotion_entry,
    promotion_files,
    unexplained,
)
from row3.workflows.promoting.promotion_git import AlreadyDone, check_committer, commit_and_tag, finish
from row3.workflows.reasons import sign
from row3.workflows.running import declining_runs, run_suite
from row3.workflows.session import Session, entry_of, incomplete, repository_state, save_log
from row3.workflows.snapshots import work_base


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

    Runs the named version with the other prompts as promoted, applies the gate with the limits of `fixed`, and writes
    lock, baseline, changelog, history and charts as one transaction. Nothing is written on a block without approval.

    Raises `InvalidFile`, `UsageError`, `RunIncomplete`, `EnvironmentFault`.
    """
    check_approval(approve, may_write=session.may_write, gate_flags=str(session.gate))
    if session.options.partial:
        raise UsageError("a promotion needs all cases", where="--case", fix="Leave it out")
    project, suite = session.project, session.suite
    if loosened(make_suite(project.config, suite.name, suite.tier), suite):
        raise UsageError(
            "flags may only make a promotion harder: it is judged by row3.toml",
            where=str(session.gate),
            fix="Leave these out, or write them into row3.toml",
        )
    ref = resolve_version(project, suite, version)
    promoted = prompt_store.read_promoted(project.tree)
    if _is_current(promoted, ref.name, str(ref.version)):
        wanted = not dry_run
        raise finish(session, ref, make_commit=make_commit and wanted, make_tag=make_tag and wanted)
    check_entry(project, ref)
    if make_commit and not dry_run:
        check_committer(project)
    where = "VERSION or --prompt" if session.named else "VERSION"
    lineup = line_up(project, suite, role="promoted", named=(str(ref), *session.named), where=where)
    newly = [p for p in lineup.prompts if not _is_current(promoted, p.ref.name, str(p.ref.version))]
    run, comparison, judgement = _judged(session, lineup)
    if not judgement.complete:
        raise incomplete(run, "so nothing is promoted")
    approval = _approval(session, judgement, approve)
    refused = judgement.verdict is Verdict.BLOCK and approval is None and not suite.policy.informational
    state = repository_state(project)
    run = with_action(run, "promotion", commit=state[0], dirty=state[1])
    if comparison is not None:
        comparison.run, comparison.approval = run, approval
    names = tuple(str(prompt.ref) for prompt in newly)
    result = PromotionResult(ref, run, comparison, judgement, approval, names, dry_run, refused=refused)
    result.entry = promotion_entry(project, result)
    as_it_stands = as_inserted(project, result)
    result.notes += [*_nothing_new(project, result, newly), *_without_reason(result, as_it_stands)]
    if dry_run:
        result.entry = as_it_stands
    if dry_run or refused:
        result.files = () if refused else planned_files(project, result)
        return result
    if not session.may_write:
        raise UsageError(
            "a promotion writes tracked files", where="CI", fix="Promote on a developer's machine and commit it"
        )
    with writing(project.local, say=session.say):
        if _is_current(prompt_store.read_promoted(project.tree), ref.name, str(ref.version)):  # somebody was quicker
            raise AlreadyDone(f"{ref.name} {ref.version}")
        # Charts are drawn from the history with the new entry in it, so they belong to the same transaction.
        files = promotion_files(session, result, newly)
        commit(project.root, project.local, files)
    result.files = tuple(files)
    save_log(session, run)
    if approval is not None:
        result.notes += _sign_for_hook(session, judgement, approval)
    if make_commit or make_tag:
        commit_and_tag(project, result, make_commit=make_commit, make_tag=make_tag)
    return result


def _is_current(promoted: dict[str, prompt_store.Promotion], name: str, version: str) -> bool:
    entry = promoted.get(name)
    return entry is not None and entry.version == version


def _fixed(policy: GatePolicy) -> GatePolicy:
    """The policy with the limits of STANDARDS 5.2."""
    return replace(policy, policy="fixed")


def _judged(session: Session, lineup: Lineup) -> tuple[Run, Comparison | None, Judgement]:
    """The version's run and the gate's word on it; a first promotion is judged by its zones alone."""
    suite = session.suite
    if has_baseline(session.project, suite):
        comparison = compare(session, lineup=lineup, policy=_fixed)
        return comparison.run, comparison, comparison.judgement
    run = run_suite(session, lineup=lineup)
    scores = Scores(
        policy=suite.policy,
        metrics=suite.kind.metrics,
        thresholds=suite.rules.thresholds,
        after=run.header.metrics,
        cases=run.cases - len(run.failed),
        failed=run.failed,
    )
    declines = declining_runs(session.history(), run, suite)
    context = Context(declines=declines if declines >= suite.policy.declines else 0)
    answers = [run.header.prompt_digests, run.header.metrics]
    judgement = judge(
        suite.name,
        (),
        [Side(scores)],
        context,
        answers=[str(answers)],
        approvals=lambda signature: find_approval(session.history(), None, signature),
    )
    return run, None, judgement


def _approval(session: Session, judgement: Judgement, approve: str | None) -> Approval | None:
    """Who lets this be promoted: now, or before for this very evidence; nobody signs the same twice."""
    if approve is None or judgement.verdict is Verdict.PROCEED:
        return judgement.approval
    approval = sign(session.project, approve)
    return judgement.approval if says_the_same(approval, judgement.approval) else approval


def _sign_for_hook(session: Session, shown: Judgement, approval: Approval) -> list[str]:
    """Note the approval for what the hook will see of the written promotion, unless it sees what was not shown.

    Returns what is to be said of it.
    """
    project = session.project
    try:
        base = work_base(project)
        if base is None or not base.judges(session.suite.name):
            return []
        options = RunOptions(mode="replay", jobs=session.options.jobs)
        comparison = compare(replace(session, options=options, named=(), may_write=False, earlier=None), base=base)
    except Row3Error as error:
        return [f"the approval could not be noted for the hook: {error}"]
    if comparison.judgement.approval is not None or comparison.verdict is not Verdict.BLOCK:
        return []
    known = {reason.key for reason in shown.reasons}
    more = [each for each in comparison.reasons if each.verdict is Verdict.BLOCK and each.key not in known]
    if more:
        listed = ", ".join(f"{each.code} {each.subject}".strip() for each in more)
        return [f"the hook will ask for an approval of its own, since it sees more: {listed}"]
    head, dirty = repository_state(project)
    run = with_action(comparison.run, "compare", commit=head, dirty=dirty)
    with writing(project.local, say=session.say):
        entry = entry_of(run, comparison.judgement, approval)
        commit(project.root, project.local, {HISTORY: history_text(project.tree, entry).encode()})
    return ["hook and CI accept the approval as well"]


def _nothing_new(project: Project, result: PromotionResult, newly: Sequence[Prompt]) -> list[str]:
    """What is said of versions that ask what is promoted already: the gate has nothing against them."""
    notes = []
    for prompt in newly:
        if asks_the_same(project, result.run.lineup, prompt):
            same = f"{prompt.ref} asks word for word what {result.run.lineup.promoted[prompt.ref.name]} asks"
            late = f"If an edit is missing, it takes another version: `row3 new-version {prompt.ref.name}`"
            in_time = f"If an edit is missing, make it in prompts/{prompt.ref}.md before it is promoted"
            notes.append(f"{same}. {in_time if result.dry_run or result.refused else late}")
    return notes


def _without_reason(result: PromotionResult, entry: str) -> list[str]:
    """What is said of a promotion whose changelog entry does not explain the version."""
    if result.refused or not unexplained(entry):
        return []
    return [
        f"{CHANGELOG} {'would have' if result.dry_run else 'has'} no reason for {result.ref.version}: `description` in "
        f"prompts/{result.ref}.md is still that of an earlier version. "
        + ("Write there what changes" if result.dry_run else "Write it under `### Changes` of its entry")
    ]
