"""An approved promotion: its approval is noted for what hook and CI are going to see, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from row3.domain.verdicts import Reason, Verdict
from row3.errors import Row3Error
from row3.store.history import FILE as HISTORY
from row3.store.history import Approval, history_text
from row3.store.locks import writing
from row3.store.suites import pick_suite
from row3.store.transaction import commit
from row3.workflows.against.affected import asked_by
from row3.workflows.against.made_current import of_version_alone
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.gating import compare
from row3.workflows.pipeline.run_suite import Run, RunOptions, with_action
from row3.workflows.promoting.earlier_approval import base_of_work
from row3.workflows.session import Session, entry_of, repository_state


def carry_approval(
    session: Session, run: Run, newly: Sequence[str], approval: Approval, shown: Sequence[Reason]
) -> str | None:
    """Note the approval of a promotion that was written under the evidence that its change gives at the base.

    A promotion is approved by what stood before it, and hook and CI see what stands after it: another lock, another
    baseline, maybe a newer version that is not promoted. Grounds that its giver was not `shown`, and those of another
    version than this `run` was of, stay to be approved.

    Other suites that ask the promoted prompts are judged too; of these, a prompt that falls back is all it was shown.

    Returns what is to be said of it; None where no base will judge, or none of its grounds blocks.
    """
    shown_here = {reason.text for reason in shown if _blocks(reason)}
    shown_of_all = {reason.text for reason in shown if _blocks(reason) and reason.cause == "locks"}
    said = None
    try:
        for comparison in _compared_with_base(session, newly):
            if not comparison.blocked or not comparison.run.complete:
                continue
            same = comparison.run.header.prompt_digests == run.header.prompt_digests
            blocks = [reason for reason in comparison.reasons if _blocks(reason)]
            known = shown_of_all if comparison.run.suite.name != session.suite.name else shown_here
            other = next((each.text for each in blocks if _of_promoted(each, same=same) not in known), None)
            if other is not None:
                more = f"{comparison.run.suite.name}: {other}"
                return f"hook and CI will ask for another approval: they see more than this one was given for ({more})"
            _note(session, comparison, approval)
            said = "hook and CI accept the approval as well"
    except Row3Error as error:
        return f"the approval could not be noted for hook and CI: {error}"
    return said


def _compared_with_base(session: Session, newly: Sequence[str]) -> Iterator[Comparison]:
    """As the hook would compare what is committed now."""
    project = session.project
    options = RunOptions(mode="replay", jobs=session.options.jobs)
    concerned = {name for prompt in newly for name in asked_by(project, prompt)} - {session.suite.name}
    with base_of_work(project) as there:
        if there is None:
            return
        known = there.suites("replay")
        for name in (session.suite.name, *sorted(concerned)):
            if name in known or name == session.suite.name:
                after = Session(project, pick_suite(project, name, "replay"), options, may_write=False)
                yield compare(after, base=there if name in known else None)


def _blocks(reason: Reason) -> bool:
    return reason.verdict is Verdict.BLOCK


def _of_promoted(reason: Reason, *, same: bool) -> str | None:
    """The ground as it is told of the promoted version itself; None for one of a newer version that runs instead."""
    return of_version_alone(reason.text) if same or reason.cause == "locks" else None


def _note(session: Session, comparison: Comparison, approval: Approval) -> None:
    project = session.project
    commit_id, dirty = repository_state(project)
    comparison.run = with_action(comparison.run, "compare", commit=commit_id, dirty=dirty)
    with writing(project.local, say=session.say):
        entry = entry_of(comparison.run, comparison, approval)
        commit(project.root, project.local, {HISTORY: history_text(project.tree, entry).encode()})
