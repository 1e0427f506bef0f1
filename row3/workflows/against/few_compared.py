"""A baseline that most cases cannot be compared with: the few could be those that a worse prompt loses nothing on."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.verdicts import Reason, Verdict
from row3.store.prompts import read_promoted
from row3.workflows.against.asking_there import calls_as_there
from row3.workflows.against.at_ref import Base, Judging
from row3.workflows.against.recording_drift import Replaced
from row3.workflows.against.runs_there import digests_there
from row3.workflows.comparing.compare import Comparer
from row3.workflows.pipeline.run_suite import Run
from row3.workflows.pipeline.stages import Overrides
from row3.workflows.session import Session


def few_compared_reasons(
    session: Session, judging: Judging, base: Base | None, run: Run, *, comparer: Comparer, replaced: Sequence[Replaced]
) -> list[Reason]:
    """A block where fewer cases can be compared than cannot, or are there no more, whoever took them away.

    Where all that runs answers as at the base, nothing can hide behind the others: then it is told, and a new baseline
    that ends it passes by itself.
    """
    if run.cases == len(run.collected.failed) + len(run.collected.quarantined):
        return []
    compared, asked = too_few(comparer, judging.suite.kind.primary, partial=session.options.partial)
    if not asked:
        return []
    what = f"{how_many(compared, asked)} could be compared with the baseline"
    if base is None:
        return [Reason(Verdict.BLOCK, f"{what}; it takes a new one", cause="baseline")]
    verdict = Verdict.INVESTIGATE if answers_as_there(session, base, run, replaced) else Verdict.BLOCK
    if not judging.new_baseline:
        alone = f"`row3 --baseline{judging.suite.flags('row3 --baseline')}` in a change of its own"
        return [Reason(verdict, f"{what}; it takes a new one, by {alone}", cause="stale")]
    if verdict is Verdict.INVESTIGATE:
        return [Reason(verdict, f"{what}; the new one of this change ends that", cause="baseline")]
    return [Reason(verdict, f"{what}; the new one of this change ends that, once somebody approves", cause="stale")]


def too_few(comparer: Comparer, primary: str, *, partial: bool) -> tuple[int, int]:
    """How many cases were compared and how many were to be, where these are too few; else zeros.

    Cases in which nothing is to be found count, but not in the place of those that the primary metric judges.
    """
    lost = [] if partial else [case_id for case_id in comparer.baseline.ids() if case_id not in comparer.seen]
    gone = [*comparer.incomparable, *lost]
    if comparer.compared < max(1, len(gone)):
        return comparer.compared, comparer.compared + len(gone)
    records = (comparer.baseline.record(case_id) for case_id in gone)
    judged = sum(record is not None and primary in record.metrics for record in records)
    compared = comparer.pairs.counts().get(primary, 0)
    return (compared, compared + judged) if compared < judged else (0, 0)


def how_many(compared: int, asked: int) -> str:
    """The cases that can be compared, as the beginning of a sentence."""
    return f"only {compared} of {asked} cases" if compared else "no case"


def answers_as_there(session: Session, base: Base, run: Run, replaced: Sequence[Replaced]) -> bool:
    """What runs at the base is what runs here, under the same settings, and what is recorded of it is the same."""
    return (
        settings_as_there(session, base, replaced)
        and not session.named
        and read_promoted(session.project.tree) == read_promoted(base.project.tree)
        and (
            run.lineup.digests() == digests_there(base, session.suite)
            if session.suite.system is None
            else calls_as_there(base, run)
        )
    )


def settings_as_there(session: Session, base: Base, replaced: Sequence[Replaced]) -> bool:
    """Whatever runs, it is asked as at the base, and what is recorded there is recorded here."""
    given = session.options
    return (
        not (replaced or given.repeats > 1)
        and given.overrides == Overrides()
        and session.project.config == base.project.config
    )
