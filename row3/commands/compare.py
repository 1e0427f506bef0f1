"""`row3 --compare`: compare, approve if asked to, add the result to the history, save the run log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from row3.comparing.approvals import check_approval, sign
from row3.comparing.base_side import promoted_lineup
from row3.comparing.compare import compare
from row3.comparing.lessons import note_lessons
from row3.domain.judgements import Verdict
from row3.domain.runs import Approval, HistoryEntry
from row3.errors import Row3Error, UsageError
from row3.gate.judging import approved
from row3.gate.results import Comparison
from row3.project.base import CRITERIA, OUTSIDE_GIT, find_base, repository_state, work_base
from row3.project.criteria import changed_criteria
from row3.project.history import FILE as HISTORY
from row3.project.history import history_with_new, new_entries
from row3.project.places import CHANGELOG
from row3.project.project import Project, read_changelog
from row3.project.transaction import commit, writing
from row3.running.run_options import make_asking, with_action
from row3.running.session import CommandOptions, Session, entry_of, save_log


def gate(session: Session, *, against: str | None = None, approve: str | None = None) -> Comparison:
    """Compare with `against`, else with the baseline; add a new result to the history and save the run log.

    An approval is for the comparison that the hook would make, if it objects; else for the one with the baseline.
    """
    check_approval(
        approve,
        may_write=session.command.may_write,
        partial=session.options.partial,
        gate_flags=str(session.command.gate),
    )
    base = None if against is None else find_base(session.project, against)
    if approve is not None and base is None and session.mode != "live":
        base = work_base(session.project)
        base = base if base is not None and base.judges(session.suite.name) else None
    comparison = compare_asking(session, base)
    if against is None and base is not None and comparison.verdict is Verdict.PROCEED:
        comparison = compare_asking(session, None)
    judgement, changelog = comparison.judgement, None
    if approve is not None and judgement.complete and judgement.verdict is not Verdict.PROCEED:
        approval = sign(session.project, approve, comparison.approval)
        if approval is comparison.approval:
            session.say("already approved with this reason; nothing is written")
        else:
            comparison.judgement = approved(judgement, approval)
            changelog = partial(approved_changelog, session.project, approval, comparison)
    comparison.noted = bool(note(session.project, session.command, session.say, [comparison], changelog))
    save_log(session.project, comparison.run, session.say)
    return comparison


def note(
    project: Project,
    command: CommandOptions,
    say: Callable[[str], None],
    comparisons: Sequence[Comparison],
    changelog: Callable[[], str] | None = None,
) -> int:
    """Write a history entry for each comparison with a new result; return how many were written.

    Nothing is written in CI, for a report format or under gate options, nor for partial or incomplete runs. Lessons of
    regressions go to `.row3/`.
    """
    state = repository_state(project) if command.may_write else OUTSIDE_GIT
    entries = []
    for each in comparisons:
        each.run = with_action(each.run, "compare", commit=state[0], dirty=state[1])
        each.in_git = not command.may_write or state != OUTSIDE_GIT
        each.asking = _asking(project, each)
        if each.judgement.complete and not each.run.partial:
            entries.append(entry_of(each.run, each.judgement, each.approval))
    if not command.gate.given:
        note_lessons(project, command, say, comparisons)
    if not command.may_write or command.gate.given:
        return 0
    return write_entries(project, entries, changelog, say)


def _asking(project: Project, comparison: Comparison) -> str:
    """Return the hook's base, if a comparison with the baseline passes and the change removes or loosens criteria."""
    if comparison.against is not None or comparison.verdict is not Verdict.PROCEED:
        return ""
    name = comparison.run.suite.name
    try:
        base = work_base(project, CRITERIA)
        if base is None or not base.judges(name):
            return ""
        theirs, own = base.suite(name, "replay"), project.suite(name, "replay")
        changes = changed_criteria(base, theirs, project, own)
    except Row3Error:  # the hook reports it
        return ""
    return base.label if any(change.effect in ("removed", "loosened") for change in changes) else ""


def write_entries(
    project: Project, entries: Sequence[HistoryEntry], changelog: Callable[[], str] | None, say: Callable[[str], None]
) -> int:
    """Write the entries with new results, and the new changelog, as one change; return how many were added."""
    if changelog is None and not new_entries(project.history, entries):
        return 0  # do not wait for the lock
    with writing(project.root, say=say):
        text, added = history_with_new(project.on_disk().tree, entries)
        files = {HISTORY: text.encode()} if added else {}
        if changelog is not None:
            files[CHANGELOG] = changelog().encode()
        if files:
            commit(project.root, files)
    return added


def approved_changelog(
    project: Project, approval: Approval, comparison: Comparison | None = None, what: str = ""
) -> str:
    """Return the changelog with the approval in the draft's entry, else in an entry of its own."""
    from row3.project.changelog import approval_entry, insert_entry, unreleased_entry

    changelog = read_changelog(project)
    text = f"{what}{approval.reason} ({approval.by}, {approval.at})"
    lineup = None if comparison is None else comparison.run.lineup
    drafts = [] if lineup is None else [each.ref for each in lineup.prompts if lineup.awaits_promotion(each.ref)]
    if not drafts:
        return insert_entry(changelog, approval_entry(approval.at[:10], text), "", "")
    version, name = str(drafts[0].version), drafts[0].name
    return insert_entry(changelog, unreleased_entry(version, name, approval=text), version, name)


def compare_asking(session: Session, base: Project | None, *, pages: bool = False) -> Comparison:
    """Compare; with a base, the modes `record` and `auto` record missing answers first. Raises as `compare`."""
    if base is None or not base.judges(session.suite.name) or session.mode == "replay":
        return compare(session, base=base, pages=pages)
    if session.mode == "live":
        raise UsageError("--against judges recorded answers", where="--mode", fix="Use --mode replay, record or auto")
    comparison = compare(session, base=base, pages=pages)
    if not (missing := comparison.unanswered):
        return comparison
    from row3.running.live import record_missing

    project, suite, lineup = session.project, session.suite, comparison.run.lineup
    promoted = promoted_lineup(project, suite, project.manifest(suite.name))
    for prompts, judge in ((lineup, base), (lineup, project), (promoted, project)):
        record_missing(session, make_asking(suite, prompts, session.options), missing, judge=judge)
    return compare(session, base=base, pages=pages)
