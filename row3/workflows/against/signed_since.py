"""Approvals of a change that a base judges: those that the base has already were for an earlier one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from row3.store.documents import dump_line
from row3.store.history import FILE as HISTORY
from row3.store.history import Approval, HistoryEntry, read_history
from row3.store.unbuilt import plain_values
from row3.workflows.against.at_ref import Base, Judging
from row3.workflows.against.few_compared import answers_as_there
from row3.workflows.against.recording_drift import Replaced
from row3.workflows.against.runs_there import promoted_again
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.evidence import approved_before
from row3.workflows.session import Session


def hold_to_change(
    comparison: Comparison, session: Session, judging: Judging, base: Base, replaced: Sequence[Replaced]
) -> None:
    """Take away an approval that did not come with the change, and say so.

    Where all that is judged stands at the base as it is here, the change does nothing again: what was approved there
    holds whoever comes next no more than it held the one who approved it.
    """
    before, label = comparison.approval, base.ref.label
    if before is None:
        return
    same_files = not (judging.not_as_here or judging.added or judging.new_baseline)
    if same_files and answers_as_there(session, base, comparison.run, replaced):
        return
    found = signed_since(base, session.history(), comparison.evidence)
    # A promotion notes the approval of its draft anew, under what its change gives: by that a draft is promoted once.
    again = found is not None and _given_before(base, found) and promoted_again(base, session.project.root)
    comparison.approval = None if again else found
    if comparison.approval is None:
        what = f"the approval by {before.by} ({before.at}) stood in the history of {label} before this change"
        comparison.differs.append(f"{what}, and was for an earlier one")


def signed_since(base: Base, history: Iterable[HistoryEntry], evidence: str) -> Approval | None:
    """The newest approval of this evidence that came with the change.

    One that the base has, or had once before a revert took it out of the history there, was for a change that was
    undone since: else what was approved once could be done again, and nobody would be asked.
    """
    signed = [entry for entry in history if entry.approval is not None and entry.evidence == evidence]
    return approved_before(_since(base, signed), evidence) if signed else None


def _given_before(base: Base, approval: Approval) -> bool:
    """The base has the approval, for whatever evidence."""
    return any(entry.approval == approval for entry in read_history(base.project.tree))


def _since(base: Base, signed: Iterable[HistoryEntry]) -> Iterator[HistoryEntry]:
    before = read_history(base.project.tree)
    ids = {entry.run_id for entry in before}
    known = [(entry.evidence, entry.approval) for entry in before if entry.approval is not None]
    ref = base.ref
    for entry in signed:
        # A later comparison that met an approval noted it once more, under an id of its own.
        if entry.run_id in ids or (entry.evidence, entry.approval) in known:
            continue
        texts = entry.run_id, _as_noted(entry)
        if not any(ref.repository.ever_held(ref.inside + HISTORY, text, at=ref.sha) for text in texts):
            yield entry


def _as_noted(entry: HistoryEntry) -> str:
    """The approval with its evidence, as they stand side by side in the entry's line."""
    values = plain_values(entry)
    return dump_line({key: values[key] for key in ("evidence", "approval")})[1:-1]
