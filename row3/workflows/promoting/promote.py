"""`row3 promote`: gate a prompt version, then make it the current one, with its evidence, as one transaction."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.judgements import Approval, Judgement
from row3.domain.prompts import Lineup, PromptRef
from row3.domain.verdicts import Verdict
from row3.errors import Row3Error, UsageError
from row3.gate.judging import Context, Scores, Side, judge
from row3.gate.outcomes import PromotionResult
from row3.gate.results import Comparison, Run
from row3.reports.changelog import merged_entry
from row3.store import prompts as prompt_store
from row3.store.locks import writing
from row3.store.project import read_changelog
from row3.store.snapshot import loosened
from row3.store.suites import has_baseline, read_suite
from row3.store.transaction import commit
from row3.workflows.approvals import check_approval, new_approvals, sign
from row3.workflows.comparing.compare import compare
from row3.workflows.comparing.gating import note
from row3.workflows.pipeline.lineup import line_up, resolve_version
from row3.workflows.pipeline.run_suite import RunOptions, with_action
from row3.workflows.promoting.promotion import (
    AlreadyDone,
    check_entry,
    commit_promotion,
    promotion_entry,
    promotion_files,
)
from row3.workflows.running import declining_runs, run_suite
from row3.workflows.session import Session, incomplete, save_log
from row3.workflows.snapshots import repository_state, work_base


def promote(
    session: Session,
    version: str,
    *,
    approve: str | None = None,
    dry_run: bool = False,
    make_commit: bool = False,
) -> PromotionResult:
    """Gate VERSION and, if it passes, make it the current one.

    Runs the named version with the other prompts as promoted, applies the gate with the limits of `fixed`, and writes
    lock, baseline, changelog, history and charts as one transaction. Nothing is written on a block without approval.
    """
    check_approval(approve, may_write=session.may_write, gate_flags=str(session.gate))
    if session.options.partial:
        raise UsageError("a promotion needs all cases", where="--case", fix="Leave it out")
    project, suite = session.project, session.suite
    if loosened(read_suite(project, suite.name, suite.tier), suite):
        raise UsageError(
            "flags may only make a promotion harder: it is judged by row3.toml",
            where=str(session.gate),
            fix="Leave these out, or write them into row3.toml",
        )
    promoted = prompt_store.read_promoted(project.tree)
    ref = _awaiting(session, version, promoted)
    where = "VERSION or --prompt" if session.named else "VERSION"
    lineup = line_up(project, suite, role="promoted", named=(str(ref), *session.named), where=where)
    newly = [p for p in lineup.prompts if not _is_current(promoted, p.ref.name, str(p.ref.version))]
    run, comparison, judgement = _judged(session, lineup)
    if not judgement.complete:
        raise incomplete(run, "so nothing is promoted")
    approval = judgement.approval
    if approve is not None and judgement.verdict is not Verdict.PROCEED:
        approval = sign(project, approve, approval)
    refused = judgement.verdict is Verdict.BLOCK and approval is None and not suite.policy.informational
    state = repository_state(project)
    run = with_action(run, "promotion", commit=state[0], dirty=state[1])
    if comparison is not None:
        comparison.run, comparison.approval = run, approval
    names = tuple(str(prompt.ref) for prompt in newly)
    result = PromotionResult(ref, run, comparison, judgement, approval, names, dry_run, refused=refused)
    result.entry = promotion_entry(project, result)
    if refused:
        return result
    if dry_run:
        result.entry = merged_entry(read_changelog(project), result.entry, str(ref.version), ref.name)
        result.files = tuple(promotion_files(session, result, newly))
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
    if make_commit:
        commit_promotion(project, result)
    return result


def _awaiting(session: Session, version: str, promoted: dict[str, prompt_store.Promotion]) -> PromptRef:
    """Return the reference of a version that can be promoted; raises for one that is, or whose entry is mixed."""
    ref = resolve_version(session.project, session.suite, version)
    name = f"{ref.name} {ref.version}"
    if not _is_current(promoted, ref.name, str(ref.version)):
        check_entry(session.project, ref)
        return ref
    if prompt_store.PROMOTED in session.recovered:
        raise AlreadyDone(name, session.recovered)
    see = f"See `row3 history{session.suite.flag}`"
    raise UsageError(f"{name} is promoted already", where="VERSION", fix=see)


def _is_current(promoted: dict[str, prompt_store.Promotion], name: str, version: str) -> bool:
    entry = promoted.get(name)
    return entry is not None and entry.version == version


def _judged(session: Session, lineup: Lineup) -> tuple[Run, Comparison | None, Judgement]:
    """The version's run and the gate's word on it; a first promotion is judged by its zones alone."""
    suite = session.suite
    if has_baseline(session.project, suite):
        comparison = compare(session, lineup=lineup, policy="fixed")  # STANDARDS 5.2
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
        approvals=new_approvals(session.history(), None, suite.name),
    )
    return run, None, judgement


def _sign_for_hook(session: Session, shown: Judgement, approval: Approval) -> list[str]:
    """Note the approval for what the hook will see, unless it sees more than was shown; return what to say of it."""
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
    comparison.approval = approval
    note(session, [comparison])
    return ["hook and CI accept the approval as well"]
