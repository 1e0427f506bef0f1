"""`row3 --compare` as a verb: compare, sign if asked to, note it in the history, keep the run log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from row3.domain.judgements import Approval, Code
from row3.domain.runs import HistoryEntry
from row3.domain.verdicts import Verdict
from row3.errors import UsageError
from row3.gate.judging import approved
from row3.gate.results import Comparison
from row3.reports.changelog import approval_entry, insert_entry, unreleased_entry
from row3.store.cases import CaseFiles, case_files
from row3.store.history import FILE as HISTORY
from row3.store.history import history_with_new
from row3.store.project import CHANGELOG, Project, read_changelog
from row3.store.snapshot import Snapshot
from row3.store.transaction import commit, writing
from row3.workflows.approvals import check_approval, sign
from row3.workflows.comparing.compare import compare
from row3.workflows.comparing.sides import promoted_lineup
from row3.workflows.lessons import note_lessons
from row3.workflows.pipeline.run_suite import make_asking, with_action
from row3.workflows.session import Session, entry_of, save_log
from row3.workflows.snapshots import OUTSIDE_GIT, find_base, repository_state, work_base


def gate(session: Session, *, against: str | None = None, approve: str | None = None) -> Comparison:
    """Compare with the hook's base if it objects, else with the baseline; keep new results and the run log."""
    check_approval(approve, may_write=session.may_write, partial=session.options.partial, gate_flags=str(session.gate))
    base = None if against is None else find_base(session.project, against)
    if approve is not None and base is None and session.mode != "live":
        there = work_base(session.project)  # the commit by which the hook would judge
        base = there if there is not None and there.judges(session.suite.name) else None
    comparison = compare_asking(session, base)
    if against is None and base is not None and comparison.verdict is Verdict.PROCEED:
        comparison = compare_asking(session, None)  # the base has this draft already; the baseline may still object
    judgement, changelog = comparison.judgement, None
    if approve is not None and judgement.complete and judgement.verdict is not Verdict.PROCEED:
        given = sign(session.project, approve, comparison.approval)
        if given is comparison.approval:
            session.say("approved with this reason already; nothing is written")
        else:
            comparison.approval, comparison.judgement = given, approved(judgement, given)
            changelog = partial(approved_changelog, session.project, given, comparison)
    comparison.noted = bool(note(session, [comparison], changelog))
    save_log(session, comparison.run)
    return comparison


def note(session: Session, comparisons: Sequence[Comparison], changelog: Callable[[], str] | None = None) -> int:
    """Write a history entry for each comparison with a new result; return their number.

    A run in CI, for a report format, under gate options, of a part of the cases or without an answer is not noted. The
    lesson of a regression is kept in `.row3/`.
    """
    project = session.project
    state = repository_state(project) if session.may_write else OUTSIDE_GIT
    entries = []
    for each in comparisons:
        each.run = with_action(each.run, "compare", commit=state[0], dirty=state[1])
        each.in_git = not session.may_write or state != OUTSIDE_GIT
        if each.judgement.complete and not each.run.partial:
            entries.append(entry_of(each.run, each.judgement, each.approval))
    if not session.gate.given:
        note_lessons(session, comparisons)
    if not session.may_write or session.gate.given:
        return 0
    return write_entries(project, entries, changelog, say=session.say)


def write_entries(
    project: Project,
    entries: Sequence[HistoryEntry],
    changelog: Callable[[], str] | None = None,
    *,
    say: Callable[[str], None],
) -> int:
    """Add entries with new results to the history, and the new changelog, as one change; return their number."""
    if changelog is None and not history_with_new(project.tree, entries)[1]:
        return 0  # nothing to write, so nothing to wait for
    with writing(project.local, say=say):
        text, added = history_with_new(project.tree, entries)
        files = {HISTORY: text.encode()} if added else {}
        if changelog is not None:
            files[CHANGELOG] = changelog().encode()
        if files:
            commit(project.root, project.local, files)
    return added


def approved_changelog(
    project: Project, approval: Approval, comparison: Comparison | None = None, what: str = ""
) -> str:
    """Return the changelog with the approval among the candidate's notes, or under a heading of its own."""
    changelog = read_changelog(project)
    said = f"{what}{approval.reason} ({approval.by}, {approval.at})"
    lineup = None if comparison is None else comparison.run.lineup
    waiting = [] if lineup is None else [each.ref for each in lineup.prompts if lineup.awaits_promotion(each.ref)]
    if not waiting:
        return insert_entry(changelog, approval_entry(approval.at[:10], said), "", "")
    version, name = str(waiting[0].version), waiting[0].name
    return insert_entry(changelog, unreleased_entry(version, name, approval=said), version, name)


def compare_asking(session: Session, base: Snapshot | None, *, pages: bool = False) -> Comparison:
    """Compare; with a base, the modes `record` and `auto` ask for what recorded answers lack. Raises as `compare`."""
    recorded = base is None or not base.judges(session.suite.name) or session.mode == "replay"
    if not recorded and session.mode == "live":
        raise UsageError("--against judges recorded answers", where="--mode", fix="Use --mode replay, record or auto")
    comparison = compare(session, base=base, pages=pages)
    missing = [reason.subject for reason in comparison.reasons if reason.code is Code.NO_ANSWER]
    if recorded or base is None or not missing:
        return comparison
    from row3.workflows.asking.live import record_missing

    project, suite, lineup = session.project, session.suite, comparison.run.lineup
    promoted = promoted_lineup(project, suite, Snapshot(project).manifest(suite.name))
    for prompts, tree in ((lineup, base.project.tree), (lineup, project.tree), (promoted, project.tree)):
        asking = make_asking(suite, prompts, session.options)
        record_missing(session, asking, missing, files=CaseFiles(tree, case_files(tree, suite.golden)))
    return compare(session, base=base, pages=pages)
