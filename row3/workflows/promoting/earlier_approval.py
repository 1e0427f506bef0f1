"""The approval that a promotion stands on though nobody signs now: of its own change, or of an approved draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from row3.domain.prompts import Prompt
from row3.store.history import Approval, HistoryEntry
from row3.store.project import Project
from row3.workflows.against.at_ref import Base, Ref, inside_of, laid_out
from row3.workflows.against.runs_there import digests_there, was_promoted
from row3.workflows.against.signed_since import signed_since
from row3.workflows.comparing.evidence import approved_before
from row3.workflows.hook import work_base
from row3.workflows.session import Session


def earlier_approval(
    session: Session, newly: Sequence[Prompt], history: Sequence[HistoryEntry], evidence: str
) -> tuple[Approval | None, list[str]]:
    """The approval of this very evidence that may go with a promotion of `newly`; what is said of one that may not.

    One that the base has already was for an earlier change. It holds where that brought a draft which is still what
    runs there, and which nobody promoted since: else what was promoted and taken back would become current by it.
    """
    before = approved_before(history, evidence)
    if before is None:
        return None, []
    with base_of_work(session.project) as base:
        found: Approval | None
        if base is None:
            found = None if _used(history, session.suite.name, evidence) else before
        elif (found := signed_since(base, history, evidence)) is None:
            there = digests_there(base, session.suite)
            drafts = all(there.get(each.ref.name) == each.digest for each in newly)
            found = before if drafts and not any(was_promoted(base, each.digest) for each in newly) else None
    said = f"the approval by {before.by} ({before.at}) was for an earlier change: {before.reason}"
    return found, [] if found else [f"{said}. --approve REASON signs this one"]


@contextmanager
def base_of_work(project: Project) -> Iterator[Base | None]:
    """The commit by which the hook would judge what is committed now; None where there is none."""
    from row3.vcs.repository import Repository

    repository = Repository.find(project.root)
    head = None if repository is None else repository.head()
    ref = None
    if repository is not None and head is not None:
        sha = work_base(repository, project.root, head)
        ref = Ref(repository, sha, sha[:10], inside_of(repository, project.root))
    with laid_out(ref) as base:
        yield base


def _used(history: Sequence[HistoryEntry], suite: str, evidence: str) -> bool:
    """Since it was given something was promoted, or made the baseline: that this is so no more was not approved."""
    mine = [entry for entry in history if entry.suite == suite]
    first = next(at for at, entry in enumerate(mine) if entry.approval is not None and entry.evidence == evidence)
    return any(entry.action != "compare" for entry in mine[first:])
