"""What a comparison is made of: who judges, who answers on the base's side, and what the change did to the criteria."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from row3.domain.judgements import CriteriaChange
from row3.domain.manifests import Manifest
from row3.domain.prompts import Lineup
from row3.gate.inventory import inventory
from row3.gate.results import Run
from row3.store.cases import CaseFiles
from row3.store.recordings import RecordingIndex, open_changed
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, make_suite
from row3.workflows.comparing.baseline import read_baseline, with_live_answers
from row3.workflows.comparing.comparer import Comparer
from row3.workflows.comparing.sides import BaseSide, side_of_base, side_of_baseline
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.running import run_suite
from row3.workflows.session import Session

if TYPE_CHECKING:
    from row3.workflows.asking.interleaved import Interleaving


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recorded answers: the candidate's are looked up at the head first, the base's at the base."""

    head: RecordingIndex
    """What the candidate is answered from; behind it the base's."""
    base: RecordingIndex | None = None
    """What the base is answered from, the files that the head has otherwise; None where the work tree judges itself."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A lineup run over cases, beside the base."""

    run: Run
    comparer: Comparer
    results: list[CaseResult]
    """Kept where the other side's criteria may share them."""


@dataclass
class Gate:
    """What a comparison is made of: who judges, who answers on the base's side, what the change did to the criteria."""

    session: Session
    base: Snapshot | None
    suite: Suite
    """The base's rules, with what answers as the head has it."""
    manifest: Manifest | None
    side: BaseSide
    recordings: Recordings
    head: Snapshot
    """The change's own."""
    changes: list[CriteriaChange] = field(default_factory=list)
    interleaving: Interleaving | None = None
    """Asks the base's side in the same run."""

    @property
    def judged_twice(self) -> bool:
        """The head's criteria are others than the base's, so the change is judged by both."""
        return bool(self.changes)

    def score(
        self, session: Session, lineup: Lineup | None, suite: Suite, files: CaseFiles, comparer: Comparer
    ) -> Scored:
        """Run a lineup over cases under a suite's rules, beside the base's answers under the same rules."""
        results: list[CaseResult] = []

        def take(result: CaseResult) -> None:
            comparer.take(result)
            if self.judged_twice:
                results.append(result._replace(detail=None))

        run = run_suite(
            session,
            suite=suite,
            lineup=lineup,
            files=files,
            index=self.recordings.head,
            before=self.side.judged_by(suite, None if session.options.page else session.scores(suite)).score,
            interleaving=self.interleaving,
            take=take,
        )
        return Scored(run, comparer, results)


def open_gate(session: Session, base: Snapshot | None) -> Gate:
    """Return what a comparison rests on. Raises `InvalidFile` where there is no baseline, `UsageError`."""
    project, own = session.project, session.suite
    mine, head = Snapshot(project), open_recordings(project, own)
    if base is None:
        baseline = read_baseline(project, own)
        side = side_of_baseline(project, own, baseline, with_live_answers(project, own, baseline, head))
        gate = Gate(session, None, own, baseline, side, Recordings(head), mine)
        if session.mode in ("live", "record"):
            from row3.workflows.comparing.live import interleaving_of  # a replay does without the provider

            gate.interleaving = interleaving_of(session, baseline)
        return gate
    there = make_suite(base.project.config, own.name, own.tier)
    rules = replace(
        there, pipeline=own.pipeline, provider=own.provider, system=own.system, flag=own.flag, given=own.given
    )
    head.fallback = open_changed(base.project.tree, project.tree, own.name)
    before = open_changed(base.project.tree, project.tree, own.name)
    before.fallback, before.asks_otherwise = head, head.asks_otherwise
    manifest = base.manifest(own.name)
    side = side_of_base(base.project, there, manifest, before)
    changes = inventory(
        base.criteria(there, mine), mine.criteria(own, base), base.demands(there, mine), mine.demands(own, base)
    )
    return Gate(session, base, session.gate.applied(rules), manifest, side, Recordings(head, before), mine, changes)
