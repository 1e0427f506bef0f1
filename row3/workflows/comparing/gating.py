"""`row3 --compare` as a verb: compare, sign if asked to, note it in the history, keep the run log."""

from __future__ import annotations

from row3.domain.judgements import Approval, Code
from row3.domain.verdicts import Verdict
from row3.errors import InvalidFile, UsageError
from row3.gate.judging import approved
from row3.gate.results import Comparison
from row3.store.cases import CaseFiles, case_files
from row3.store.history import FILE as HISTORY
from row3.store.history import history_with_new
from row3.store.locks import writing
from row3.store.project import CHANGELOG, Project, read_changelog
from row3.store.snapshot import Snapshot
from row3.store.transaction import commit
from row3.workflows.comparing.approvals import check_approval, says_the_same
from row3.workflows.comparing.compare import compare
from row3.workflows.comparing.sides import promoted_lineup
from row3.workflows.pipeline.run_suite import make_asking, with_action
from row3.workflows.reasons import sign
from row3.workflows.session import OUTSIDE_GIT, Session, entry_of, repository_state, save_log
from row3.workflows.snapshots import find_base, work_base


def gate(session: Session, *, against: str | None = None, approve: str | None = None) -> Comparison:
    """Compare; note it in the history, unless that says the same already; keep the run log.

    An approval is given for the base that the hook would use, or for the baseline where that base has no objection.
    A run in CI, for a report format, of a part of the cases or with a missing answer is not noted.
    """
    flags = str(session.gate)
    check_approval(approve, may_write=session.may_write, partial=session.options.partial, gate_flags=flags)
    base = None if against is None else find_base(session.project, against)
    if approve is not None and base is None:
        base = _hook_base(session)
    comparison = compare_asking(session, base)
    if against is None and base is not None and comparison.verdict is Verdict.PROCEED:
        comparison = compare_asking(session, None)  # the base has this draft already; the baseline may still object
    state = repository_state(session.project) if session.may_write else OUTSIDE_GIT
    comparison.run = with_action(comparison.run, "compare", commit=state[0], dirty=state[1])
    comparison.in_git = not session.may_write or state != OUTSIDE_GIT
    comparison.since = _since(session.project, comparison)
    given = _sign(session, comparison, approve)
    complete = comparison.judgement.complete and not comparison.run.partial
    if session.may_write and complete and not flags:
        note(session, comparison, given)
    save_log(session, comparison.run)
    return comparison


def _hook_base(session: Session) -> Snapshot | None:
    """The commit by which the hook would judge, if it can judge this suite from recordings."""
    if session.mode == "live":
        return None
    base = work_base(session.project)
    return base if base is not None and base.judges(session.suite.name) else None


def _sign(session: Session, comparison: Comparison, approve: str | None) -> Approval | None:
    """The approval that is given now; None where there is nothing to approve, or it was approved with these words."""
    judgement = comparison.judgement
    if approve is None or not judgement.complete or judgement.verdict is Verdict.PROCEED:
        return None
    given = sign(session.project, approve)
    if says_the_same(given, comparison.approval):
        session.say("approved with this reason already; nothing is written")
        return None
    comparison.approval, comparison.judgement = given, approved(judgement, given)
    return given


def note(session: Session, comparison: Comparison, given: Approval | None) -> None:
    """Write an entry of the history if it says something new; an approval given now also into the changelog."""
    project, entry = session.project, entry_of(comparison.run, comparison.judgement, comparison.approval)
    if given is None and not history_with_new(project.tree, [entry])[1]:
        return  # nothing to write, so nothing to wait for
    with writing(project.local, say=session.say):
        text, added = history_with_new(project.tree, [entry])
        files = {HISTORY: text.encode()} if added else {}
        if given is not None:
            files[CHANGELOG] = approved_changelog(project, comparison, given).encode()
        if files:
            commit(project.root, project.local, files)
    comparison.noted = bool(added)


def approved_changelog(project: Project, comparison: Comparison, approval: Approval) -> str:
    """Return the changelog with the approval among the candidate's notes, or under a heading of its own."""
    from row3.reports.changelog import approval_entry, insert_entry, unreleased_entry

    lineup = comparison.run.lineup
    changelog = read_changelog(project)
    candidate = next((p.ref for p in lineup.prompts if lineup.awaits_promotion(p.ref)), None)
    said = f"{approval.reason} ({approval.by}, {approval.at})"
    if candidate is None:
        return insert_entry(changelog, approval_entry(approval.at[:10], said), "", "")
    version = str(candidate.version)
    return insert_entry(changelog, unreleased_entry(version, candidate.name, approval=said), version, candidate.name)


def compare_asking(session: Session, base: Snapshot | None, *, pages: bool = False) -> Comparison:
    """Compare; with a base, the modes `record` and `auto` ask for what recorded answers lack. Raises as `compare`."""
    if base is None or not base.judges(session.suite.name) or session.mode == "replay":
        return compare(session, base=base, pages=pages)
    if session.mode == "live":
        raise UsageError("--against judges recorded answers", where="--mode", fix="Use --mode replay, record or auto")
    comparison = compare(session, base=base, pages=pages)
    missing = [reason.subject for reason in comparison.reasons if reason.code is Code.NO_ANSWER]
    if missing:
        from row3.workflows.asking.live import record_missing

        project, suite = session.project, session.suite
        promoted = promoted_lineup(project, suite, Snapshot(project).manifest(suite.name))
        for lineup, tree in (
            (comparison.run.lineup, base.project.tree),
            (comparison.run.lineup, project.tree),
            (promoted, project.tree),
        ):
            asking = make_asking(suite, lineup, session.options)
            record_missing(session, asking, missing, files=CaseFiles(tree, case_files(tree, suite.golden)))
        comparison = compare(session, base=base, pages=pages)
    return comparison


def _since(project: Project, comparison: Comparison) -> str | None:
    """The commit that shows what changed in the project's files since what judges was made; None where git cannot."""
    if comparison.against is not None:
        return comparison.against
    commit_id = comparison.baseline.commit
    if commit_id is None or comparison.verdict is Verdict.PROCEED:
        return None
    from row3.vcs.repository import Repository

    try:
        repository = Repository.find(project.root)
        return commit_id if repository is not None and repository.knows(commit_id) else None
    except InvalidFile:
        return None
